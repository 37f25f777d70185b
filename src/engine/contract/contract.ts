import type { FieldDefect, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { amongChoices } from './choices.ts';
import type { FieldCheck } from './definition.ts';
import { DEFINITIONS } from './definitions.ts';
import { finishImages, PendingImage } from './image-field.ts';
import { parseData } from './json.ts';
import { type DecodeBudget, ownDecodeBudget } from '../image/decode-budget.ts';
import type { QrUse } from '../qr/capacity.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';
import { exceptLeftOut, Secrets } from './secrets.ts';
import type { FieldDescriptor, FieldValue, FieldValues } from './types.ts';

/** A field contract, ready to check request data against. Immutable; shared by all requests. */
export interface Contract {
  readonly fields: readonly FieldDescriptor[];
  /**
   * Checks the raw UTF-8 JSON bytes of the `data` object. `bad_request` when they are not a JSON
   * object; `invalid_data` with every defective field once, in contract order; `overloaded` when
   * other requests' images kept the decoders busy for too long; else the values by field index.
   * Synchronous unless an image has to be decoded.
   */
  readonly check: (data: Uint8Array) => Outcome<FieldValues> | Promise<Outcome<FieldValues>>;
}

export interface ContractOptions {
  /** Settings of the qr nodes that draw each qrcode field. */
  readonly qrUses?: ReadonlyMap<string, readonly QrUse[]>;
  /** For the images of requests; absent: one of the contract alone. */
  readonly decodeBudget?: DecodeBudget;
  /** Absent: no field is secret. */
  readonly secrets?: Secrets;
}

/**
 * Compiles the descriptors of a template into a contract. They must have passed
 * `contractProblems`; a fault that it would have found throws here.
 */
export function compileContract(
  fields: readonly FieldDescriptor[],
  language: string,
  options: ContractOptions = {},
): Contract {
  const { qrUses, decodeBudget = ownDecodeBudget(), secrets = Secrets.none } = options;
  const checks = fields.map((field) => {
    const uses = qrUses?.get(field.name) ?? [];
    const plain = DEFINITIONS[field.type].compile(field, language, uses);
    const check = secrets.isSecret(field.name) ? exceptLeftOut(plain) : plain;
    const choices = field.validation?.choices;
    return choices === undefined ? check : amongChoices(check, choices);
  });
  return { fields, check: (data) => checkData(fields, checks, data, decodeBudget) };
}

const BUSY = fail('overloaded', 'Too many images are being decoded. Retry later.');

type Checked = FieldValue | PendingImage | Reason | null;

function checkData(
  fields: readonly FieldDescriptor[],
  checks: readonly FieldCheck[],
  data: Uint8Array,
  decodeBudget: DecodeBudget,
): Outcome<FieldValues> | Promise<Outcome<FieldValues>> {
  const parsed = parseData(data);
  if (!parsed.ok) return parsed;
  const input = parsed.value;
  const checked: Checked[] = [];
  let isPending = false;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index];
    const check = checks[index];
    if (field === undefined || check === undefined) continue;
    // Own members only: `constructor` and `__proto__` are names like any other.
    const value = Object.hasOwn(input.values, field.name) ? input.values[field.name] : null;
    const isAbsent = value === null || value === undefined || value === '';
    let result = isAbsent ? null : check(value, input, field.name);
    if (result === null && field.required) result = REASONS.required;
    if (result instanceof PendingImage) isPending = true;
    checked.push(result);
  }
  if (!isPending) return conclude(fields, checked as (FieldValue | Reason | null)[]);
  const finished = finishImages(checked, decodeBudget);
  return Array.isArray(finished)
    ? conclude(fields, finished)
    : finished.then((settled) => (settled === null ? BUSY : conclude(fields, settled)));
}

/** The values, or all defects in contract order. */
function conclude(
  fields: readonly FieldDescriptor[],
  checked: readonly (FieldValue | Reason | null)[],
): Outcome<FieldValues> {
  const defects: FieldDefect[] = [];
  for (let index = 0; index < checked.length; index++) {
    const reason = checked[index];
    if (typeof reason === 'string') defects.push({ field: fields[index]?.name ?? '', reason });
  }
  if (defects.length > 0) return fail('invalid_data', undefined, defects);
  // No reason is left among them.
  return succeed(checked as FieldValues);
}

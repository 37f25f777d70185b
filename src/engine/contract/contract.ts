import type { FieldCheck } from './definition.ts';
import type { FieldDefect, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { finishImages, PendingImage } from './image-field.ts';
import { parseData } from './json.ts';
import { type DecodeBudget, ownDecodeBudget } from '../image/decode-budget.ts';
import { checkNested, compileMembers, ListDefects } from './nested/check.ts';
import type { Checked, Member } from './nested/check.ts';
import { compileTakeLists, type TakeLists } from './nested/take.ts';
import { flattenFields } from './nested/flatten.ts';
import type { QrUse } from '../qr/capacity.ts';
import { REASONS } from './reasons.ts';
import { exceptLeftOut, Secrets } from './secrets.ts';
import type { FieldDescriptor, FieldValues } from './types.ts';

/** A field contract, ready to check request data against. Immutable; shared by all requests. */
export interface Contract {
  /** By index, as `flattenFields` gives them. */
  readonly fields: readonly FieldDescriptor[];
  /** The same fields as the template nests them. */
  readonly declared: readonly FieldDescriptor[];
  /**
   * Checks the raw UTF-8 JSON bytes of the `data` object. `bad_request` when they are not a JSON
   * object; `invalid_data` with every defective field once, in contract order, up to
   * `LIMITS.defectsMax`, those of entries by path (`accounts[2].number`); `overloaded` when
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
  /**
   * Whether anything reads unformatted values of the list's entries; if not, its rows do not keep
   * them. When omitted, all lists keep them.
   */
  readonly readsRaw?: (list: number) => boolean;
  /** Checks that stand in the place of those of their fields, by the path of the field. */
  readonly checkInstead?: ReadonlyMap<string, FieldCheck>;
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
  const { qrUses, checkInstead, secrets = Secrets.none } = options;
  const { decodeBudget = ownDecodeBudget() } = options;
  const members = compileMembers(fields, {
    language,
    qrUses,
    readsRaw: options.readsRaw ?? (() => true),
    guard: (check, name) =>
      checkInstead?.get(name) ?? (secrets.isSecret(name) ? exceptLeftOut(check) : check),
    replaced: (path) => checkInstead?.has(path) === true || secrets.isSecret(path),
  });
  const flat = flattenFields(fields);
  const checks = { fields: flat, members, takeLists: compileTakeLists(members) };
  return {
    fields: flat,
    declared: fields,
    check: (data) => checkData(checks, data, decodeBudget),
  };
}

const BUSY = fail('overloaded', 'Too many images are being decoded. Retry later.');

interface Checks {
  readonly fields: readonly FieldDescriptor[];
  readonly members: readonly Member[];
  /** Null if the contract has no list at its top level. */
  readonly takeLists: TakeLists | null;
}

function checkData(
  { fields, members, takeLists }: Checks,
  data: Uint8Array,
  decodeBudget: DecodeBudget,
): Outcome<FieldValues> | Promise<Outcome<FieldValues>> {
  // Each index is filled in: a hole would make every later access of the array slower.
  const checked: Checked[] = fields.map(() => null);
  const parsed = parseData(
    data,
    takeLists === null ? null : (source, isClean) => takeLists(source, isClean, checked),
  );
  if (!parsed.ok) return parsed;
  const input = parsed.value;
  for (const member of members) {
    const { index, name, required } = member;
    if (member.kind === 'list' && checked[index] !== null) continue;
    // Own members only: `constructor` and `__proto__` are names like any other.
    const value = Object.hasOwn(input.values, name) ? input.values[name] : null;
    const isAbsent = value === null || value === undefined || value === '';
    if (isAbsent) {
      if (required) checked[index] = REASONS.required;
    } else if (member.kind === 'plain') {
      const result = member.check(value, input, name);
      checked[index] = result === null && required ? REASONS.required : result;
    } else {
      checkNested(member, value, input, checked);
    }
  }
  if (!checked.some((result) => result instanceof PendingImage)) return conclude(fields, checked);
  const finished = finishImages(checked, decodeBudget);
  return Array.isArray(finished)
    ? conclude(fields, finished)
    : finished.then((settled) => (settled === null ? BUSY : conclude(fields, settled)));
}

/** The values, or all defects in contract order. */
function conclude(
  fields: readonly FieldDescriptor[],
  checked: readonly Checked[],
): Outcome<FieldValues> {
  const defects: FieldDefect[] = [];
  for (let index = 0; index < checked.length; index++) {
    const reason = checked[index];
    if (typeof reason === 'string') defects.push({ field: fields[index]?.name ?? '', reason });
    else if (reason instanceof ListDefects) defects.push(...reason.defects);
  }
  if (defects.length > 0) {
    return fail('invalid_data', undefined, defects.slice(0, LIMITS.defectsMax));
  }
  // Neither a reason nor a pending image is left among them.
  return succeed(checked as FieldValues);
}

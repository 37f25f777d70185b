import { error, type ContractProblem } from './problem.ts';
import { compileMask } from './format/mask.ts';
import { REASONS } from './reasons.ts';
import type { FieldCheck } from './definition.ts';
import type { FieldDescriptor, FieldType } from './types.ts';

/**
 * Secret fields: values that make a document, such as the password that opens it, and that nobody
 * may read again anywhere in the service. A template marks them by `"secret": true`; every part of
 * the code that shows data asks `Secrets`, so no other model has a flag for them.
 */

/** Stands in lists of rows in the place of a secret value. A row that sends it back is refused. */
export const LEFT_OUT = '(secret value left out: write it again)';

const SECRET_TYPES: ReadonlySet<FieldType> = new Set(['text', 'date']);
/** A mask hides at least so many letters and digits of a secret, or all of a shorter one. */
const HIDDEN_MIN = 4;

/** A field as far as this module needs it. */
interface MarkedField {
  readonly name: string;
  readonly isSecret: boolean;
}

/** Which fields of a template are secret. */
export class Secrets {
  static readonly none = new Secrets([]);

  readonly #declared: ReadonlySet<string>;
  readonly #secret: ReadonlySet<string>;

  constructor(fields: readonly MarkedField[]) {
    this.#declared = new Set(fields.map(({ name }) => name));
    this.#secret = new Set(fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  }

  isSecret(name: string): boolean {
    return this.#secret.has(name);
  }

  /** Whether the template has a secret field. */
  get any(): boolean {
    return this.#secret.size > 0;
  }

  /**
   * The members of a row that a person may read; a secret one has `LEFT_OUT` for its value. When there
   * is a secret field, members that are no field are left out: one may be a secret under a misspelled
   * name.
   */
  shown(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (!this.any) return data;
    const members = Object.entries(data).filter(([name]) => this.#declared.has(name));
    return Object.fromEntries(
      members.map(([name, value]) => [name, this.#shownValue(name, value)]),
    );
  }

  #shownValue(name: string, value: unknown): unknown {
    const isPresent = value !== undefined && value !== null && value !== '';
    return isPresent && this.isSecret(name) ? LEFT_OUT : value;
  }
}

/** Reads the marks of fields as field discovery lists them. */
export function secretsOf(
  fields: readonly { readonly name: string; readonly format?: unknown }[],
): Secrets {
  return new Secrets(fields.map(({ name, format }) => ({ name, isSecret: isMarked(format) })));
}

function isMarked(format: unknown): boolean {
  const { presentation } = { presentation: undefined, ...(format as object | undefined) } as {
    readonly presentation: { readonly secret?: unknown } | undefined;
  };
  return presentation?.secret === true;
}

/** The faults of a secret field by itself; `path` is that of the field. */
export function secretProblems(field: FieldDescriptor, path: string): readonly ContractProblem[] {
  if (!SECRET_TYPES.has(field.type)) {
    return [error(`${path}.secret`, `A ${field.type} field cannot be secret; text and date can.`)];
  }
  if (field.validation?.choices === undefined) return [];
  const message = 'cannot be given for a secret field: every reader of the contract knows them.';
  return [error(`${path}.choices`, message)];
}

/** Why a text must not print a secret field; null: its mask hides enough of it. */
export function printingFault(
  { name, format }: FieldDescriptor,
  ownMask: string | null,
): string | null {
  const quoted = JSON.stringify(name);
  if (ownMask !== null) {
    return `Field ${quoted} is secret: give its mask in the format of the field, not at the placeholder.`;
  }
  const mask = format?.mask === undefined ? null : compileMask(format.mask);
  if (mask !== null && mask.hidden > 0 && mask.hidden >= Math.min(HIDDEN_MIN, mask.places))
    return null;
  return (
    `Field ${quoted} is secret: a text prints it only if the field has a format with a mask that ` +
    `hides at least ${HIDDEN_MIN} letters and digits, such as "XXXX-XXXX-XXXX-xxxx".`
  );
}

/** Why nothing but a text of the layout may use a secret field. */
export function useFault(name: string): string {
  return (
    `Field ${JSON.stringify(name)} is secret: only texts of the layout may print it, masked; it ` +
    'cannot be used here.'
  );
}

/** A check that refuses what lists show in the place of a secret value. */
export function exceptLeftOut(check: FieldCheck): FieldCheck {
  return (value, input, name) =>
    typeof value === 'string' && value.trim() === LEFT_OUT
      ? REASONS.secretLeftOut
      : check(value, input, name);
}

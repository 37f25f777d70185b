import type { CellKind } from './format/formats.ts';
import type { PendingImage } from './image-field.ts';
import type { CheckInput } from './json.ts';
import type { ContractProblem } from './problem.ts';
import type { QrUse } from '../qr/capacity.ts';
import type { Reason } from './reasons.ts';
import type { FieldFormat, FieldValidation, FieldValue, PlainField } from './types.ts';

/** What templates and contracts may say about fields of a type. */
export interface FieldRules {
  /** The keys of `format` that have an effect; others get a warning. */
  readonly formatKeys: readonly (keyof FieldFormat)[];
  /** The keys of `validation` that have an effect; others get a warning. */
  readonly validationKeys: readonly (keyof FieldValidation)[];
  /** What `{{name}}` prints in a text; null: the type cannot be printed in a text. */
  readonly prints: CellKind | null;
  /** Faults of `validation`. Absent: it can have none. */
  readonly problems?: (
    validation: FieldValidation,
    path: string,
    steps: PatternSteps,
  ) => readonly ContractProblem[];
}

/** All that the service knows about a type of single values; `definitions.ts` has one for each. */
export interface FieldDefinition extends FieldRules {
  /** Compiles a descriptor without faults; `qrUses`: the qr nodes that draw the field. */
  readonly compile: (field: PlainField, language: string, qrUses: readonly QrUse[]) => FieldCheck;
}

/** Steps that the patterns of a contract may still have together. */
export interface PatternSteps {
  left: number;
}

/**
 * Checks one present value (neither null nor ''). Gives the value, the reason it is refused, null
 * when nothing is left of it after cleaning, or an image whose header passed and whose decoding
 * is still to come.
 */
export type FieldCheck = (
  value: unknown,
  input: CheckInput,
  name: string,
) => FieldValue | PendingImage | Reason | null;

/**
 * Writes valid values of list entries into their rows: the printed text into `column` and, if
 * `rawColumn` is another column, the value before formatting into `rawColumn`. Values are neither
 * null nor ''.
 */
export interface CellReader {
  /**
   * Reads a value from the codes of the JSON text and returns the index after it. Returns -1 if the
   * value is invalid or is one that only `take` can read.
   */
  read(
    codes: Uint8Array | Uint16Array,
    start: number,
    row: string[],
    column: number,
    rawColumn: number,
  ): number;
  /** Returns false if the value is invalid or must be read by the field's check. */
  take(text: string, isString: boolean, row: string[], column: number, rawColumn: number): boolean;
}

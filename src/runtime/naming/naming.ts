/**
 * The names that a template declares for its documents: a reference to search by, such as a receipt
 * number, and a file name.
 */
export interface Naming {
  /** As `normalReference` returns it; '': the document has none. */
  readonly reference: string;
  /** What the store keeps of the reference: a keyed hash, or the text as well. */
  readonly keep: ReferenceKeep;
  /** See file-name.ts; '': the file is named by the id of the document. */
  readonly fileName: string;
}

export type ReferenceKeep = 'hash' | 'plain';

/** Longest reference, in code points. */
export const REFERENCE_CODE_POINTS_MAX = 200;

/** Most references: nothing of them changes. */
const PRINTABLE = /^[!-~]*$/;

/**
 * A reference as it is compared: NFC (UAX #15), and blanks as they are printed. What somebody copies
 * from a page or types from paper is then equal to what the data said.
 */
export function normalReference(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Whether a reference, as `normalReference` returns it, is longer than one may be. */
export function isTooLong(reference: string): boolean {
  // A code point takes one or two units.
  if (reference.length <= REFERENCE_CODE_POINTS_MAX) return false;
  if (reference.length > 2 * REFERENCE_CODE_POINTS_MAX) return true;
  return Array.from(reference).length > REFERENCE_CODE_POINTS_MAX;
}

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

/** Most references match this, and normalization would not change them. */
const PRINTABLE = /^[!-~]*$/;

/** Characters that nobody sees: marks of direction, joiners, soft hyphens, byte order marks. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** Controls other than blanks, which the contract removes from data as well. */
const CONTROLS = /[^\P{Cc}\s]+/gu;
/**
 * Nikhahit and sara aa, with the tone mark that stands above them before, between or nowhere. They are
 * drawn like sara am, so readers copy it as these, but NFC does not compose them.
 */
const SPLIT_SARA_AM = /\u0E4D([\u0E48-\u0E4B]?)\u0E32/gu;
/** The same in Lao. */
const SPLIT_LAO_AM = /\u0ECD([\u0EC8-\u0ECB]?)\u0EB2/gu;

/**
 * A reference as it is compared: as it looks, in NFC (UAX #15), with single blanks. What somebody
 * copies from a page or types from paper is then equal to what the data said.
 */
export function normalReference(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll(IGNORABLE, '')
    .replaceAll(CONTROLS, '')
    .normalize('NFC')
    .replaceAll(SPLIT_SARA_AM, '$1\u0E33')
    .replaceAll(SPLIT_LAO_AM, '$1\u0EB3')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Whether a reference, as `normalReference` returns it, is longer than one may be. */
export function isTooLong(reference: string): boolean {
  // A code point takes one or two units.
  if (reference.length <= REFERENCE_CODE_POINTS_MAX) return false;
  if (reference.length > 2 * REFERENCE_CODE_POINTS_MAX) return true;
  return Array.from(reference).length > REFERENCE_CODE_POINTS_MAX;
}

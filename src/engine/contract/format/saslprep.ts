import bidiModule from 'bidi-js';

// The types declare a module with a default export, but Node imports the function itself.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

/** RFC 3454, table B.1: mapped to nothing. */
const NOTHING =
  /\u00ad|\u034f|\u1806|[\u180b-\u180d]|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]|\ufeff/gu;
/** Table C.1.2: spaces beside that of ASCII. */
const SPACE = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu;
/** Tables C.2 to C.9: controls, private use, non-characters, marks of layout and tags. */
const PROHIBITED = new RegExp(
  [
    '[\\p{Cc}\\p{Co}\\p{Cs}\\p{Noncharacter_Code_Point}',
    '\\u0340\\u0341\\u06dd\\u070f\\u180e\\u200c-\\u200f\\u2028-\\u202e\\u2060-\\u2063\\u206a-\\u206f',
    '\\u2ff0-\\u2ffb\\ufeff\\ufff9-\\ufffd\\u{1d173}-\\u{1d17a}\\u{e0001}\\u{e0020}-\\u{e007f}]',
  ].join(''),
  'u',
);

/**
 * A password as it is encrypted: prepared by SASLprep (RFC 4013; ISO 32000-2, 7.6.4.3.3), so that a
 * reader that prepares what is typed finds the same. Null: it holds what SASLprep prohibits.
 * Characters that Unicode 3.2 did not have are taken as they are, as readers take them.
 */
export function preparePassword(text: string): string | null {
  if (/^[ -~]*$/.test(text)) return text;
  const prepared = text.replaceAll(NOTHING, '').replaceAll(SPACE, ' ').normalize('NFKC');
  return PROHIBITED.test(prepared) || !hasOneDirection(prepared) ? null : prepared;
}

/** RFC 3454, section 6: text with a right-to-left letter begins and ends with one, and has no other. */
function hasOneDirection(text: string): boolean {
  const types = Array.from(text, (character) => bidi.getBidiCharTypeName(character));
  if (!types.some(isRightToLeft)) return true;
  return isRightToLeft(types[0]) && isRightToLeft(types.at(-1)) && !types.includes('L');
}

/** Table D.1: of class R or AL. */
function isRightToLeft(type: string | undefined): boolean {
  return type === 'R' || type === 'AL';
}

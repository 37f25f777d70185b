import type { Face } from './face.ts';

/**
 * A shaped grapheme cluster, ligature, or run of a script whose letters join: the unit that words
 * are composed of. Immutable; a `FontStack` makes each one once. Positions are in design units of
 * the face, y up.
 */
export interface Cluster {
  /** Unique in its font stack; given in ascending order. */
  readonly id: number;
  readonly face: Face;
  readonly text: string;
  /** ISO 15924. */
  readonly script: string;
  readonly glyphs: readonly number[];
  readonly advances: readonly number[];
  readonly xOffsets: readonly number[];
  readonly yOffsets: readonly number[];
  /** For each glyph the UTF-16 index in `text` of the character it came from. */
  readonly sources: readonly number[];
  /** Sum of advances in em. */
  readonly widthEm: number;
}

/**
 * Whether this UTF-16 unit belongs to the cluster before it: a low surrogate, or one of the
 * characters with Extend (UAX #29) that fonts have glyphs for.
 */
export function isMark(code: number): boolean {
  if (code < 0x0300) return false;
  if (code <= 0x036f) return true;
  if (code < 0x0e31) return code >= 0x0483 && code <= 0x0489;
  if (code <= 0x0e7f) return isThaiMark(code);
  if (code <= 0x0eff) return isLaoMark(code);
  return (
    (code >= 0x1ab0 && code <= 0x1aff) || // diacritical marks, extended
    (code >= 0x1dc0 && code <= 0x1dff) || // diacritical marks, supplement
    code === 0x200d || // zero width joiner
    (code >= 0x20d0 && code <= 0x20ff) || // marks for symbols
    (code >= 0x302a && code <= 0x302f) || // ideographic tone marks
    code === 0x3099 || // kana voicing marks
    code === 0x309a ||
    (code >= 0xdc00 && code <= 0xdfff) || // low surrogates
    (code >= 0xfe00 && code <= 0xfe0f) || // variation selectors
    (code >= 0xfe20 && code <= 0xfe2f) // half marks
  );
}

/** Above and below vowels, tone marks, and sara am, which the shaper splits over its base. */
function isThaiMark(code: number): boolean {
  return (
    code === 0x0e31 ||
    code === 0x0e33 ||
    (code >= 0x0e34 && code <= 0x0e3a) ||
    (code >= 0x0e47 && code <= 0x0e4e)
  );
}

function isLaoMark(code: number): boolean {
  return (
    code === 0x0eb1 || (code >= 0x0eb3 && code <= 0x0ebc) || (code >= 0x0ec8 && code <= 0x0ece)
  );
}

/**
 * Blocks with scripts whose letters change with their neighbours, and a few blocks between them. Text
 * in them is shaped run by run, never composed.
 */
export function isJoining(code: number): boolean {
  if (code < 0x0590) return false;
  return (
    code <= 0x0dff || // Hebrew to Sinhala
    (code >= 0x0f00 && code <= 0x11ff) || // Tibetan to Hangul Jamo
    (code >= 0x1700 && code <= 0x18af) || // Tagalog to Mongolian
    (code >= 0x1900 && code <= 0x1aaf) || // Limbu to Tai Tham
    (code >= 0x1b00 && code <= 0x1bff) || // Balinese to Batak
    (code >= 0xa800 && code <= 0xabff) || // Syloti Nagri to Meetei Mayek
    (code >= 0xfb1d && code <= 0xfdff) || // Hebrew and Arabic presentation forms
    (code >= 0xfe70 && code <= 0xfefc) // Arabic presentation forms B
  );
}

/** Right-to-left scripts, without their digits, which run from left to right. */
export function isRightToLeft(code: number): boolean {
  if ((code >= 0x0660 && code <= 0x066c) || (code >= 0x06f0 && code <= 0x06f9)) return false;
  return (
    (code >= 0x0590 && code <= 0x08ff) ||
    (code >= 0xfb1d && code <= 0xfdff) ||
    (code >= 0xfe70 && code <= 0xfefc)
  );
}

const SCRIPT_RANGES: readonly (readonly [number, number, string])[] = [
  [0x0041, 0x024f, 'Latn'],
  [0x0370, 0x03ff, 'Grek'],
  [0x0400, 0x052f, 'Cyrl'],
  [0x0530, 0x058f, 'Armn'],
  [0x0590, 0x05ff, 'Hebr'],
  [0x0600, 0x06ff, 'Arab'],
  [0x0700, 0x074f, 'Syrc'],
  [0x0750, 0x077f, 'Arab'],
  [0x08a0, 0x08ff, 'Arab'],
  [0x0900, 0x097f, 'Deva'],
  [0x0980, 0x09ff, 'Beng'],
  [0x0a00, 0x0a7f, 'Guru'],
  [0x0a80, 0x0aff, 'Gujr'],
  [0x0b00, 0x0b7f, 'Orya'],
  [0x0b80, 0x0bff, 'Taml'],
  [0x0c00, 0x0c7f, 'Telu'],
  [0x0c80, 0x0cff, 'Knda'],
  [0x0d00, 0x0d7f, 'Mlym'],
  [0x0d80, 0x0dff, 'Sinh'],
  [0x0e00, 0x0e7f, 'Thai'],
  [0x0e80, 0x0eff, 'Laoo'],
  [0x0f00, 0x0fff, 'Tibt'],
  [0x1000, 0x109f, 'Mymr'],
  [0x10a0, 0x10ff, 'Geor'],
  [0x1100, 0x11ff, 'Hang'],
  [0x1780, 0x17ff, 'Khmr'],
  [0x1800, 0x18af, 'Mong'],
  [0x1e00, 0x1eff, 'Latn'],
  [0x1f00, 0x1fff, 'Grek'],
  [0x3040, 0x309f, 'Hira'],
  [0x30a0, 0x30ff, 'Kana'],
  [0x3400, 0x9fff, 'Hani'],
  [0xac00, 0xd7af, 'Hang'],
  [0xf900, 0xfaff, 'Hani'],
  [0xfb1d, 0xfb4f, 'Hebr'],
  [0xfb50, 0xfdff, 'Arab'],
  [0xfe70, 0xfefc, 'Arab'],
];

/** Script of characters that every script shares: digits, punctuation, spaces. */
export const COMMON_SCRIPT = 'Zyyy';

/** The script (ISO 15924) of a cluster that starts with this character. */
export function scriptOf(code: number): string {
  // Characters of ASCII and Latin-1 other than letters.
  if (code < 0x41 || (code > 0x5a && code < 0x61) || (code > 0x7a && code < 0xc0)) {
    return COMMON_SCRIPT;
  }
  for (const [first, last, script] of SCRIPT_RANGES) {
    if (code >= first && code <= last) return script;
  }
  return COMMON_SCRIPT;
}

/** A joining run longer than this is shaped in pieces. */
const RUN_LENGTH_MAX = 256;
/**
 * Limit of marks on one base; further marks form a cluster without a base (UAX #15 §13,
 * stream-safe).
 */
const MARKS_MAX = 30;

/** End of the cluster that starts here: a base and its marks, or a run of a joining script. */
export function clusterEnd(text: string, start: number): number {
  let end = start + 1;
  const code = text.charCodeAt(start);
  if (isJoining(code)) {
    const script = scriptOf(code);
    while (end < text.length && end - start < RUN_LENGTH_MAX) {
      const next = text.charCodeAt(end);
      const isNonJoiner = next === 0x200c;
      const stays = isJoining(next) ? scriptOf(next) === script : isMark(next) || isNonJoiner;
      if (!stays) break;
      end++;
    }
    return end;
  }
  const last = Math.min(text.length, end + MARKS_MAX);
  while (end < last && isMark(text.charCodeAt(end))) end++;
  // A cluster never ends between the two surrogates of a character.
  return end === last && isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end;
}

function isLowSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xdc00;
}

/** The upper bits, above the lowest seven, that U+0E00 to U+0E7F have in common. */
const THAI_BLOCK = 0x0e00 >> 7;

/**
 * Key of the cluster `text[start, end)` if it is a Thai letter with one or two marks, otherwise 0.
 * A word that is not cached has several such clusters, and looking them up by number needs neither
 * a string nor its hash.
 */
export function thaiKey(text: string, start: number, end: number): number {
  const length = end - start;
  if (length !== 2 && length !== 3) return 0;
  // The leading 1 makes keys of two and of three characters differ.
  let key = 1;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code >> 7 !== THAI_BLOCK) return 0;
    key = (key << 7) | (code & 0x7f);
  }
  return key;
}

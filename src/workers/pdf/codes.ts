import type { Cluster } from '../font/cluster.ts';
import type { Face } from '../font/face.ts';
import type { FontStack } from '../font/font.ts';
import type { FontUse } from '../template/nodes.ts';

/**
 * Character codes of the fixed subset of one face. Text is shown in a simple TrueType font, one byte
 * a glyph: ASCII keeps its own codes, so that amounts and dates are copied to the page as they are,
 * and the deflated content is half of what two-byte codes give. What does not fit in 255 codes, or
 * was not foreseen, goes to a composite font made per document.
 */
export interface FaceCodes {
  readonly face: Face;
  /** Glyph → code, 0: not in the fixed subset. */
  readonly codeOf: Uint8Array;
  /** Code → glyph. */
  readonly glyphOf: Uint16Array;
  /** Code → the text it stands for (ToUnicode); '' where unused. */
  readonly textOf: readonly string[];
  /** Every printable ASCII character that the face has is in the subset. */
  readonly wholeAscii: boolean;
}

/** Codes for everything that is not ASCII; 0, LF and CR are left out (§7.3.4.2). */
const FREE_CODES: readonly number[] = [
  ...range(0x80, 0xff),
  ...range(0x01, 0x09),
  0x0b,
  0x0c,
  ...range(0x0e, 0x1f),
  0x7f,
];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const ASCII = String.fromCharCode(...range(0x20, 0x7e));
const PUNCTUATION = '\u00a0–—‘’“”•…฿°×±©®™€½';
const LATIN_1 = String.fromCharCode(...range(0xa1, 0xff));
const LIGATURES = ['fi', 'fl', 'ff', 'ffi', 'ffl'];
const THAI_CONSONANTS = String.fromCharCode(...range(0x0e01, 0x0e2e));
const THAI_OTHERS = `${String.fromCharCode(...range(0x0e2f, 0x0e30), 0x0e32)}เแโใไๅๆ๏๐๑๒๓๔๕๖๗๘๙`;
const THAI_VOWELS = 'ัิีึืฺุู็ํ';
const THAI_TONES = '่้๊๋์';
/** A plain consonant, one with an ascender, one with a descender, and the two that lose it. */
const THAI_PROFILES = 'กปฬฎญฐ';

/** Every cluster that free text of ordinary documents is made of. */
function freeTextRepertoire(face: Face): string[] {
  const texts = Array.from(ASCII + PUNCTUATION);
  if (face.has(0x0e01)) {
    texts.push(...Array.from(THAI_OTHERS + THAI_CONSONANTS));
    for (const consonant of THAI_CONSONANTS) {
      for (const mark of `${THAI_VOWELS}${THAI_TONES}ำ`) texts.push(consonant + mark);
    }
    for (const consonant of THAI_PROFILES) {
      for (const tone of THAI_TONES) {
        for (const vowel of THAI_VOWELS) texts.push(consonant + vowel + tone);
        texts.push(`${consonant}${tone}ำ`);
      }
    }
  }
  texts.push(...LIGATURES);
  // Five kilobytes in every Thai document for letters that hardly any of them has: not worth it.
  if (!face.has(0x0e01)) texts.push(...Array.from(LATIN_1));
  return texts;
}

/**
 * Assigns the codes of a face from what the template's stacks draw with it. Pure: the same uses give
 * the same codes.
 */
export function assignCodes(face: Face, uses: readonly FontUse[]): FaceCodes {
  const codeOf = new Uint8Array(face.tables.glyphCount);
  const glyphOf = new Uint16Array(256);
  const textOf: string[] = Array.from({ length: 256 }, () => '');
  const free = [...FREE_CODES].toReversed();
  const { characterMap } = face.tables;

  const place = (glyph: number, text: string): void => {
    if (codeOf[glyph] !== 0) return;
    const ascii = text.length === 1 ? text.charCodeAt(0) : 0;
    const own = ascii >= 0x20 && ascii < 0x7f && characterMap.get(ascii) === glyph;
    const code = own ? ascii : free.pop();
    if (code === undefined) return;
    codeOf[glyph] = code;
    glyphOf[code] = glyph;
    textOf[code] = text;
  };

  const unicode = glyphCharacters(characterMap);
  for (const cluster of clustersOf(face, uses)) {
    if (cluster.face !== face) continue;
    cluster.glyphs.forEach((glyph, index) => {
      place(glyph, unicode.get(glyph) ?? sourceText(cluster, index));
    });
  }
  const wholeAscii = Array.from(ASCII).every((character) => {
    const glyph = characterMap.get(character.charCodeAt(0));
    return glyph === undefined || codeOf[glyph] === character.charCodeAt(0);
  });
  return { face, codeOf, glyphOf, textOf, wholeAscii };
}

/** Free text first: where there is any, templates differ by a few glyphs at most. */
function* clustersOf(face: Face, uses: readonly FontUse[]): Iterable<Cluster> {
  const free = uses.filter((use) => use.freeText);
  if (free.length > 0) {
    for (const text of freeTextRepertoire(face)) {
      for (const use of free) yield* use.stack.clusters(text);
    }
  }
  for (const use of uses) {
    for (const text of use.texts) {
      for (const line of text.split('\n')) yield* use.stack.clusters(line);
    }
  }
}

/** Glyph → its character: the lowest code point that maps to it, but space before no-break space. */
function glyphCharacters(characterMap: ReadonlyMap<number, number>): Map<number, string> {
  const characters = new Map<number, string>();
  for (const code of [...characterMap.keys()].toSorted((a, b) => a - b)) {
    const glyph = characterMap.get(code) ?? 0;
    const privateUse = code >= 0xe000 && code <= 0xf8ff;
    if (glyph !== 0 && !privateUse && !characters.has(glyph)) {
      characters.set(glyph, String.fromCodePoint(code));
    }
  }
  return characters;
}

/** The characters a glyph without a code point stands for: from its source to the next one's. */
export function sourceText(cluster: Cluster, index: number): string {
  const source = cluster.sources[index] ?? 0;
  const sharers = cluster.sources.filter((other) => other === source).length;
  if (sharers > 1) return '';
  const later = cluster.sources.filter((other) => other > source);
  return cluster.text.slice(source, later.length === 0 ? undefined : Math.min(...later));
}

/** The stacks' first faces, each once, in the order of the uses. */
export function firstFaces(uses: readonly FontUse[]): Face[] {
  return [...new Set(uses.map((use) => faceOf(use.stack)))];
}

export function faceOf(stack: FontStack): Face {
  return stack.faces[0];
}

import { LRUCache } from 'lru-cache';
import { entryAt } from '../../errors.ts';
import type { Cluster } from '../font/cluster.ts';
import type { Face } from '../font/face.ts';
import type { FontStack } from '../font/font.ts';
import type { FontUse } from '../model/font-use.ts';

/**
 * Character codes of the fixed subsets of one face. Text is shown in simple TrueType fonts, one
 * byte a glyph: ASCII keeps its own codes, so that amounts and dates are copied to the page as they
 * are, and the deflated content is half of what two-byte codes give.
 *
 * A face has up to three fonts, its pages. The core is in every document. Latin letters (unless the
 * template itself uses some) and rare characters have a page each, made in advance like the core,
 * but embedded only in documents that show one. Characters that were not foreseen go to a composite
 * font made for the document.
 */
export interface FaceCodes {
  readonly face: Face;
  /** Glyph → code in its page, 0: in none. */
  readonly codeOf: Uint8Array;
  /** Glyph → page. */
  readonly pageOf: Uint8Array;
  readonly pages: readonly CodePage[];
  /** Glyphs that the page of letters shows as well, under the same code: 1. */
  readonly withLetters: Uint8Array;
  /** ASCII characters that the core, or the page of letters, shows under their own code: 1. */
  readonly asciiInCore: Uint8Array;
  readonly asciiInLetters: Uint8Array;
}

export interface CodePage {
  /** Code → glyph, 0: unused. */
  readonly glyphOf: Uint16Array;
  /** Code → the text it stands for (ToUnicode); '' where an ActualText span gives it. */
  readonly textOf: readonly string[];
  /** Code → a character of its cluster, for files in which every code must have a text. */
  readonly characterOf: readonly string[];
}

export const CORE = 0;
export const LETTERS = 1;
const RARE = 2;
const PAGE_COUNT = 3;

/** Latin letters and their ligatures. */
const LETTER = /^(?:[A-Za-z]|f[fil]+|[\ufb00-\ufb04])$/;
/** Characters that few bank documents have: old Thai letters, Thai digits, brackets, signs, accents. */
const RARE_TEXT = /^[ฃฅฦๅ๏๐-๛~^|{}[\]`\\<>$_•…×±©®™€½\u00a1-\u00ff]$/;

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
/**
 * Consonants of every shape: plain, with ascender, with descender, and the two that can lose it.
 */
const THAI_PROFILES = 'กปฬฎญฐ';

/** The least move of a glyph that is written: 0.04 pt at 12 pt. */
export const MOVE_EM_MIN = 0.0035;
/** Readers still see a mark as part of its word when it is moved sideways by up to this many em. */
const DISPLACEMENT_EM = 0.03;

/**
 * Whether marks are raised or moved so that readers that extract text by position separate them:
 * sideways by a gap's width, to the right (past the next letter's edge), or apart from a second
 * mark. The only movement that all readers accept is one mark a little to the left.
 */
export function isDisplaced(cluster: Cluster): boolean {
  const em = cluster.face.tables.unitsPerEm;
  return cluster.glyphs.some((_, index) => {
    const x = cluster.xOffsets[index] ?? 0;
    const moved = Math.abs(x) >= MOVE_EM_MIN * em;
    return (
      cluster.yOffsets[index] !== 0 ||
      Math.abs(x) > DISPLACEMENT_EM * em ||
      (moved && (x > 0 || cluster.glyphs.length > 2))
    );
  });
}

/** The clusters of which free text in ordinary documents consists. */
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
  // Latin-1 letters would cost every Thai document five kilobytes, and hardly any has one.
  if (!face.has(0x0e01)) texts.push(...Array.from(LATIN_1));
  return texts;
}

/** A glyph with the text it stands for, '' where several come from one character. */
interface DrawnGlyph {
  readonly glyph: number;
  readonly text: string;
  /** The character of the cluster that it comes from. */
  readonly character: string;
}

/** Assignments of a face that are kept. */
const ASSIGNED_MAX = 8;

/**
 * The last assignments of each face by what decides them: while an author types, most drafts draw
 * the glyphs of the draft before.
 */
const assigned = new WeakMap<Face, LRUCache<string, FaceCodes>>();

/**
 * Assigns the codes of a face from what the template's stacks draw with it. The same uses give the
 * same codes.
 */
export function assignCodes(face: Face, uses: readonly FontUse[]): FaceCodes {
  const free = freeGlyphs(face, uses);
  const own = ownGlyphsOf(face, uses, free);
  const known = assigned.get(face) ?? new LRUCache({ max: ASSIGNED_MAX });
  assigned.set(face, known);
  const key = keyOf(free, own);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const made = assign(face, free.glyphs, own);
  known.set(key, made);
  return made;
}

/** Glyphs of clusters that templates drew: the next draft draws nearly all of them again. */
const drawnBy = new WeakMap<Cluster, readonly DrawnGlyph[]>();

/** The glyphs of the template; with those of free text, they determine the assignment of codes. */
interface OwnGlyphs {
  readonly glyphs: ReadonlySet<number>;
  /** Those that free text does not draw, in the order of the template. */
  readonly others: readonly DrawnGlyph[];
  readonly hasLetters: boolean;
}

/** The glyphs that the template itself draws with the face. */
function ownGlyphsOf(face: Face, uses: readonly FontUse[], free: FreeGlyphs): OwnGlyphs {
  const glyphs = new Set<number>();
  const others = new Map<number, DrawnGlyph>();
  let hasLetters = false;
  for (const { stack, texts } of uses) {
    for (const text of texts) {
      const own = glyphsOfText(face, stack, text);
      hasLetters ||= own.hasLetters;
      for (const drawn of own.drawn) {
        glyphs.add(drawn.glyph);
        if (!free.drawn.has(drawn.glyph) && !others.has(drawn.glyph)) {
          others.set(drawn.glyph, drawn);
        }
      }
    }
  }
  return { glyphs, others: [...others.values()], hasLetters };
}

/** The glyphs that a static text draws with one face. */
interface TextGlyphs {
  /** Each glyph once, in the order of the text. */
  readonly drawn: readonly DrawnGlyph[];
  readonly hasLetters: boolean;
}

/** Texts of a stack that are kept. */
const TEXTS_MAX = 500;
/** Longer texts are not kept. */
const KEPT_LENGTH_MAX = 500;

/** Glyphs of the texts that templates drew, by stack and text, each with the stack's first face. */
const textGlyphs = new WeakMap<FontStack, LRUCache<string, TextGlyphs>>();

/** Collects the glyphs of a text, or returns those kept. `face` is the first of the stack. */
function glyphsOfText(face: Face, stack: FontStack, text: string): TextGlyphs {
  const kept = textGlyphs.get(stack) ?? new LRUCache({ max: TEXTS_MAX });
  textGlyphs.set(stack, kept);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const drawn = new Map<number, DrawnGlyph>();
  let hasLetters = false;
  for (const line of text.split('\n')) {
    for (const cluster of stack.clusters(line)) {
      if (cluster.face !== face) continue;
      const glyphs = drawnBy.get(cluster) ?? glyphsOf(cluster);
      drawnBy.set(cluster, glyphs);
      for (const one of glyphs) {
        hasLetters ||= LETTER.test(one.text);
        if (!drawn.has(one.glyph)) drawn.set(one.glyph, one);
      }
    }
  }
  const made = { drawn: [...drawn.values()], hasLetters };
  if (text.length <= KEPT_LENGTH_MAX) kept.set(text, made);
  return made;
}

function keyOf({ id }: FreeGlyphs, { glyphs, others, hasLetters }: OwnGlyphs): string {
  const numbers = [...glyphs].toSorted((one, other) => one - other);
  const texts = others.map(({ glyph, text, character }) => [glyph, text, character]);
  return JSON.stringify([id, numbers, texts, hasLetters]);
}

function assign(
  face: Face,
  free: readonly DrawnGlyph[],
  { glyphs: own, others, hasLetters: ownLetters }: OwnGlyphs,
): FaceCodes {
  const { characterMap } = face.tables;
  const codeOf = new Uint8Array(face.tables.glyphCount);
  const pageOf = new Uint8Array(face.tables.glyphCount);
  const pages = Array.from({ length: PAGE_COUNT }, () => new PageBuilder(characterMap));
  // Free text first: where there is any, templates differ by a few glyphs at most.
  for (const glyphs of [free, others]) {
    for (const { glyph, text, character } of glyphs) {
      if (codeOf[glyph] !== 0) continue;
      const page = own.has(glyph) ? CORE : pageFor(text, ownLetters);
      codeOf[glyph] = pages[page]?.place(glyph, text, character) ?? 0;
      pageOf[glyph] = page;
    }
  }
  const asciiInCore = new Uint8Array(128);
  const asciiInLetters = new Uint8Array(128);
  const withLetters = new Uint8Array(codeOf.length);
  const hasLetters = pages[LETTERS]?.isUsed ?? false;
  for (const character of ASCII) {
    const code = character.charCodeAt(0);
    const glyph = characterMap.get(code) ?? 0;
    if (codeOf[glyph] !== code) continue;
    if (pageOf[glyph] === LETTERS) asciiInLetters[code] = 1;
    if (pageOf[glyph] !== CORE) continue;
    asciiInCore[code] = 1;
    // Digits among letters ("AB12C3") would otherwise change the font back and forth.
    if (!hasLetters || pages[LETTERS]?.place(glyph, character, character) !== code) continue;
    withLetters[glyph] = 1;
    asciiInLetters[code] = 1;
  }
  return { face, codeOf, pageOf, pages, withLetters, asciiInCore, asciiInLetters };
}

function pageFor(text: string, ownLetters: boolean): number {
  if (LETTER.test(text)) return ownLetters ? CORE : LETTERS;
  return RARE_TEXT.test(text) ? RARE : CORE;
}

/** One for each code. */
const NO_TEXTS: readonly string[] = Array.from({ length: 256 }, () => '');

class PageBuilder implements CodePage {
  readonly glyphOf = new Uint16Array(256);
  readonly textOf: string[] = NO_TEXTS.slice();
  readonly characterOf: string[] = NO_TEXTS.slice();
  readonly #free = FREE_CODES.toReversed();
  readonly #characterMap: ReadonlyMap<number, number>;

  constructor(characterMap: ReadonlyMap<number, number>) {
    this.#characterMap = characterMap;
  }

  get isUsed(): boolean {
    return this.glyphOf.some((glyph) => glyph !== 0);
  }

  /** Gives the glyph a code, its own where it draws one ASCII character; 0: the page is full. */
  place(glyph: number, text: string, character: string): number {
    const ascii = text.length === 1 ? text.charCodeAt(0) : 0;
    const keeps = ascii >= 0x20 && ascii < 0x7f && this.#characterMap.get(ascii) === glyph;
    const code = keeps ? ascii : (this.#free.pop() ?? 0);
    if (code === 0) return 0;
    this.glyphOf[code] = glyph;
    this.textOf[code] = text;
    this.characterOf[code] = character;
    return code;
  }
}

interface FreeGlyphs {
  /** Different for every list. */
  readonly id: number;
  readonly stacks: readonly FontStack[];
  readonly glyphs: readonly DrawnGlyph[];
  /** The numbers of `glyphs`. */
  readonly drawn: ReadonlySet<number>;
}

const NO_FREE_GLYPHS: FreeGlyphs = { id: 0, stacks: [], glyphs: [], drawn: new Set() };

/** The last result for each face: templates of a process mostly have the same stacks. */
const freeGlyphsOf = new WeakMap<Face, FreeGlyphs>();
let freeGlyphsCount = 0;

/** Shapes what free text may draw in this stack, for which the first template would wait. */
export function prepareFreeText(stack: FontStack): void {
  freeGlyphs(faceOf(stack), [{ stack, texts: [], freeText: true }]);
}

/** The glyphs that free text may draw in the face. */
function freeGlyphs(face: Face, uses: readonly FontUse[]): FreeGlyphs {
  const stacks = uses.filter((use) => use.freeText).map((use) => use.stack);
  if (stacks.length === 0) return NO_FREE_GLYPHS;
  const known = freeGlyphsOf.get(face);
  const isSame = known?.stacks.length === stacks.length;
  if (isSame && stacks.every((stack, index) => stack === known.stacks[index])) return known;
  // Another text for the same glyph may fit on another page, so both are kept.
  const byText = new Map<string, DrawnGlyph>();
  for (const text of freeTextRepertoire(face)) {
    for (const stack of stacks) {
      for (const cluster of stack.clusters(text)) {
        if (cluster.face !== face) continue;
        for (const drawn of glyphsOf(cluster)) {
          const key = `${drawn.glyph} ${drawn.text}`;
          if (!byText.has(key)) byText.set(key, drawn);
        }
      }
    }
  }
  const glyphs = [...byText.values()];
  const made = {
    id: ++freeGlyphsCount,
    stacks,
    glyphs,
    drawn: new Set(glyphs.map(({ glyph }) => glyph)),
  };
  freeGlyphsOf.set(face, made);
  return made;
}

/** The glyphs of a cluster, each with the character that the font maps to it, if there is one. */
function glyphsOf(cluster: Cluster): readonly DrawnGlyph[] {
  const unicode = glyphCharacters(cluster.face);
  const sources = sourceTexts(cluster);
  return cluster.glyphs.map((glyph, index) => ({
    glyph,
    text: unicode.get(glyph) ?? entryAt(sources, index),
    character: sourceCharacter(cluster, index),
  }));
}

const charactersOf = new WeakMap<Face, ReadonlyMap<number, string>>();

/** Glyph → its character: the lowest code point that maps to it, but space before no-break space. */
function glyphCharacters(face: Face): ReadonlyMap<number, string> {
  const known = charactersOf.get(face);
  if (known !== undefined) return known;
  const { characterMap } = face.tables;
  const characters = new Map<number, string>();
  for (const code of [...characterMap.keys()].toSorted((a, b) => a - b)) {
    const glyph = characterMap.get(code) ?? 0;
    const privateUse = code >= 0xe000 && code <= 0xf8ff;
    if (glyph !== 0 && !privateUse && !characters.has(glyph)) {
      characters.set(glyph, String.fromCodePoint(code));
    }
  }
  charactersOf.set(face, characters);
  return characters;
}

/**
 * For each glyph the characters that it stands for: from its source to the next larger one; '' where
 * several glyphs come from one character.
 */
export function sourceTexts({ text, sources }: Cluster): readonly string[] {
  if (sources.length === 1) return [text.slice(sources[0])];
  const counts = new Map<number, number>();
  for (const source of sources) counts.set(source, (counts.get(source) ?? 0) + 1);
  const starts = [...counts.keys()].toSorted((one, other) => one - other);
  const texts = new Map<number, string>();
  starts.forEach((start, index) => {
    texts.set(start, counts.get(start) === 1 ? text.slice(start, starts[index + 1]) : '');
  });
  return sources.map((source) => texts.get(source) ?? '');
}

/** The character that a glyph of a cluster comes from. */
export function sourceCharacter({ text, sources }: Cluster, index: number): string {
  return Array.from(text.slice(sources[index]))[0] ?? '';
}

/** The stacks' first faces, each once, in the order of the uses. */
export function firstFaces(uses: readonly FontUse[]): Face[] {
  return [...new Set(uses.map((use) => faceOf(use.stack)))];
}

export function faceOf(stack: FontStack): Face {
  return stack.faces[0];
}

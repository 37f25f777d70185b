import type { Cluster } from './cluster.ts';
import {
  clusterEnd,
  COMMON_SCRIPT,
  isJoining,
  isRightToLeft,
  scriptOf,
  thaiKey,
} from './cluster.ts';
import type { Face, FontFeatures, ShapedGlyphs } from './face.ts';
import type { FontStack, Shape } from './font.ts';
import { isInvisible, isInvisibleText, isSeparator, isSpace } from './invisible.ts';
import { WordCache } from './word-cache.ts';

/**
 * Shaping by composition. HarfBuzz shapes every cluster once, and every pair of neighbouring
 * clusters once; a word is then composed of clusters in a few nanoseconds per character. If a pair
 * moves its left cluster (kerning), a variant of that cluster is made; if it changes glyphs (a
 * ligature), the two are merged into one cluster. stack.test.ts shows that the result equals
 * HarfBuzz's for whole strings.
 *
 *     "Tools"   clusters                T  o o l s
 *               (T, o): advance − 43    T′          a variant of T
 *               (o, o) (o, l) (l, s)                nothing changes
 *               word                    T′ o o l s
 */

/** Pairs of clusters with ids below this are looked up in a flat table. */
const DENSE_IDS = 512;
/** Entries of that table: nothing known, the left cluster itself, both merge; else a variant's id. */
const UNKNOWN = 0;
const UNCHANGED = 1;
const MERGED = -1;
/** The variant's id is too large for the table: `#shortPairs` has it. */
const ELSEWHERE = -2;
const TABLE_ID_MAX = 2 ** 15 - 1;
/**
 * Pairs of other clusters with ids below this have two bits each in a table of 1 MB, whose pages are
 * the system's until something is written to them: the letters of Thai with all their vowels and
 * tones make half a million pairs, more than a map can keep near the processor.
 */
const BIT_IDS = 2_048;
/** Entries of that table, 0: unknown. Of a pair that makes a variant `#shortPairs` has it. */
const BITS_UNCHANGED = 1;
const BITS_MERGED = 2;
const BITS_VARIANT = 3;
/** Codes below this are looked up in flat tables. */
const DENSE_CODES = 0x1000;
/** Limits of interned clusters and learned pairs, at which their maps are cleared. */
const CLUSTERS_MAX = 30_000;
const PAIRS_MAX = 200_000;
/** Clusters that together are longer than this are never merged: each merge shapes both again. */
const MERGED_LENGTH_MAX = 64;
/** Pairs of ids below this have a key of 30 bits, which V8 looks up without allocating a number. */
const SHORT_ID_BITS = 15;
const SHORT_IDS = 2 ** SHORT_ID_BITS;
/** Limit of ids in other keys: id · KEYED_ID_MAX + id must be a safe integer. */
const KEYED_ID_MAX = 2 ** 26;

/** Scratch lists: clusters of the current text before and after joining, copied to exact length. */
const originals: Cluster[] = [];
const composed: Cluster[] = [];
/** After a longer text the scratch lists release their memory. */
const SCRATCH_MAX = 4_096;

export interface StackParts {
  readonly key: string;
  readonly family: string;
  readonly bold: boolean;
  readonly italics: boolean;
  /** The fallback chain: each face draws what those before it lack. */
  readonly faces: readonly [Face, ...Face[]];
  readonly features: FontFeatures | null;
  /** BCP 47; null unless one of the faces shapes that language specially. */
  readonly language: string | null;
}

class ComposedShape implements Shape {
  readonly id: number;
  readonly text: string;
  readonly widthEm: number;
  readonly clusterCount: number;
  readonly clusters: readonly Cluster[] | null;

  constructor(
    id: number,
    text: string,
    widthEm: number,
    clusterCount: number,
    clusters: readonly Cluster[] | null,
  ) {
    this.id = id;
    this.text = text;
    this.widthEm = widthEm;
    this.clusterCount = clusterCount;
    this.clusters = clusters;
  }
}

/** A stack that composes words of clusters; see the head of this file. */
export class ComposingStack implements FontStack {
  readonly key: string;
  readonly family: string;
  readonly bold: boolean;
  readonly italics: boolean;
  readonly faces: readonly [Face, ...Face[]];
  readonly ascentEm: number;
  readonly descentEm: number;
  readonly underlinePositionEm: number;
  readonly underlineThicknessEm: number;
  readonly xHeightEm: number;
  readonly capHeightEm: number;
  readonly isFeatured: boolean;
  readonly #features: FontFeatures | null;
  readonly #language: string | null;

  /** 1 for each code of a character that a face draws or that is invisible. */
  readonly #drawn = new Uint8Array(DENSE_CODES);
  #nextId = 1;
  #shapeCount = 0;
  readonly #byText = new Map<string, Cluster>();
  /** The clusters of `#byText` that are a Thai letter with one or two marks, by `thaiKey`. */
  readonly #thai = new Map<number, Cluster>();
  /** Cluster of a character that stands alone, by code. */
  readonly #single: (Cluster | undefined)[] = Array.from({ length: DENSE_CODES });
  /** Cluster id of each ASCII character that may be part of a plain shape, or 0. */
  readonly #plainId = new Uint16Array(128);
  readonly #plainWidth = new Float64Array(128);
  /** By id of the left cluster · DENSE_IDS + id of the right one. */
  readonly #pairs = new Int16Array(DENSE_IDS * DENSE_IDS);
  /** The variants that this table refers to, by id. */
  readonly #variants: (Cluster | undefined)[] = [];
  /** By id of the left cluster · BIT_IDS + id of the right one, four entries a byte. */
  #bits: Uint8Array | null = null;
  /** Results of `#join` for other pairs: those with both ids below SHORT_IDS, and the rest. */
  readonly #shortPairs = new Map<number, Cluster | null>();
  readonly #sparsePairs = new Map<number, Cluster | null>();
  readonly #words = new WordCache();

  constructor(parts: StackParts) {
    this.key = parts.key;
    this.family = parts.family;
    this.bold = parts.bold;
    this.italics = parts.italics;
    this.faces = parts.faces;
    this.isFeatured = parts.features !== null;
    this.#features = parts.features;
    this.#language = parts.language;
    const tables = parts.faces[0].tables;
    const em = tables.unitsPerEm;
    this.ascentEm = tables.ascent / em;
    this.descentEm = tables.descent / em;
    this.underlinePositionEm = tables.underlinePosition / em;
    this.underlineThicknessEm = tables.underlineThickness / em;
    this.xHeightEm = tables.xHeight / em;
    this.capHeightEm = tables.capHeight / em;
    // ASCII comes first, so that plain shapes never depend on the texts that were shaped before.
    for (let code = 0x20; code < 0x7f; code++) this.#clusterOf(String.fromCharCode(code), 0, 1);
  }

  shape(text: string): Shape {
    const widthEm = this.#plainWidthEm(text, false);
    return widthEm < 0 ? this.#word(text) : new ComposedShape(0, text, widthEm, text.length, null);
  }

  shapeOnce(text: string): Shape {
    const widthEm = this.#plainWidthEm(text, false);
    if (widthEm >= 0) return new ComposedShape(0, text, widthEm, text.length, null);
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    return this.#words.wasSeen(text) ? this.#word(text) : this.#compose(text, 0);
  }

  plainWordWidthEm(text: string): number {
    return this.#plainWidthEm(text, true);
  }

  /** Width of a text whose shape is plain, else -1; also -1 for spaces when `isWord`. */
  #plainWidthEm(text: string, isWord: boolean): number {
    const plainId = this.#plainId;
    const plainWidth = this.#plainWidth;
    const pairs = this.#pairs;
    let previous = 0;
    let width = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127 || (isWord && code === 0x20)) return -1;
      const id = plainId[code] ?? 0;
      if (id === 0 || (previous !== 0 && pairs[previous * DENSE_IDS + id] !== UNCHANGED)) return -1;
      width += plainWidth[code] ?? 0;
      previous = id;
    }
    return width;
  }

  missingCharacter(text: string): string | null {
    if (this.#drawsAll(text)) return null;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      if (isInvisible(code)) continue;
      if (!this.#hasGlyph(code)) return character;
    }
    return null;
  }

  /** A quick check that all characters can be drawn; false when the slow one has to decide. */
  #drawsAll(text: string): boolean {
    const drawn = this.#drawn;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= drawn.length) return false;
      if (drawn[code] === 1) continue;
      if (!isInvisible(code) && !this.#hasGlyph(code)) return false;
      drawn[code] = 1;
    }
    return true;
  }

  #hasGlyph(code: number): boolean {
    if (isSpace(code) && this.faces[0].has(0x20)) return true;
    return this.faces.some((face) => face.has(code));
  }

  /** The shape of a text that is not plain, from the cache if possible. */
  #word(text: string): Shape {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const shape = this.#compose(text, ++this.#shapeCount);
    this.#words.set(shape);
    return shape;
  }

  /** Clusters from left to right, each joined to the one before it. */
  clusters(text: string): Cluster[] {
    let count = 0;
    for (let start = 0; start < text.length;) {
      const end = clusterEnd(text, start);
      count = this.#append(this.#clusterOf(text, start, end), count);
      start = end;
    }
    const clusters = composed.slice(0, count);
    if (count > SCRATCH_MAX) {
      originals.length = 0;
      composed.length = 0;
    }
    return clusters;
  }

  /**
   * Appends a cluster to the first `count` of the scratch lists, merged with as many of the last
   * ones as it merges with. Returns the new count.
   */
  #append(cluster: Cluster, count: number): number {
    let next = cluster;
    let before = count;
    while (before > 0) {
      const last = originals[before - 1] as Cluster;
      const joined = this.#join(last, next);
      if (joined !== null) {
        composed[before - 1] = joined;
        break;
      }
      before--;
      next = this.#intern(last.text + next.text, scriptOfPair(last, next));
    }
    originals[before] = next;
    composed[before] = next;
    return before + 1;
  }

  #compose(text: string, id: number): Shape {
    const clusters = this.clusters(text);
    let width = 0;
    for (const cluster of clusters) width += cluster.widthEm;
    const plain = clusters.every((cluster) => this.#isPlain(cluster));
    return new ComposedShape(id, text, width, clusters.length, plain ? null : clusters);
  }

  #isPlain(cluster: Cluster): boolean {
    const code = cluster.text.charCodeAt(0);
    return code < 128 && this.#plainId[code] === cluster.id;
  }

  /** The cluster of `text[start, end)`. */
  #clusterOf(text: string, start: number, end: number): Cluster {
    const code = text.charCodeAt(start);
    if (end - start === 1 && code < DENSE_CODES) {
      const known = this.#single[code];
      if (known !== undefined) return known;
      const cluster = this.#intern(text.slice(start, end), scriptOf(code));
      this.#single[code] = cluster;
      if (code < 128 && this.#mayBePlain(cluster, code)) {
        this.#plainId[code] = cluster.id;
        this.#plainWidth[code] = cluster.widthEm;
      }
      return cluster;
    }
    const key = thaiKey(text, start, end);
    if (key === 0) return this.#intern(text.slice(start, end), scriptOf(code));
    const known = this.#thai.get(key);
    if (known !== undefined) return known;
    const cluster = this.#intern(text.slice(start, end), scriptOf(code));
    this.#thai.set(key, cluster);
    return cluster;
  }

  /**
   * Whether a cluster fits a plain shape: one unmoved glyph, as in the first face's character map.
   */
  #mayBePlain(cluster: Cluster, code: number): boolean {
    return (
      cluster.id < DENSE_IDS &&
      cluster.face === this.faces[0] &&
      cluster.glyphs.length === 1 &&
      cluster.glyphs[0] === cluster.face.tables.characterMap.get(code) &&
      cluster.advances[0] === cluster.face.tables.advances[cluster.glyphs[0] ?? 0] &&
      cluster.xOffsets[0] === 0 &&
      cluster.yOffsets[0] === 0
    );
  }

  /** The cluster of a whole text, shaped when it is new to the stack. */
  #intern(text: string, script: string): Cluster {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const face = this.#faceFor(text);
    const rightToLeft = isRightToLeft(text.charCodeAt(0));
    const shaped = this.#shapeBy(face, text, script, rightToLeft);
    const cluster = this.#makeCluster(face, text, script, shaped);
    if (this.#byText.size >= CLUSTERS_MAX) {
      this.#byText.clear();
      this.#thai.clear();
    }
    this.#byText.set(text, cluster);
    return cluster;
  }

  #makeCluster(face: Face, text: string, script: string, shaped: ShapedGlyphs): Cluster {
    let units = 0;
    for (const advance of shaped.advances) units += advance;
    return {
      id: this.#nextId++,
      face,
      text,
      script,
      glyphs: shaped.glyphs,
      advances: shaped.advances,
      xOffsets: shaped.xOffsets,
      yOffsets: shaped.yOffsets,
      sources: shaped.sources,
      widthEm: units / face.tables.unitsPerEm,
    };
  }

  #shapeBy(face: Face, text: string, script: string, rightToLeft: boolean): ShapedGlyphs {
    if (isInvisibleText(text)) {
      return { glyphs: [], advances: [], xOffsets: [], yOffsets: [], sources: [] };
    }
    const shapedAs = script === COMMON_SCRIPT ? 'Latn' : script;
    return face.shape(text, shapedAs, rightToLeft, this.#features, this.#language);
  }

  /** The first face that draws every character; else the first that draws the base. */
  #faceFor(text: string): Face {
    const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const drawn = codes.filter((code) => !isInvisible(code));
    return (
      this.faces.find((face) => drawn.every((code) => face.has(code))) ??
      this.faces.find((face) => drawn[0] !== undefined && face.has(drawn[0])) ??
      this.faces[0]
    );
  }

  /** `left` as it is set before `right`: itself or a variant; null when the two merge. */
  #join(left: Cluster, right: Cluster): Cluster | null {
    if (left.id < DENSE_IDS && right.id < DENSE_IDS) return this.#joinDense(left, right);
    if (left.id < BIT_IDS && right.id < BIT_IDS) return this.#joinBits(left, right);
    if (left.id < SHORT_IDS && right.id < SHORT_IDS) return this.#joinShort(left, right);
    if (left.id >= KEYED_ID_MAX || right.id >= KEYED_ID_MAX) return this.#shapePair(left, right);
    const key = left.id * KEYED_ID_MAX + right.id;
    const known = this.#sparsePairs.get(key);
    if (known !== undefined) return known;
    const joined = this.#shapePair(left, right);
    if (this.#sparsePairs.size >= PAIRS_MAX) this.#sparsePairs.clear();
    this.#sparsePairs.set(key, joined);
    return joined;
  }

  #joinBits(left: Cluster, right: Cluster): Cluster | null {
    const at = (left.id * BIT_IDS + right.id) >> 2;
    const shift = (right.id & 3) << 1;
    const bits = (this.#bits ??= new Uint8Array((BIT_IDS * BIT_IDS) / 4));
    const known = (bits[at]! >> shift) & 3;
    if (known === BITS_UNCHANGED) return left;
    if (known === BITS_MERGED) return null;
    if (known === BITS_VARIANT) return this.#joinShort(left, right);
    const joined = this.#shapePair(left, right);
    if (joined === null) {
      bits[at]! |= BITS_MERGED << shift;
    } else if (joined === left) {
      bits[at]! |= BITS_UNCHANGED << shift;
    } else {
      bits[at]! |= BITS_VARIANT << shift;
      this.#keepShort((left.id << SHORT_ID_BITS) | right.id, joined);
    }
    return joined;
  }

  #joinShort(left: Cluster, right: Cluster): Cluster | null {
    const key = (left.id << SHORT_ID_BITS) | right.id;
    const known = this.#shortPairs.get(key);
    if (known !== undefined) return known;
    const joined = this.#shapePair(left, right);
    this.#keepShort(key, joined);
    return joined;
  }

  #keepShort(key: number, joined: Cluster | null): void {
    if (this.#shortPairs.size >= PAIRS_MAX) this.#shortPairs.clear();
    this.#shortPairs.set(key, joined);
  }

  #joinDense(left: Cluster, right: Cluster): Cluster | null {
    const at = left.id * DENSE_IDS + right.id;
    const known = this.#pairs[at]!;
    if (known === UNCHANGED) return left;
    if (known === MERGED) return null;
    if (known === ELSEWHERE) return this.#joinShort(left, right);
    if (known !== UNKNOWN) return this.#variants[known] ?? left;
    const joined = this.#shapePair(left, right);
    if (joined === null) {
      this.#pairs[at] = MERGED;
    } else if (joined === left) {
      this.#pairs[at] = UNCHANGED;
    } else if (joined.id > TABLE_ID_MAX) {
      this.#keepShort((left.id << SHORT_ID_BITS) | right.id, joined);
      this.#pairs[at] = ELSEWHERE;
    } else {
      this.#variants[joined.id] = joined;
      this.#pairs[at] = joined.id;
    }
    return joined;
  }

  /** Lets HarfBuzz shape a pair, to learn what `#join` returns for it. */
  #shapePair(left: Cluster, right: Cluster): Cluster | null {
    if (left.face !== right.face || !sameScript(left, right)) return left;
    if (left.text.length + right.text.length > MERGED_LENGTH_MAX) return left;
    if (isJoining(left.text.charCodeAt(0)) || isJoining(right.text.charCodeAt(0))) return left;
    // HarfBuzz draws a box for these in a pair, because they are not default-ignorable.
    if (isSeparator(left.text) || isSeparator(right.text)) return left;
    const script = scriptOfPair(left, right);
    const pair = this.#shapeBy(left.face, left.text + right.text, script, false);
    const cut = left.glyphs.length;
    const keepsGlyphs =
      pair.glyphs.length === cut + right.glyphs.length &&
      containsAt(pair.glyphs, left.glyphs, 0) &&
      containsAt(pair.glyphs, right.glyphs, cut);
    if (!keepsGlyphs || !positionsMatch(pair, right, cut)) return null;
    if (positionsMatch(pair, left, 0)) return left;
    return this.#makeCluster(left.face, left.text, left.script, {
      glyphs: pair.glyphs.slice(0, cut),
      advances: pair.advances.slice(0, cut),
      xOffsets: pair.xOffsets.slice(0, cut),
      yOffsets: pair.yOffsets.slice(0, cut),
      sources: pair.sources.slice(0, cut),
    });
  }
}

/** Whether `whole` contains `part` at index `from`. */
function containsAt(whole: readonly number[], part: readonly number[], from: number): boolean {
  return part.every((value, index) => whole[from + index] === value);
}

/** Whether the glyphs of a pair from index `from` on stand as those of one of its clusters do. */
function positionsMatch(pair: ShapedGlyphs, cluster: Cluster, from: number): boolean {
  return (
    containsAt(pair.advances, cluster.advances, from) &&
    containsAt(pair.xOffsets, cluster.xOffsets, from) &&
    containsAt(pair.yOffsets, cluster.yOffsets, from)
  );
}

function sameScript(left: Cluster, right: Cluster): boolean {
  return (
    left.script === right.script || left.script === COMMON_SCRIPT || right.script === COMMON_SCRIPT
  );
}

function scriptOfPair(left: Cluster, right: Cluster): string {
  return left.script === COMMON_SCRIPT ? right.script : left.script;
}

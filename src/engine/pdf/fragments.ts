import { type Cluster, isRightToLeft } from '../font/cluster.ts';
import type { Face } from '../font/face.ts';
import type { Shape } from '../font/font.ts';
import { CORE, isDisplaced, MOVE_EM_MIN, sourceTexts } from './codes.ts';
import { ByteSink } from './sink.ts';
import { utf16Hex } from './syntax.ts';
import type { FaceCodes } from './codes.ts';

/**
 * Clusters as PDF text operators, made once and copied from then on. A fragment is what stands
 * between `[(` and `)]TJ` (ISO 32000-2 §9.4.3), so that a word is its fragments one after another:
 *
 *     [(ก)-12(ข)]TJ
 *       └─────┘ fragment of ก before ข: its code, and the kerning
 *
 * A mark that the font raises closes the string, sets the text rise and opens it again. A cluster
 * whose codes do not give its text back (sara am), or whose marks are moved so far that a reader
 * would take them for a separate word, is wrapped in an ActualText span (§14.9.4). Readers that know
 * such spans measure one by its last glyph, so character spacing moves the pen from that glyph to
 * the cluster's end. A space glyph would do the same, but readers that do not know spans would copy
 * it.
 */
export interface Fragment {
  readonly cluster: Cluster;
  /** The size it was made for, or 0 when it fits every size. */
  readonly sizePt: number;
  readonly bytes: Uint8Array;
  /**
   * `bytes` without the span around them, for texts that stand in a span as a whole. A right-to-left
   * run keeps the spans of its letters.
   */
  readonly bare: Uint8Array;
  /** The page of the face's codes that it is in; `EXTRA`: a composite font of the document. */
  readonly page: number;
  /** True if the page of letters has all its glyphs under the same codes. */
  readonly isAlsoInLetters: boolean;
}

/** Page of a fragment whose glyphs the fixed fonts lack. */
export const EXTRA = 255;

/** Names of the composite fonts that hold what the fixed subset lacks: `X` and the face's index. */
export function extraFontName(face: Face): string {
  return `X${face.index}`;
}

const MARK = /^\p{M}/u;

/**
 * Text in the order of extraction: readers go from left to right, then reverse right-to-left
 * letters.
 */
function readText({ text }: Cluster): string {
  if (text.length === 1 || !isRightToLeft(text.charCodeAt(0))) return text;
  return Array.from(text).toReversed().join('');
}

/**
 * The parts of a cluster that each have a text for readers. A right-to-left run is one cluster with
 * its glyphs from left to right; readers reverse its letters, so each letter with its marks is a
 * part.
 */
function extractionParts(cluster: Cluster): readonly Cluster[] {
  const { text, sources } = cluster;
  if (text.length === 1 || !isRightToLeft(text.charCodeAt(0))) return [cluster];
  const starts = [...new Set(sources)]
    .filter((source) => source === 0 || !MARK.test(text.slice(source)))
    .toSorted((one, other) => one - other);
  // For each index in the text, the start that it belongs to.
  const startOf = new Uint16Array(text.length);
  starts.forEach((start, index) => startOf.fill(index, start, starts[index + 1]));
  const parts: Cluster[] = [];
  for (let from = 0; from < sources.length;) {
    const index = startOf[sources[from] ?? 0] ?? 0;
    let to = from + 1;
    while (to < sources.length && startOf[sources[to] ?? 0] === index) to++;
    const start = starts[index] ?? 0;
    const end = starts[index + 1] ?? text.length;
    parts.push({
      ...cluster,
      text: text.slice(start, end),
      glyphs: cluster.glyphs.slice(from, to),
      advances: cluster.advances.slice(from, to),
      xOffsets: cluster.xOffsets.slice(from, to),
      yOffsets: cluster.yOffsets.slice(from, to),
      sources: sources.slice(from, to).map((source) => source - start),
    });
    from = to;
  }
  return parts;
}

/** Slots of each cache; a cluster's id decides its slot, a newcomer takes the slot over. */
const SLOTS = 8_192;
/** Slots between a cluster's fragments in sizes 1 pt apart; odd, so that whole sizes share none. */
const SLOTS_PER_PT = 331;

/** Fragments of one stack under one assignment of codes. Bounded: two direct-mapped caches. */
export class FragmentCache {
  readonly #codes: FaceCodes;
  /** Fragments that fit every size, nearly all: by the cluster alone, so that few share a slot. */
  readonly #fitting: (Fragment | undefined)[] = Array.from({ length: SLOTS });
  /** Fragments for one size; the size counts, too, so that each has its own slot. */
  readonly #sized: (Fragment | undefined)[] = [];

  constructor(codes: FaceCodes) {
    this.#codes = codes;
  }

  of(cluster: Cluster, sizePt: number): Fragment {
    const known = this.#fitting[cluster.id & (SLOTS - 1)];
    return known !== undefined && known.cluster === cluster ? known : this.#other(cluster, sizePt);
  }

  #other(cluster: Cluster, sizePt: number): Fragment {
    const slot = (cluster.id + Math.round(sizePt * SLOTS_PER_PT)) & (SLOTS - 1);
    const known = this.#sized[slot];
    if (known !== undefined && known.cluster === cluster && known.sizePt === sizePt) return known;
    const made = this.#make(cluster, sizePt);
    if (made.sizePt === 0) this.#fitting[cluster.id & (SLOTS - 1)] = made;
    else {
      if (this.#sized.length === 0) this.#sized.length = SLOTS;
      this.#sized[slot] = made;
    }
    return made;
  }

  #make(cluster: Cluster, sizePt: number): Fragment {
    const page = this.#pageOf(cluster);
    const sink = new ByteSink(64);
    let glyphsStart = 0;
    let glyphsEnd = 0;
    for (const part of extractionParts(cluster)) {
      const isExtractable = part.glyphs.length === 0 || this.#isExtractable(part, page);
      if (!isExtractable) {
        sink.latin(`)]TJ/Span<</ActualText<${utf16Hex(readText(part), true)}>>>BDC[(`);
      }
      glyphsStart = sink.length;
      this.#writeGlyphs(sink, part, sizePt, page);
      glyphsEnd = sink.length;
      if (!isExtractable) sink.latin(')]TJ EMC[(');
    }
    const bytes = sink.take();
    // A right-to-left run needs the spans of its parts; any other cluster is one part.
    const isRightToLeftRun = isRightToLeft(cluster.text.charCodeAt(0));
    return {
      cluster,
      // Text rise and character spacing are in points.
      sizePt: page === EXTRA || isDisplaced(cluster) ? sizePt : 0,
      bytes,
      bare: isRightToLeftRun ? bytes : bytes.subarray(glyphsStart, glyphsEnd),
      page,
      isAlsoInLetters: page === CORE && this.#isAlsoInLetters(cluster),
    };
  }

  /** Whether readers extract the part's text from its glyphs' codes and positions alone. */
  #isExtractable(part: Cluster, page: number): boolean {
    const { codeOf, pages } = this.#codes;
    const textOf = pages[page]?.textOf;
    const text =
      page === EXTRA
        ? extraTexts(part).join('')
        : part.glyphs.map((glyph) => textOf?.[codeOf[glyph] ?? 0] ?? '').join('');
    return text === readText(part) && !isDisplaced(part);
  }

  /** The page that has every glyph of the cluster. */
  #pageOf({ face, glyphs }: Cluster): number {
    if (glyphs.length === 0) return CORE;
    if (face !== this.#codes.face) return EXTRA;
    const { codeOf, pageOf } = this.#codes;
    const page = pageOf[glyphs[0] ?? 0] ?? CORE;
    return glyphs.every((glyph) => codeOf[glyph] !== 0 && pageOf[glyph] === page) ? page : EXTRA;
  }

  #isAlsoInLetters({ glyphs }: Cluster): boolean {
    const { withLetters } = this.#codes;
    return glyphs.length > 0 && glyphs.every((glyph) => withLetters[glyph] === 1);
  }

  /**
   * Writes the glyphs of a part between `(` and `)`. The fixed pages have one-byte codes in literal
   * strings; the composite font, which the painter has set, has two-byte codes in hexadecimal, the
   * glyph numbers of the face.
   */
  #writeGlyphs(sink: ByteSink, part: Cluster, sizePt: number, page: number): void {
    const { codeOf } = this.#codes;
    const { face } = part;
    const isExtra = page === EXTRA;
    const open = isExtra ? '<' : '(';
    const close = isExtra ? '>' : ')';
    const pointsPerUnit = sizePt / face.tables.unitsPerEm;
    const closes = isDisplaced(part);
    if (isExtra) sink.latin(')<');
    walkGlyphs(part, (glyph, beforeUnits, riseUnits, closingUnits) => {
      writeMove(sink, face, beforeUnits, close, open);
      const rise = riseUnits * pointsPerUnit;
      const spacing = closes ? closingUnits * pointsPerUnit : 0;
      const hasState = rise !== 0 || spacing !== 0;
      if (hasState) {
        sink.latin(`${close}]TJ `);
        writeState(sink, rise, spacing, false);
        sink.latin(`[${open}`);
      }
      if (isExtra) writeGlyphNumber(sink, glyph);
      else writeCode(sink, codeOf[glyph] ?? 0);
      if (hasState) {
        sink.latin(`${close}]TJ `);
        writeState(sink, rise, spacing, true);
        sink.latin(`[${open}`);
      }
      if (!closes) writeMove(sink, face, closingUnits, close, open);
    });
    if (isExtra) sink.latin('>(');
  }
}

/** Shapes kept as bytes: as many as a long document repeats. */
const KEPT_SLOTS = 4_096;
const KEPT_BYTES_MAX = 512;

/**
 * Whole shapes as bytes: static text, and words that recur. A shape is kept when it is painted for
 * the second time; one that is painted once costs one look-up. Bounded: a direct-mapped cache.
 */
export class KeptShapes {
  readonly #shapes: (Shape | undefined)[] = Array.from({ length: KEPT_SLOTS });
  readonly #sizes = new Float64Array(KEPT_SLOTS);
  readonly #bytes: (Uint8Array | null)[] = Array.from({ length: KEPT_SLOTS }, () => null);

  find(shape: Shape, sizePt: number): Uint8Array | null {
    const slot = shape.id & (KEPT_SLOTS - 1);
    if (this.#shapes[slot] !== shape || this.#sizes[slot] !== sizePt) return null;
    return this.#bytes[slot] ?? null;
  }

  /** Keeps the bytes of a shape that was painted before; otherwise notes that it was painted. */
  keepIfRepeated(shape: Shape, sizePt: number, bytes: Uint8Array, from: number, to: number): void {
    const slot = shape.id & (KEPT_SLOTS - 1);
    if (this.#shapes[slot] !== shape || this.#sizes[slot] !== sizePt) {
      this.#shapes[slot] = shape;
      this.#sizes[slot] = sizePt;
      this.#bytes[slot] = null;
    } else if (to - from <= KEPT_BYTES_MAX) {
      this.#bytes[slot] = bytes.slice(from, to);
    }
  }
}

/** For each glyph of a cluster the character that it stands for in its face's composite font. */
export function extraTexts(cluster: Cluster): readonly string[] {
  const { characterMap } = cluster.face.tables;
  return sourceTexts(cluster).map((text, index) => {
    const code = text.codePointAt(0) ?? 0;
    const isSingle = text.length === (code > 0xffff ? 2 : 1);
    return isSingle && characterMap.get(code) === cluster.glyphs[index] ? text : '';
  });
}

/**
 * Glyphs with the pen movement before each, and what remains after the last. The pen moves by the
 * font's own advance; positions say where it should be. Movements too small to be seen are added to
 * the next glyph's: readers that sort by position would separate two marks because of them.
 */
function walkGlyphs(
  cluster: Cluster,
  visit: (glyph: number, beforeUnits: number, riseUnits: number, closingUnits: number) => void,
): void {
  const { advances, unitsPerEm } = cluster.face.tables;
  const bound = MOVE_EM_MIN * unitsPerEm;
  const last = cluster.glyphs.length - 1;
  let pending = 0;
  cluster.glyphs.forEach((glyph, index) => {
    const offset = cluster.xOffsets[index] ?? 0;
    const move = pending + offset;
    const written = Math.abs(move) < bound ? 0 : move;
    // The pen moves by `written` and the font's advance; it should move by the pending movement,
    // `move - offset`, and the shaped advance.
    pending = move - written + (cluster.advances[index] ?? 0) - offset - (advances[glyph] ?? 0);
    visit(glyph, written, cluster.yOffsets[index] ?? 0, index === last ? pending : 0);
  });
}

/** Sets text rise and character spacing (§9.3), or sets them back. */
function writeState(sink: ByteSink, rise: number, spacing: number, isBack: boolean): void {
  if (rise !== 0) {
    sink.number(isBack ? 0 : rise);
    sink.latin(' Ts');
  }
  if (rise !== 0 && spacing !== 0) sink.latin(' ');
  if (spacing !== 0) {
    sink.precise(isBack ? 0 : spacing);
    sink.latin(' Tc');
  }
}

function writeMove(sink: ByteSink, face: Face, units: number, close: string, open: string): void {
  const thousandths = -Math.round((units * 1000) / face.tables.unitsPerEm);
  if (thousandths === 0) return;
  sink.latin(close);
  sink.integer(thousandths);
  sink.latin(open);
}

/** Two bytes of a hexadecimal string. */
function writeGlyphNumber(sink: ByteSink, glyph: number): void {
  sink.latin(glyph.toString(16).padStart(4, '0'));
}

/** One byte of a literal string; parentheses and backslash are escaped (§7.3.4.2). */
export function writeCode(sink: ByteSink, code: number): void {
  if (code === 0x28 || code === 0x29 || code === 0x5c) sink.byte(0x5c);
  sink.byte(code);
}

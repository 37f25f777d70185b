import type { Cluster } from '../font/cluster.ts';
import type { FontStack, Shape } from '../font/font.ts';
import type { GridText } from '../model/frame.ts';
import type { TextStyle } from '../model/style.ts';
import type { PaintFont, TemplateFonts } from './fonts.ts';
import { CORE, LETTERS } from './codes.ts';
import { EXTRA, extraFontName } from './fragments.ts';
import type { DocumentResources } from './resources.ts';
import type { GraphicsState } from './state.ts';
import { ShortBytes } from './sink.ts';
import { decimal } from './syntax.ts';

const encoder = new TextEncoder();
const SHOW_STRING = new ShortBytes(')Tj\n');
const OPEN_ARRAY = new ShortBytes('[(');
const SHOW_ARRAY = new ShortBytes(')]TJ\n');
const CLOSE_ARRAY = new ShortBytes(')]TJ');
const NEXT_STRING = new ShortBytes(')(');
const MOVE_TEXT = new ShortBytes(' Td');
/** Signs of a literal string (ISO 32000-2 §7.3.4.2). */
const OPEN_PARENTHESIS = 0x28;
const CLOSE_PARENTHESIS = 0x29;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
const LETTER_R = 0x72;

/**
 * Strings of an archive document have 32,767 bytes at most (ISO 19005-2, 6.1.13), two a character.
 */
const ARCHIVE_STRING_MAX = 8_000;

/** Font and size as the stream left them. */
export interface SavedFont {
  readonly font: PaintFont | null;
  /** Resource name of the font; '' before the first text. */
  readonly name: string;
  readonly sizePt: number;
}

/** Text objects (ISO 32000-2 §9.4). Hot: a long statement shows ten thousand texts. */
export class TextPainter {
  readonly #state: GraphicsState;
  readonly #fonts: TemplateFonts;
  readonly #resources: DocumentResources;
  readonly #isStrict: boolean;
  #isOpen = false;
  #font: PaintFont | null = null;
  /** Resource name of the current font. */
  #name = '';
  #size = 0;
  /** The style whose colour and opacity are set, unless the state has another version. */
  #style: TextStyle | null = null;
  #version = 0;
  #textX = 0;
  #textY = 0;

  constructor(state: GraphicsState, fonts: TemplateFonts, resources: DocumentResources) {
    this.#state = state;
    this.#fonts = fonts;
    this.#resources = resources;
    this.#isStrict = resources.file.isStrict;
  }

  reset(): void {
    this.#isOpen = false;
    this.#style = null;
    this.restore({ font: null, name: '', sizePt: 0 });
  }

  save(): SavedFont {
    return { font: this.#font, name: this.#name, sizePt: this.#size };
  }

  restore(saved: SavedFont): void {
    this.#font = saved.font;
    this.#name = saved.name;
    this.#size = saved.sizePt;
  }

  /** Ends the text object, if there is one. */
  end(): void {
    if (!this.#isOpen) return;
    this.#state.sink.latin('ET\n');
    this.#isOpen = false;
  }

  /** Shows a text from (x, y), its baseline; `gaps` are points after each shape. */
  show(
    style: TextStyle,
    x: number,
    y: number,
    text: GridText,
    gaps: readonly number[] | null,
  ): void {
    const font = this.#prepare(style);
    const { depth, height, sink } = this.#state;
    if (depth > 0) sink.latin(`1 0 0 -1 ${decimal(x, 3)} ${decimal(y, 3)} Tm\n`);
    else this.#moveTo(Math.round(x * 100), Math.round((height - y) * 100));
    this.#write(style, font, text, gaps);
  }

  /**
   * Shows a text outside of groups from (x, y), its baseline, in hundredths of a point and up from
   * the foot of the page: small integers, so that a cell of a table allocates no numbers.
   */
  showAt(style: TextStyle, x: number, y: number, text: GridText): void {
    const font = this.#prepare(style);
    this.#moveTo(x, y);
    this.#write(style, font, text, null);
  }

  /** Sets colour and font of a style inside a text object. */
  #prepare(style: TextStyle): PaintFont {
    if (style !== this.#style || this.#version !== this.#state.version) this.#setStyle(style);
    this.begin();
    return this.#useFont(style);
  }

  /** Writes a text; one that is too long for a string of an archive document is written again. */
  #write(style: TextStyle, font: PaintFont, text: GridText, gaps: readonly number[] | null): void {
    const { sink } = this.#state;
    const from = sink.length;
    const name = this.#name;
    this.#writeText(style, font, text, gaps, false);
    if (!this.#isStrict || sink.length - from <= ARCHIVE_STRING_MAX) return;
    // To count the characters of every text beforehand would cost more.
    if (charactersOf(text) <= ARCHIVE_STRING_MAX) return;
    sink.length = from;
    this.#name = name;
    this.#writeText(style, font, text, gaps, true);
  }

  #writeText(
    style: TextStyle,
    font: PaintFont,
    text: GridText,
    gaps: readonly number[] | null,
    isLong: boolean,
  ): void {
    const { sink } = this.#state;
    const isUnspaced = style.characterSpacingPt === 0;
    const plain = gaps === null && isUnspaced ? plainText(text) : null;
    if (plain !== null && !isLong && this.#showPlain(plain, font)) return;
    const whole = shapesOf(text, font.stack);
    const shapes = isLong && gaps === null ? shortShapes(whole, font.stack) : whole;
    const isSpan = !isUnspaced && !isLong && isSplitByReaders(style, shapes);
    if (isSpan) this.#openSpan(shapes);
    sink.appendShort(OPEN_ARRAY);
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index];
      if (shape === undefined) continue;
      if (isLong && index > 0) sink.appendShort(NEXT_STRING);
      if (!(shape.clusters === null && isUnspaced && this.#plainInPage(shape.text, font))) {
        this.#shape(shape, font, style.characterSpacingPt, isSpan);
      }
      const gap = gaps === null ? 0 : (gaps[index] ?? 0);
      if (gap !== 0) this.#advance(gap);
    }
    sink.appendShort(SHOW_ARRAY);
    if (isSpan) sink.latin('EMC\n');
  }

  /** Shows ASCII of the core as one string; false, with nothing written, when it is not that. */
  #showPlain(text: string, font: PaintFont): boolean {
    const { sink } = this.#state;
    const from = sink.length;
    sink.byte(OPEN_PARENTHESIS);
    const isShown = this.#plain(text, font.codes.asciiInCore);
    if (isShown) sink.appendShort(SHOW_STRING);
    else sink.length = from;
    return isShown;
  }

  /** Opens a span with the text of the shapes: a literal string is half as long as hexadecimal. */
  #openSpan(shapes: readonly Shape[]): void {
    const { sink } = this.#state;
    const text = shapes
      .map((shape) => shape.text)
      .join('')
      .trimEnd();
    sink.latin('/Span<</ActualText(');
    // Each byte may need an escape.
    sink.reserve(text.length * 4 + 2);
    const { bytes } = sink;
    let at = sink.length;
    bytes[at++] = 0xfe;
    bytes[at++] = 0xff;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      at = putLiteral(bytes, at, code >> 8);
      at = putLiteral(bytes, at, code & 0xff);
    }
    sink.length = at;
    sink.latin(')>>BDC\n');
  }

  /**
   * Writes a shape. From the third time on its bytes are copied: they were kept the second time.
   */
  #shape(shape: Shape, font: PaintFont, spacingPt: number, isInSpan: boolean): void {
    const { sink } = this.#state;
    const size = this.#size;
    const isCached = spacingPt === 0 && shape.id !== 0;
    const kept = isCached ? font.kept.find(shape, size) : null;
    if (kept !== null) {
      this.#usePage(font, 0);
      sink.append(kept);
      return;
    }
    let from = sink.length;
    let inCore = isCached;
    const clusters = shape.clusters ?? font.stack.clusters(shape.text);
    for (let index = 0; index < clusters.length; index++) {
      const cluster = clusters[index];
      if (cluster === undefined) continue;
      if (this.#isStrict && cluster.glyphs.includes(0)) {
        this.#leaveOut(cluster);
        continue;
      }
      const fragment = font.fragments.of(cluster, size);
      if (fragment.page === EXTRA) {
        this.#resources.extra(cluster);
        this.#useName(extraFontName(cluster.face));
      } else if (!(fragment.isAlsoInLetters && this.#name === font.names[LETTERS])) {
        this.#usePage(font, fragment.page);
      }
      if (index === 0) from = sink.length;
      if (this.#name !== font.names[0]) inCore = false;
      sink.append(isInSpan ? fragment.bare : fragment.bytes);
      if (spacingPt !== 0) this.#advance(spacingPt);
    }
    if (inCore) font.kept.keepIfRepeated(shape, size, sink.bytes, from, sink.length);
  }

  /**
   * Leaves room for a cluster that no face draws: archive documents show no
   * .notdef (ISO 19005-2, 6.2.11.8), nor do tagged ones (ISO 14289-1, 7.21.8).
   */
  #leaveOut({ advances, face }: Cluster): void {
    const units = advances.reduce((sum, advance) => sum + advance, 0);
    this.#advance((units * this.#size) / face.tables.unitsPerEm);
  }

  /** Sets the font of a page of the codes, inside an open TJ string. */
  #usePage(font: PaintFont, page: number): void {
    const name = font.names[page] ?? '';
    if (name === this.#name) return;
    const shown = page === 0 ? undefined : font.pages[page];
    if (shown !== undefined) this.#resources.page(name, shown);
    this.#useName(name);
  }

  #useName(name: string): void {
    if (name === this.#name) return;
    const { sink } = this.#state;
    sink.appendShort(CLOSE_ARRAY);
    sink.append(setFont(name, this.#size));
    sink.appendShort(OPEN_ARRAY);
    this.#name = name;
  }

  /** Copies ASCII that is all in the core, or all in the page of letters; false: in neither. */
  #plainInPage(text: string, font: PaintFont): boolean {
    const { asciiInCore, asciiInLetters } = font.codes;
    const isCore = isWhole(text, asciiInCore);
    if (!isCore && !isWhole(text, asciiInLetters)) return false;
    this.#usePage(font, isCore ? CORE : LETTERS);
    return this.#plain(text, isCore ? asciiInCore : asciiInLetters);
  }

  /** Writes ASCII, whose codes are its own; false, with nothing written, if one is not `ready`. */
  #plain(text: string, ready: Uint8Array): boolean {
    const { sink } = this.#state;
    sink.reserve(text.length * 2);
    const { bytes } = sink;
    let at = sink.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (ready[code] !== 1) return false;
      if (code === OPEN_PARENTHESIS || code === CLOSE_PARENTHESIS || code === BACKSLASH) {
        bytes[at++] = BACKSLASH;
      }
      bytes[at++] = code;
    }
    sink.length = at;
    return true;
  }

  /** Moves the pen inside an open TJ string. */
  #advance(pt: number): void {
    const thousandths = -Math.round((pt * 1000) / this.#size);
    if (thousandths === 0) return;
    const { sink } = this.#state;
    sink.byte(CLOSE_PARENTHESIS);
    sink.integer(thousandths);
    sink.byte(OPEN_PARENTHESIS);
  }

  #setStyle(style: TextStyle): void {
    this.#state.setFill(style.color);
    this.#state.setFillOpacity(style.opacity);
    this.#style = style;
    this.#version = this.#state.version;
  }

  #useFont(style: TextStyle): PaintFont {
    const current = this.#font;
    const font =
      current !== null && current.stack === style.stack ? current : this.#fonts.of(style.stack);
    const name = font.names[0] ?? '';
    if (name !== this.#name || style.sizePt !== this.#size) {
      this.#state.sink.append(setFont(name, style.sizePt));
      this.#size = style.sizePt;
      this.#name = name;
    }
    this.#font = font;
    return font;
  }

  /** Moves by Td from the last baseline to one in hundredths of a point. */
  #moveTo(x: number, y: number): void {
    const { sink } = this.#state;
    sink.hundredths(x - this.#textX);
    sink.byte(SPACE);
    sink.hundredths(y - this.#textY);
    sink.appendShort(MOVE_TEXT);
    this.#textX = x;
    this.#textY = y;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Begins a text object, unless one is open. */
  begin(): void {
    if (this.#isOpen) return;
    this.#state.sink.latin('BT\n');
    this.#isOpen = true;
    this.#textX = 0;
    this.#textY = 0;
  }
}

/** Operators such as `/F1 9 Tf` by name and size: a template uses a handful, SVG may need more. */
const SET_FONTS_MAX = 1_024;
const setFonts = new Map<string, Map<number, Uint8Array>>();
let setFontCount = 0;

function setFont(name: string, sizePt: number): Uint8Array {
  const known = setFonts.get(name)?.get(sizePt);
  if (known !== undefined) return known;
  const operator = encoder.encode(`/${name} ${decimal(sizePt)} Tf\n`);
  if (++setFontCount > SET_FONTS_MAX) {
    setFonts.clear();
    setFontCount = 1;
  }
  const sizes = setFonts.get(name) ?? new Map<number, Uint8Array>();
  setFonts.set(name, sizes.set(sizePt, operator));
  return operator;
}

const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;

/** A byte of a literal string (§7.3.4.2): a bare carriage return would be read as a line feed. */
function putLiteral(bytes: Uint8Array, index: number, byte: number): number {
  let at = index;
  const isSign = byte === OPEN_PARENTHESIS || byte === CLOSE_PARENTHESIS || byte === BACKSLASH;
  if (isSign || byte === CARRIAGE_RETURN) bytes[at++] = BACKSLASH;
  bytes[at++] = byte === CARRIAGE_RETURN ? LETTER_R : byte;
  return at;
}

/**
 * Whether letters with character spacing are of a script without spaces. Readers would find spaces
 * there, at marks even if the spacing is slight, unless a span around the whole text gives it
 * (§14.9.4).
 */
function isSplitByReaders(style: TextStyle, shapes: readonly Shape[]): boolean {
  return style.characterSpacingPt > 0 && shapes.some((shape) => WITHOUT_SPACES.test(shape.text));
}

function isWhole(text: string, ready: Uint8Array): boolean {
  for (let index = 0; index < text.length; index++) {
    if (ready[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}

/** The characters of a text that is one plain shape, or null. */
function plainText(text: GridText): string | null {
  if (typeof text === 'string') return text;
  const only = 'text' in text ? text : text.length === 1 ? text[0] : undefined;
  return only !== undefined && only.clusters === null ? only.text : null;
}

function charactersOf(text: GridText): number {
  if (typeof text === 'string') return text.length;
  if ('text' in text) return text.text.length;
  let count = 0;
  for (let index = 0; index < text.length; index++) count += text[index]!.text.length;
  return count;
}

/** The shapes, divided so that none is longer than a string may be. */
function shortShapes(shapes: readonly Shape[], stack: FontStack): readonly Shape[] {
  return shapes.flatMap((shape) => {
    if (shape.text.length <= ARCHIVE_STRING_MAX) return [shape];
    const parts: Shape[] = [];
    const characters = Array.from(shape.text);
    for (let from = 0; from < characters.length; from += ARCHIVE_STRING_MAX) {
      parts.push(stack.shape(characters.slice(from, from + ARCHIVE_STRING_MAX).join('')));
    }
    return parts;
  });
}

function shapesOf(text: GridText, stack: FontStack): readonly Shape[] {
  if (typeof text === 'string') return [stack.shape(text)];
  return 'text' in text ? [text] : text;
}

import { Name, PdfFile, Reference, Scanner, Text, Word } from './pdf-objects.ts';
import type { Dictionary, PdfValue } from './pdf-objects.ts';

/** Reads the glyphs of a page with their places and colours (ISO 32000-2 §9). */

/** One shown glyph, or all glyphs that an ActualText stands for. Points from the bottom left. */
export interface Glyph {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  readonly size: number;
  /** The fill colour as 0xrrggbb. */
  readonly color: number;
}

export interface PageText {
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
}

interface Font {
  readonly bytes: 1 | 2;
  readonly texts: ReadonlyMap<number, string>;
  readonly widthOf: (code: number) => number;
}

export function readPages(bytes: Uint8Array): PageText[] {
  const file = new PdfFile(bytes);
  const root = file.dictionary(file.trailer.get('Root'));
  const pages: PageText[] = [];
  const fonts = new Map<number, Font>();
  const visit = (value: PdfValue, inherited: Dictionary): void => {
    const node = new Map([...inherited, ...file.dictionary(value)]);
    const kids = node.get('Kids');
    node.delete('Kids');
    if (kids !== undefined) for (const kid of file.array(kids)) visit(kid, node);
    else pages.push(readPage(file, node, fonts));
  };
  visit(root.get('Pages') ?? null, new Map());
  return pages;
}

function readPage(file: PdfFile, page: Dictionary, fonts: Map<number, Font>): PageText {
  const box = file.array(page.get('MediaBox')).map((side) => file.number(side));
  const resources = file.dictionary(page.get('Resources'));
  const own = resources.has('Font')
    ? file.dictionary(resources.get('Font'))
    : new Map<string, PdfValue>();
  const contents = page.get('Contents');
  const list = file.get(contents);
  const streams = Array.isArray(list) ? (list as readonly PdfValue[]) : [contents ?? null];
  const source = streams.map((stream) => file.stream(stream)).join('\n');
  const fontOf = (name: string): Font => {
    const value = own.get(name);
    const key = value instanceof Reference ? value.number : -1;
    const font = fonts.get(key) ?? readFont(file, file.dictionary(value));
    if (key >= 0) fonts.set(key, font);
    return font;
  };
  const painter = new TextPainter(fontOf);
  painter.paint(source);
  return { width: box[2] ?? 0, height: box[3] ?? 0, glyphs: painter.glyphs };
}

/** Parsed tables of codes, by their source: most documents share theirs. */
const textTables = new Map<string, ReadonlyMap<number, string>>();
const TABLES_MAX = 50;

function readFont(file: PdfFile, font: Dictionary): Font {
  const source = file.stream(font.get('ToUnicode'));
  let texts = textTables.get(source);
  if (texts === undefined) {
    texts = readTexts(source);
    if (textTables.size >= TABLES_MAX) textTables.clear();
    textTables.set(source, texts);
  }
  const descendants = font.get('DescendantFonts');
  if (descendants === undefined) {
    const first = file.number(font.get('FirstChar'));
    const widths = file.array(font.get('Widths')).map((width) => file.number(width));
    return { bytes: 1, texts, widthOf: (code) => widths[code - first] ?? 0 };
  }
  const descendant = file.dictionary(file.array(descendants)[0]);
  const widths = readWidths(file, file.array(descendant.get('W') ?? []));
  const usual = file.get(descendant.get('DW'));
  const otherwise = typeof usual === 'number' ? usual : 1000;
  return { bytes: 2, texts, widthOf: (code) => widths.get(code) ?? otherwise };
}

/** The W array of a CIDFont: `c [w …]` or `first last w` (§9.7.4.3). */
function readWidths(file: PdfFile, list: readonly PdfValue[]): Map<number, number> {
  const widths = new Map<number, number>();
  for (let index = 0; index < list.length;) {
    const first = file.number(list[index]);
    const second = file.get(list[index + 1]);
    if (Array.isArray(second)) {
      second.forEach((width, offset) => widths.set(first + offset, file.number(width)));
      index += 2;
    } else {
      const width = file.number(list[index + 2]);
      for (let code = first; code <= file.number(second); code++) widths.set(code, width);
      index += 3;
    }
  }
  return widths;
}

/** A ToUnicode CMap (§9.10.3): code → text. */
function readTexts(source: string): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  const scanner = new Scanner(source);
  let operands: PdfValue[] = [];
  for (let value = scanner.next(); value !== undefined; value = scanner.next()) {
    if (!(value instanceof Word)) {
      operands.push(value);
      continue;
    }
    if (value.word === 'endbfchar') {
      for (let index = 0; index + 1 < operands.length; index += 2) {
        texts.set(codeOf(operands[index]), utf16(operands[index + 1]));
      }
    } else if (value.word === 'endbfrange') readRanges(operands, texts);
    operands = [];
  }
  return texts;
}

function readRanges(operands: readonly PdfValue[], texts: Map<number, string>): void {
  for (let index = 0; index + 2 < operands.length; index += 3) {
    const first = codeOf(operands[index]);
    const last = codeOf(operands[index + 1]);
    const to = operands[index + 2];
    for (let code = first; code <= last; code++) {
      if (Array.isArray(to)) texts.set(code, utf16((to as readonly PdfValue[])[code - first]));
      else {
        const start = utf16(to);
        const end = start.length - 1;
        const moved = String.fromCharCode(start.charCodeAt(end) + code - first);
        texts.set(code, start.slice(0, end) + moved);
      }
    }
  }
}

function codeOf(value: PdfValue | undefined): number {
  if (!(value instanceof Text)) throw new Error('a code is expected');
  let code = 0;
  for (let at = 0; at < value.bytes.length; at++) code = code * 256 + value.bytes.charCodeAt(at);
  return code;
}

function utf16(value: PdfValue | undefined): string {
  if (!(value instanceof Text)) throw new Error('a text is expected');
  return Buffer.from(value.bytes, 'latin1').swap16().toString('utf16le');
}

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}

interface State {
  matrix: Matrix;
  color: number;
  font: Font | null;
  size: number;
  charSpace: number;
  wordSpace: number;
  scale: number;
  rise: number;
}

/** Runs the operators of a content stream that show text; paths and pictures are skipped. */
class TextPainter {
  readonly glyphs: Glyph[] = [];
  readonly #fontOf: (name: string) => Font;
  readonly #saved: State[] = [];
  #state: State = {
    matrix: IDENTITY,
    color: 0,
    font: null,
    size: 0,
    charSpace: 0,
    wordSpace: 0,
    scale: 1,
    rise: 0,
  };
  #text: Matrix = IDENTITY;
  #line: Matrix = IDENTITY;
  /** The ActualText of each open marked content; null where it has none. */
  readonly #spans: (string | null)[] = [];
  /** Where the glyphs of the open ActualText start. */
  #spanStart = 0;

  constructor(fontOf: (name: string) => Font) {
    this.#fontOf = fontOf;
  }

  paint(source: string): void {
    const scanner = new Scanner(source);
    let operands: PdfValue[] = [];
    for (let value = scanner.next(); value !== undefined; value = scanner.next()) {
      if (value instanceof Word && value.word === 'BI') scanner.skipImage();
      else if (value instanceof Word) {
        this.#run(value.word, operands);
        operands = [];
      } else operands.push(value);
    }
  }

  #run(operator: string, operands: readonly PdfValue[]): void {
    const state = this.#state;
    if (operator === 'q') this.#saved.push({ ...state });
    else if (operator === 'Q') this.#state = this.#saved.pop() ?? state;
    else if (operator === 'cm') state.matrix = multiply(matrixOf(operands), state.matrix);
    else if (operator === 'rg') state.color = colorOf(operands);
    else if (operator === 'g') state.color = colorOf([0, 1, 2].map(() => operands[0] ?? 0));
    else if (operator === 'BT') this.#text = this.#line = IDENTITY;
    else if (operator === 'Tm') this.#text = this.#line = matrixOf(operands);
    else if (operator === 'Td') this.#move(operands);
    else if (operator === 'Tf') {
      const name = operands[0];
      if (!(name instanceof Name)) throw new Error('Tf without a font');
      state.font = this.#fontOf(name.name);
      state.size = numberOf(operands[1]);
    } else if (operator === 'Tc') state.charSpace = numberOf(operands[0]);
    else if (operator === 'Tw') state.wordSpace = numberOf(operands[0]);
    else if (operator === 'Tz') state.scale = numberOf(operands[0]) / 100;
    else if (operator === 'Ts') state.rise = numberOf(operands[0]);
    else if (operator === 'Tj') this.#show(operands[0]);
    else if (operator === 'TJ') this.#showAll(operands[0]);
    else if (operator === 'BDC' || operator === 'BMC') this.#open(operands[1]);
    else if (operator === 'EMC') this.#close();
    else if (['TL', 'T*', "'", '"', 'TD', 'k', 'sc', 'scn'].includes(operator)) {
      throw new Error(`the reader does not know ${operator}`);
    }
  }

  #move(operands: readonly PdfValue[]): void {
    const by: Matrix = [1, 0, 0, 1, numberOf(operands[0]), numberOf(operands[1])];
    this.#text = this.#line = multiply(by, this.#line);
  }

  #open(properties: PdfValue | undefined): void {
    const actual = properties instanceof Map ? properties.get('ActualText') : undefined;
    const bytes = actual instanceof Text ? actual.bytes : null;
    this.#spans.push(bytes === null ? null : utf16(new Text(bytes.replace(/^\u00fe\u00ff/, ''))));
    if (bytes !== null) this.#spanStart = this.glyphs.length;
  }

  #close(): void {
    const actual = this.#spans.pop() ?? null;
    const glyphs = this.glyphs.splice(actual === null ? Infinity : this.#spanStart);
    const first = glyphs[0];
    if (actual === null || first === undefined) return;
    const inked = glyphs.filter((glyph) => glyph.text.trim() !== '');
    const seen = inked.length > 0 ? inked : glyphs;
    const left = Math.min(...seen.map((glyph) => glyph.left));
    const right = Math.max(...seen.map((glyph) => glyph.right));
    this.glyphs.push({ ...first, text: actual, left, right });
  }

  #showAll(list: PdfValue | undefined): void {
    if (!Array.isArray(list)) throw new Error('TJ without an array');
    for (const item of list as readonly PdfValue[]) {
      if (typeof item === 'number') this.#advance((-item / 1000) * this.#state.size);
      else this.#show(item);
    }
  }

  #advance(by: number): void {
    this.#text = multiply([1, 0, 0, 1, by * this.#state.scale, 0], this.#text);
  }

  #show(value: PdfValue | undefined): void {
    const { font, size, charSpace, wordSpace, rise } = this.#state;
    if (!(value instanceof Text)) throw new Error('Tj without a string');
    if (font === null) throw new Error('text without a font');
    for (let at = 0; at < value.bytes.length; at += font.bytes) {
      const code = codeOf(new Text(value.bytes.slice(at, at + font.bytes)));
      const isReplaced = this.#spans.some((span) => span !== null);
      const text = font.texts.get(code) ?? (isReplaced ? '' : undefined);
      if (text === undefined) throw new Error(`code ${code} has no text`);
      const width = (font.widthOf(code) / 1000) * size;
      const start = multiply([1, 0, 0, 1, 0, rise], multiply(this.#text, this.#state.matrix));
      const right = start[4] + width * this.#state.scale * start[0];
      this.glyphs.push({
        text,
        left: Math.min(start[4], right),
        right: Math.max(start[4], right),
        baseline: start[5],
        size: size * Math.abs(start[3]),
        color: this.#state.color,
      });
      this.#advance(width + charSpace + (font.bytes === 1 && code === 32 ? wordSpace : 0));
    }
  }
}

function numberOf(value: PdfValue | undefined): number {
  if (typeof value !== 'number') throw new Error('a number is expected');
  return value;
}

function matrixOf(operands: readonly PdfValue[]): Matrix {
  const [a, b, c, d, e, f] = operands.map((operand) => numberOf(operand));
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

function colorOf(operands: readonly PdfValue[]): number {
  return operands
    .map((operand) => Math.round(numberOf(operand) * 255))
    .reduce((color, part) => color * 256 + part, 0);
}

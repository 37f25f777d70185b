import { readFileSync } from 'node:fs';
import { serveSubject } from '../../harness/subject.ts';
import { LOGO_PNG, LOGO_PT } from '../../../lab/shapes/logo.ts';
import { CONTENT_WIDTH, FOOTER, PAGE, PAIRS, TABLE } from '../../../lab/shapes/sheet.ts';
import type { Align, PairsBlock, Sheet, SheetRun, TableBlock } from '../../../lab/shapes/sheet.ts';
import { breakLines, packageVersion, SARABUN, splitWords } from '../common.ts';
import type { LinePiece, QrModule } from '../common.ts';

/**
 * pdfkit, as fast as its interface allows: fonts are parsed once per process, the layout of every
 * word is cached between documents, and lines break at the words that Intl.Segmenter finds.
 */
interface WordLayout {
  readonly glyphs: readonly unknown[];
  readonly positions: readonly unknown[];
  readonly advanceWidth: number;
}

interface KitFont {
  layoutCache: Record<string, WordLayout>;
  layoutCached(text: string): WordLayout;
  layout(text: string, features: unknown, onlyWidth: boolean): WordLayout;
  readonly ascender: number;
  readonly descender: number;
}

interface KitDocument {
  readonly _font: KitFont;
  font(source: unknown, family?: string): KitDocument;
  registerFont(name: string, source: unknown): KitDocument;
  fontSize(size: number): KitDocument;
  text(text: string, x: number, y: number, options: { lineBreak: false }): KitDocument;
  image(source: Buffer, x: number, y: number, options: { width: number }): KitDocument;
  rect(x: number, y: number, width: number, height: number): KitDocument;
  moveTo(x: number, y: number): KitDocument;
  lineTo(x: number, y: number): KitDocument;
  lineWidth(width: number): KitDocument;
  strokeColor(color: string): KitDocument;
  fillColor(color: string): KitDocument;
  stroke(): KitDocument;
  fill(): KitDocument;
  addPage(): KitDocument;
  switchToPage(index: number): KitDocument;
  bufferedPageRange(): { count: number };
  on(event: 'data', listener: (chunk: Buffer) => void): KitDocument;
  on(event: 'end', listener: () => void): KitDocument;
  end(): void;
}

interface KitModule {
  default: new (options: Record<string, unknown>) => KitDocument;
}

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['pdfkit', 'fontkit', 'qrcode'] as const;
const PDFDocument = ((await import(packages[0])) as KitModule).default;
const fontkit = (await import(packages[1])) as { create(file: Buffer): unknown };
const qr = ((await import(packages[2])) as { default: QrModule }).default;

const FONTS = {
  regular: fontkit.create(readFileSync(SARABUN.regular)),
  bold: fontkit.create(readFileSync(SARABUN.bold)),
};
const CACHE_MAX = 50_000;
const caches = { regular: emptyCache(), bold: emptyCache() };

function emptyCache(): { size: number; laid: Record<string, WordLayout> } {
  // No prototype: a word such as "constructor" must not be found in it. pdfkit asks for a record.
  return { size: 0, laid: Object.create(null) as Record<string, WordLayout> };
}

/** Draws one document. The cursor is `#y`, in points from the top of the page. */
class Drawing {
  readonly #doc: KitDocument;
  #regular: KitFont;
  #bold: KitFont;
  /** The words of the text being drawn, whose layouts the patched layout function joins. */
  #words: readonly string[] = [];
  #y: number = PAGE.marginY;

  constructor() {
    this.#doc = new PDFDocument({ size: 'A4', margin: 0, bufferPages: true, font: null });
    this.#doc.registerFont('regular', FONTS.regular).registerFont('bold', FONTS.bold);
    this.#regular = this.#open('regular');
    this.#bold = this.#open('bold');
  }

  #open(name: 'regular' | 'bold'): KitFont {
    const { _font: font } = this.#doc.font(name);
    const cache = caches[name];
    if (cache.size > CACHE_MAX) caches[name] = emptyCache();
    font.layoutCache = caches[name].laid;
    const words = (text: string): readonly string[] =>
      this.#words.length > 0 ? this.#words : [text];
    font.layout = function (text: string, _features: unknown, onlyWidth: boolean): WordLayout {
      const glyphs: unknown[] = [];
      const positions: unknown[] = [];
      let advanceWidth = 0;
      for (const word of words(text)) {
        if (font.layoutCache[word] === undefined) caches[name].size++;
        const laid = font.layoutCached(word);
        if (!onlyWidth) {
          for (const glyph of laid.glyphs) glyphs.push(glyph);
          for (const position of laid.positions) positions.push(position);
        }
        advanceWidth += laid.advanceWidth;
      }
      return { glyphs, positions, advanceWidth };
    };
    return font;
  }

  #measure(word: string, bold: boolean, size: number): number {
    this.#words = [];
    return ((bold ? this.#bold : this.#regular).layoutCached(word).advanceWidth * size) / 1000;
  }

  #lines(
    runs: readonly SheetRun[],
    width: number,
    size: number,
  ): readonly (readonly LinePiece[])[] {
    return breakLines(runs, width, (word, bold) => this.#measure(word, bold, size));
  }

  #drawLine(
    line: readonly LinePiece[],
    x: number,
    width: number,
    size: number,
    align: Align,
  ): void {
    const used = line.reduce((sum, piece) => sum + piece.width, 0);
    let at = x;
    if (align === 'right') at += width - used;
    else if (align === 'center') at += (width - used) / 2;
    for (const { bold, words, width: pieceWidth } of line) {
      this.#words = words;
      this.#doc.font(bold ? 'bold' : 'regular').fontSize(size);
      this.#doc.text(words.join(''), at, this.#y, { lineBreak: false });
      at += pieceWidth;
    }
  }

  #lineHeight(size: number): number {
    return ((this.#regular.ascender - this.#regular.descender) / 1000) * size;
  }

  #makeRoom(height: number): boolean {
    if (this.#y + height <= PAGE.height - PAGE.marginY) return false;
    this.#doc.addPage();
    this.#y = PAGE.marginY;
    return true;
  }

  #text(runs: readonly SheetRun[], size: number, align: Align, lineHeight: number): void {
    const height = this.#lineHeight(size) * lineHeight;
    for (const line of this.#lines(runs, CONTENT_WIDTH, size)) {
      this.#makeRoom(height);
      this.#drawLine(line, PAGE.marginX, CONTENT_WIDTH, size, align);
      this.#y += height;
    }
  }

  #masthead(lines: readonly SheetRun[], size: number): void {
    const top = this.#y;
    this.#doc.image(LOGO_PNG, PAGE.marginX, top, { width: LOGO_PT.width });
    for (const run of lines) this.#text([run], size, 'right', 1);
    this.#y = Math.max(this.#y, top + LOGO_PT.height);
  }

  #pairs({ columns, size }: PairsBlock): void {
    const top = this.#y;
    const columnWidth = (CONTENT_WIDTH - PAIRS.columnGap) / 2;
    const height = this.#lineHeight(size);
    let bottom = top;
    columns.forEach((pairs, column) => {
      const x = PAGE.marginX + column * (columnWidth + PAIRS.columnGap);
      const valueX = x + PAIRS.labelWidth + 2 * PAIRS.paddingX;
      const valueWidth = columnWidth - (valueX - x);
      this.#y = top;
      for (const [label, value] of pairs) {
        this.#y += PAIRS.paddingY;
        const start = this.#y;
        for (const line of this.#lines([{ text: label, bold: true }], valueX - x, size)) {
          this.#drawLine(line, x, valueX - x, size, 'left');
        }
        this.#y = start;
        for (const line of this.#lines([{ text: value, bold: false }], valueWidth, size)) {
          this.#drawLine(line, valueX, valueWidth, size, 'left');
          this.#y += height;
        }
        this.#y += PAIRS.paddingY;
      }
      bottom = Math.max(bottom, this.#y);
    });
    this.#y = bottom;
  }

  #row(table: TableBlock, cells: readonly string[], bold: boolean): void {
    const rowHeight = this.#lineHeight(table.size) + 2 * table.paddingY;
    let x: number = PAGE.marginX;
    this.#y += table.paddingY;
    cells.forEach((cell, i) => {
      const width = table.widths[i] ?? 0;
      if (cell !== '') {
        const words = splitWords(cell);
        const used = words.reduce((sum, word) => sum + this.#measure(word, bold, table.size), 0);
        const line = [{ bold, words: [...words], width: used }];
        const align = table.aligns[i] ?? 'left';
        this.#drawLine(line, x + TABLE.paddingX, width, table.size, align);
      }
      x += width + 2 * TABLE.paddingX;
    });
    this.#y += rowHeight - table.paddingY;
    this.#doc.moveTo(PAGE.marginX, this.#y).lineTo(x, this.#y);
    this.#doc.lineWidth(TABLE.lineWidth).strokeColor(TABLE.lineColor).stroke();
    this.#y += TABLE.lineWidth;
  }

  #table(table: TableBlock): void {
    const rowHeight = this.#lineHeight(table.size) + 2 * table.paddingY + TABLE.lineWidth;
    this.#row(table, table.header, true);
    for (const row of table.rows) {
      if (this.#makeRoom(rowHeight)) this.#row(table, table.header, true);
      this.#row(table, row, false);
    }
  }

  #qr(text: string, sizePt: number): void {
    const { size, data } = qr.create(text, { errorCorrectionLevel: 'M' }).modules;
    const unit = sizePt / size;
    this.#makeRoom(sizePt);
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        if (data[y * size + x] === 0) continue;
        const from = x;
        while (x < size && data[y * size + x] !== 0) x++;
        this.#doc.rect(PAGE.marginX + from * unit, this.#y + y * unit, (x - from) * unit, unit);
      }
    }
    this.#doc.fill();
    this.#y += sizePt;
  }

  #footers(): void {
    const { count } = this.#doc.bufferedPageRange();
    for (let page = 0; page < count; page++) {
      this.#doc.switchToPage(page);
      this.#y = PAGE.height - PAGE.marginY + FOOTER.gap;
      const text = `${FOOTER.text[0]}${page + 1}${FOOTER.text[1]}${count}`;
      for (const line of this.#lines([{ text, bold: false }], CONTENT_WIDTH, FOOTER.size)) {
        this.#drawLine(line, PAGE.marginX, CONTENT_WIDTH, FOOTER.size, 'center');
      }
    }
  }

  draw(sheet: Sheet): Promise<Uint8Array> {
    const chunks: Buffer[] = [];
    const finished = new Promise<Uint8Array>((settle) => {
      this.#doc.on('data', (chunk) => chunks.push(chunk));
      this.#doc.on('end', () => settle(Buffer.concat(chunks)));
    });
    for (const block of sheet.blocks) {
      switch (block.kind) {
        case 'text':
          this.#text(block.runs, block.size, block.align, block.lineHeight);
          break;
        case 'masthead':
          this.#masthead(block.lines, block.size);
          break;
        case 'pairs':
          this.#pairs(block);
          break;
        case 'table':
          this.#table(block);
          break;
        case 'qr':
          this.#qr(block.text, block.size);
          break;
      }
      this.#y += 'after' in block ? block.after : 0;
    }
    this.#footers();
    this.#doc.end();
    return finished;
  }
}

serveSubject<Sheet>({
  version: packageVersion(import.meta.url, 'pdfkit'),
  hasChildren: false,
  stage: (_shape, document) => document.sheet(),
  render: (sheet) => new Drawing().draw(sheet),
});

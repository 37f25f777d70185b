import { readFileSync } from 'node:fs';
import { serveSubject } from '../../harness/subject.ts';
import { LOGO_DATA_URL, LOGO_PT } from '../../../lab/shapes/logo.ts';
import {
  CONTENT_WIDTH,
  FOOTER,
  LINE_HEIGHT_EM,
  PAGE,
  PAIRS,
  TABLE,
} from '../../../lab/shapes/sheet.ts';
import type { Align, Block, Sheet, SheetRun, TableBlock } from '../../../lab/shapes/sheet.ts';
import { breakLines, packageVersion, SARABUN } from '../common.ts';

/**
 * pdfme: boxes at fixed places, in millimetres. It does not flow text over pages, so this file
 * guesses the height of a paragraph and places the boxes; a table flows by itself.
 */
interface Pdfme {
  generate(
    this: void,
    request: {
      template: { basePdf: unknown; schemas: unknown[][] };
      inputs: Record<string, string>[];
      options: { font: Record<string, { data: Buffer; fallback: boolean }> };
      plugins: Record<string, unknown>;
    },
  ): Promise<Uint8Array>;
}

interface Schemas {
  readonly text: unknown;
  readonly image: unknown;
  readonly table: unknown;
  readonly barcodes: { readonly qrcode: unknown };
}

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['@pdfme/generator', '@pdfme/schemas'] as const;
const { generate } = (await import(packages[0])) as Pdfme;
const schemas = (await import(packages[1])) as Schemas;

const plugins = {
  text: schemas.text,
  image: schemas.image,
  table: schemas.table,
  qrcode: schemas.barcodes.qrcode,
};
const font = {
  Sarabun: { data: readFileSync(SARABUN.regular), fallback: true },
  SarabunBold: { data: readFileSync(SARABUN.bold), fallback: false },
};

const MM_PER_PT = 25.4 / 72;
/** Average advance of Sarabun's Thai letters and digits in em, for guessing heights. */
const ADVANCE_EM = 0.5;
const NO_BOX = { top: 0, right: 0, bottom: 0, left: 0 };

function mm(pt: number): number {
  return Math.round(pt * MM_PER_PT * 1000) / 1000;
}

interface Place {
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

/** The boxes of one document, page by page, and their contents; `y` is where the next one goes. */
class Placement {
  readonly pages: unknown[][] = [[]];
  readonly input: Record<string, string> = {};
  y: number = PAGE.marginY;
  #count = 0;

  add(type: string, content: string, { x, width, height }: Place, more: object): void {
    const name = `${type}${this.#count++}`;
    this.input[name] = content;
    this.pages.at(-1)?.push({
      name,
      type,
      position: { x: mm(x), y: mm(this.y) },
      width: mm(width),
      height: mm(height),
      ...more,
    });
  }

  makeRoom(height: number): void {
    if (this.y + height <= PAGE.height - PAGE.marginY) return;
    this.pages.push([]);
    this.y = PAGE.marginY;
  }
}

function textStyle(size: number, align: Align, bold: boolean, lineHeight: number): object {
  return {
    fontName: bold ? 'SarabunBold' : 'Sarabun',
    fontSize: size,
    alignment: align,
    verticalAlignment: 'top',
    lineHeight,
    characterSpacing: 0,
    fontColor: '#000000',
    backgroundColor: '',
  };
}

function guessWidth(text: string, size: number): number {
  // Marks above and below a letter add no width.
  const letters = text.replace(/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/g, '');
  return letters.length * size * ADVANCE_EM;
}

function heightOf(runs: readonly SheetRun[], size: number, lineHeight: number): number {
  const lines = breakLines(runs, CONTENT_WIDTH, (word) => guessWidth(word, size));
  return lines.length * size * LINE_HEIGHT_EM * lineHeight;
}

function cellStyle(table: TableBlock, bold: boolean): object {
  return {
    fontName: bold ? 'SarabunBold' : 'Sarabun',
    fontSize: table.size,
    alignment: 'left',
    verticalAlignment: 'middle',
    lineHeight: LINE_HEIGHT_EM,
    characterSpacing: 0,
    fontColor: '#000000',
    backgroundColor: '',
    borderColor: TABLE.lineColor,
    borderWidth: { ...NO_BOX, bottom: mm(TABLE.lineWidth) },
    padding: {
      top: mm(table.paddingY),
      bottom: mm(table.paddingY),
      left: mm(TABLE.paddingX),
      right: mm(TABLE.paddingX),
    },
  };
}

function placeTable(placement: Placement, table: TableBlock): void {
  const rowHeight = table.size * LINE_HEIGHT_EM + 2 * table.paddingY + TABLE.lineWidth;
  const height = rowHeight * (table.rows.length + 1);
  const place = { x: PAGE.marginX, width: CONTENT_WIDTH, height };
  const total = table.widths.reduce((sum, width) => sum + width + 2 * TABLE.paddingX, 0);
  placement.add('table', JSON.stringify(table.rows), place, {
    showHead: true,
    repeatHead: true,
    head: table.header,
    headWidthPercentages: table.widths.map((width) => ((width + 2 * TABLE.paddingX) * 100) / total),
    tableStyles: { borderColor: '#000000', borderWidth: 0 },
    headStyles: cellStyle(table, true),
    bodyStyles: { ...cellStyle(table, false), alternateBackgroundColor: '' },
    columnStyles: { alignment: Object.fromEntries(table.aligns.map((align, i) => [i, align])) },
  });
  placement.y += height;
}

function placePairs(placement: Placement, block: Extract<Block, { kind: 'pairs' }>): void {
  const top = placement.y;
  const columnWidth = (CONTENT_WIDTH - PAIRS.columnGap) / 2;
  let bottom = top;
  block.columns.forEach((pairs, column) => {
    placement.y = top;
    const x = PAGE.marginX + column * (columnWidth + PAIRS.columnGap);
    const labelWidth = PAIRS.labelWidth + 2 * PAIRS.paddingX;
    for (const [label, value] of pairs) {
      const lines = guessWidth(value, block.size) > columnWidth - labelWidth ? 2 : 1;
      const height = block.size * LINE_HEIGHT_EM * lines;
      const labelPlace = { x, width: labelWidth, height };
      placement.add('text', label, labelPlace, textStyle(block.size, 'left', true, LINE_HEIGHT_EM));
      const valuePlace = { x: x + labelWidth, width: columnWidth - labelWidth, height };
      placement.add(
        'text',
        value,
        valuePlace,
        textStyle(block.size, 'left', false, LINE_HEIGHT_EM),
      );
      placement.y += height + 2 * PAIRS.paddingY;
    }
    bottom = Math.max(bottom, placement.y);
  });
  placement.y = bottom;
}

function placeText(
  placement: Placement,
  runs: readonly SheetRun[],
  size: number,
  align: Align,
  lineHeight: number,
): void {
  const height = heightOf(runs, size, lineHeight);
  placement.makeRoom(height);
  const place = { x: PAGE.marginX, width: CONTENT_WIDTH, height };
  const bold = runs.every((run) => run.bold);
  const text = runs.map((run) => run.text).join('');
  placement.add('text', text, place, textStyle(size, align, bold, LINE_HEIGHT_EM * lineHeight));
  placement.y += height;
}

function placeBlock(placement: Placement, block: Block): void {
  switch (block.kind) {
    case 'text':
      placeText(placement, block.runs, block.size, block.align, block.lineHeight);
      break;
    case 'masthead': {
      placement.add('image', LOGO_DATA_URL, { x: PAGE.marginX, ...LOGO_PT }, {});
      for (const line of block.lines) placeText(placement, [line], block.size, 'right', 1);
      break;
    }
    case 'pairs':
      placePairs(placement, block);
      break;
    case 'table':
      placeTable(placement, block);
      break;
    case 'qr':
      placement.add(
        'qrcode',
        block.text,
        { x: PAGE.marginX, width: block.size, height: block.size },
        { barColor: '#000000', backgroundColor: '#ffffff' },
      );
      break;
  }
  placement.y += 'after' in block ? block.after : 0;
}

/** The page number: pdfme fills `{currentPage}` and `{totalPages}` on every page. */
const FOOTER_SCHEMA = {
  name: 'footer',
  type: 'text',
  readOnly: true,
  content: `${FOOTER.text[0]}{currentPage}${FOOTER.text[1]}{totalPages}`,
  position: { x: mm(PAGE.marginX), y: mm(PAGE.height - PAGE.marginY + FOOTER.gap) },
  width: mm(CONTENT_WIDTH),
  height: mm(FOOTER.size * LINE_HEIGHT_EM),
  ...textStyle(FOOTER.size, 'center', false, 1),
};

serveSubject<Sheet>({
  version: packageVersion(import.meta.url, '@pdfme/generator'),
  hasChildren: false,
  stage: (_shape, document) => document.sheet(),
  render(sheet) {
    const placement = new Placement();
    for (const block of sheet.blocks) placeBlock(placement, block);
    const basePdf = {
      width: mm(PAGE.width),
      height: mm(PAGE.height),
      padding: [PAGE.marginY, PAGE.marginX, PAGE.marginY, PAGE.marginX].map(mm),
      staticSchema: [FOOTER_SCHEMA],
    };
    const template = { basePdf, schemas: placement.pages };
    return generate({ template, inputs: [placement.input], options: { font }, plugins });
  },
});

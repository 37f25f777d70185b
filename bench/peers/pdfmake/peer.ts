// pdfmake through its public interface. It breaks Thai at spaces only: it has no dictionary.

import { serveSubject } from '../../harness/subject.ts';
import { LOGO_DATA_URL, LOGO_PT } from '../../../lab/shapes/logo.ts';
import { FOOTER, PAGE, PAIRS, TABLE } from '../../../lab/shapes/sheet.ts';
import type { Block, Sheet } from '../../../lab/shapes/sheet.ts';
import { packageVersion, SARABUN } from '../common.ts';

/** The part of pdfmake's interface used here. */
interface PdfMake {
  setFonts(fonts: Record<string, Record<string, string>>): void;
  setUrlAccessPolicy(policy: () => boolean): void;
  setLocalAccessPolicy(policy: () => boolean): void;
  createPdf(definition: Record<string, unknown>): { getBuffer(): Promise<Uint8Array> };
}

// Peers are installed on demand; the widened type keeps TypeScript from resolving the package.
const packageName: string = 'pdfmake';
const pdfmake = ((await import(packageName)) as { default: PdfMake }).default;
pdfmake.setFonts({ Sarabun: { normal: SARABUN.regular, bold: SARABUN.bold } });
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => true);

function tableLayout(paddingY: number): Record<string, unknown> {
  return {
    hLineWidth: () => TABLE.lineWidth,
    vLineWidth: () => 0,
    hLineColor: () => TABLE.lineColor,
    paddingLeft: () => TABLE.paddingX,
    paddingRight: () => TABLE.paddingX,
    paddingTop: () => paddingY,
    paddingBottom: () => paddingY,
  };
}

function contentOf(block: Block): Record<string, unknown> {
  switch (block.kind) {
    case 'text':
      return {
        text: block.runs.map(({ text, bold }) => ({ text, bold })),
        fontSize: block.size,
        alignment: block.align,
        lineHeight: block.lineHeight,
        margin: [0, 0, 0, block.after],
      };
    case 'masthead':
      return {
        columns: [
          { image: LOGO_DATA_URL, width: LOGO_PT.width },
          {
            width: '*',
            alignment: 'right',
            fontSize: block.size,
            stack: block.lines.map(({ text, bold }) => ({ text, bold })),
          },
        ],
        margin: [0, 0, 0, block.after],
      };
    case 'pairs':
      return {
        columns: block.columns.map((pairs) => ({
          width: '*',
          fontSize: block.size,
          // Pads as PAIRS: 4 pt between the columns, and by pdfmake's default 2 pt above and below.
          layout: 'noBorders',
          table: {
            widths: [PAIRS.labelWidth, '*'],
            body: pairs.map(([label, value]) => [{ text: label, bold: true }, value]),
          },
        })),
        columnGap: PAIRS.columnGap,
        margin: [0, 0, 0, block.after],
      };
    case 'table':
      return {
        table: {
          headerRows: 1,
          widths: [...block.widths],
          body: [
            block.header.map((text, i) => ({ text, bold: true, alignment: block.aligns[i] })),
            ...block.rows.map((row) =>
              row.map((text, i) => ({ text, alignment: block.aligns[i] })),
            ),
          ],
        },
        layout: tableLayout(block.paddingY),
        fontSize: block.size,
        margin: [0, 0, 0, block.after],
      };
    case 'qr':
      return { qr: block.text, fit: block.size, eccLevel: 'M' };
  }
}

serveSubject<Sheet>({
  version: packageVersion(import.meta.url, 'pdfmake'),
  hasChildren: false,
  stage: (_shape, document) => document.sheet(),
  render: (sheet) =>
    pdfmake
      .createPdf({
        pageSize: 'A4',
        pageMargins: [PAGE.marginX, PAGE.marginY, PAGE.marginX, PAGE.marginY],
        defaultStyle: { font: 'Sarabun', fontSize: 10 },
        footer: (page: number, pages: number) => ({
          text: `${FOOTER.text[0]}${page}${FOOTER.text[1]}${pages}`,
          alignment: 'center',
          fontSize: FOOTER.size,
          margin: [0, FOOTER.gap, 0, 0],
        }),
        content: sheet.blocks.map(contentOf),
      })
      .getBuffer(),
});

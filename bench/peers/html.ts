import { readFileSync } from 'node:fs';
import { LOGO_DATA_URL, LOGO_PT } from '../../lab/shapes/logo.ts';
import { FOOTER, LINE_HEIGHT_EM, PAGE, PAIRS, TABLE } from '../../lab/shapes/sheet.ts';
import type { Block, Sheet, SheetRun } from '../../lab/shapes/sheet.ts';
import { qrPath, SARABUN } from './common.ts';
import type { QrModule } from './common.ts';

/** The sheet as a web page, for the peers that print HTML. */
function fontFace(path: string, weight: string): string {
  const data = readFileSync(path).toString('base64');
  return (
    `@font-face{font-family:Sarabun;font-weight:${weight};` +
    `src:url(data:font/ttf;base64,${data}) format("truetype")}`
  );
}

export const FONT_CSS = fontFace(SARABUN.regular, 'normal') + fontFace(SARABUN.bold, 'bold');

export const STYLE_CSS = `
@page{size:A4;margin:${PAGE.marginY}pt ${PAGE.marginX}pt;
  @bottom-center{content:"${FOOTER.text[0]}" counter(page) "${FOOTER.text[1]}" counter(pages);
    font:${FOOTER.size}pt Sarabun}}
body{margin:0;font:10pt/${LINE_HEIGHT_EM} Sarabun;text-rendering:geometricPrecision}
p{margin:0;orphans:1;widows:1}
table{border-collapse:collapse;width:100%}
th{font-weight:bold}
thead{display:table-header-group}
.items tr{border-bottom:${TABLE.lineWidth}pt solid ${TABLE.lineColor};break-inside:avoid}
.items th,.items td{padding:0 ${TABLE.paddingX}pt}
.head td:last-child{text-align:right}
.head td,.pairs>tbody>tr>td{vertical-align:top;padding:0}
.head img{width:${LOGO_PT.width}pt;height:${LOGO_PT.height}pt}
.pairs{table-layout:fixed}
.pairs .gap{width:${PAIRS.columnGap}pt}
.pairs .pair td{vertical-align:top;padding:${PAIRS.paddingY}pt 0}
.pairs .pair td:first-child{font-weight:bold;width:${PAIRS.labelWidth + 2 * PAIRS.paddingX}pt}
`;

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function runHtml({ text, bold }: SheetRun): string {
  return bold ? `<b>${escape(text)}</b>` : escape(text);
}

function cellsHtml(cells: readonly string[], aligns: readonly string[], tag: string): string {
  return cells
    .map((cell, i) => `<${tag} style="text-align:${aligns[i]}">${escape(cell)}</${tag}>`)
    .join('');
}

function blockHtml(block: Block, qr: QrModule): string {
  switch (block.kind) {
    case 'text': {
      const style =
        `font-size:${block.size}pt;text-align:${block.align};` +
        `line-height:${LINE_HEIGHT_EM * block.lineHeight};margin-bottom:${block.after}pt`;
      return `<p style="${style}">${block.runs.map(runHtml).join('')}</p>`;
    }
    case 'masthead': {
      const lines = block.lines.map((line) => `<p>${runHtml(line)}</p>`).join('');
      const style = `font-size:${block.size}pt;margin-bottom:${block.after}pt`;
      return (
        `<table class="head" style="${style}"><tr><td><img src="${LOGO_DATA_URL}"></td>` +
        `<td>${lines}</td></tr></table>`
      );
    }
    case 'pairs': {
      const tables = block.columns.map((pairs) => {
        const rows = pairs.map(
          ([label, value]) => `<tr><td>${escape(label)}</td><td>${escape(value)}</td></tr>`,
        );
        return `<td><table class="pair">${rows.join('')}</table></td>`;
      });
      const style = `font-size:${block.size}pt;margin-bottom:${block.after}pt`;
      const row = tables.join('<td class="gap"></td>');
      return `<table class="pairs" style="${style}"><tr>${row}</tr></table>`;
    }
    case 'table': {
      const columns = block.widths.map(
        (width) => `<col style="width:${width + 2 * TABLE.paddingX}pt">`,
      );
      const head = cellsHtml(block.header, block.aligns, 'th');
      const rows = block.rows.map((row) => `<tr>${cellsHtml(row, block.aligns, 'td')}</tr>`);
      const style =
        `table-layout:fixed;font-size:${block.size}pt;margin-bottom:${block.after}pt;` +
        `line-height:${LINE_HEIGHT_EM * block.size + 2 * block.paddingY}pt`;
      return (
        `<table class="items" style="${style}"><colgroup>${columns.join('')}</colgroup>` +
        `<thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
      );
    }
    case 'qr': {
      const { path, size } = qrPath(qr, block.text);
      return (
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" ` +
        `width="${block.size}pt" height="${block.size}pt"><path d="${path}"/></svg>`
      );
    }
  }
}

/** The content of `<body>`. */
export function bodyHtml(sheet: Sheet, qr: QrModule): string {
  return sheet.blocks.map((block) => blockHtml(block, qr)).join('\n');
}

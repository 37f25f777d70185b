import { createRequire } from 'node:module';
import { render, shareTemplate } from '../../lab/render.ts';

/** A document definition that both engines read: pure data, with no bindings but page numbers. */
export type Definition = Readonly<Record<string, unknown>>;

/** Our PDF of a definition. Throws where it does not compile or lay out. */
export async function renderByUs(definition: Definition): Promise<Uint8Array> {
  const file = { templateId: 'compare', name: 'compare', fields: [], document: definition };
  const { pdf } = await render(shareTemplate(JSON.stringify(file)), {}, { atMs: 0 });
  return pdf;
}

interface Pdfmake {
  setFonts(fonts: unknown): void;
  setUrlAccessPolicy(allows: () => boolean): void;
  setLocalAccessPolicy(allows: () => boolean): void;
  createPdf(definition: unknown): { getBuffer(): Promise<Uint8Array> };
}

const require = createRequire(import.meta.url);
// pdfmake ships no types; these are the calls that its documentation names.
const pdfmake = require('pdfmake') as Pdfmake;

const folder = new URL('../../node_modules/pdfmake/build/fonts/Roboto/', import.meta.url).pathname;
pdfmake.setFonts({
  Roboto: {
    normal: `${folder}Roboto-Regular.ttf`,
    bold: `${folder}Roboto-Medium.ttf`,
    italics: `${folder}Roboto-Italic.ttf`,
    bolditalics: `${folder}Roboto-MediumItalic.ttf`,
  },
});
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => true);

/** pdfmake's PDF of the same definition. Parts that pdfmake expects as functions are converted. */
export async function renderByPdfmake(definition: Definition): Promise<Uint8Array> {
  // pdfmake changes the objects it gets, hence the copy.
  const copy = withFunctions(structuredClone(definition)) as Record<string, unknown>;
  for (const key of ['header', 'footer', 'background']) {
    const node = copy[key];
    if (node !== undefined) copy[key] = runningElement(node);
  }
  return pdfmake.createPdf(copy).getBuffer();
}

function runningElement(node: unknown): (page: number, pages: number) => unknown {
  const text = JSON.stringify(node);
  return (page, pages) =>
    JSON.parse(
      text.replaceAll('{{page}}', String(page)).replaceAll('{{pages}}', String(pages)),
    ) as unknown;
}

/** Table layouts as data become pdfmake's functions. */
function withFunctions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFunctions);
  if (value === null || typeof value !== 'object') return value;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    copy[key] =
      key === 'layout' && typeof inner === 'object' && inner !== null
        ? layoutFunctions(inner as Record<string, unknown>)
        : withFunctions(inner);
  }
  return copy;
}

interface TableNode {
  readonly table: { readonly body: unknown[]; readonly widths: unknown[]; headerRows?: number };
}

function layoutFunctions(layout: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const functions: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(layout)) {
    functions[key] =
      key === 'defaultBorder' || key === 'hLineWhenBroken'
        ? value
        : (index: number, node: TableNode) => valueAt(key, value, index, node);
  }
  return functions;
}

/** An entry of a layout as data, at a line, row or column. */
function valueAt(key: string, value: unknown, index: number, { table }: TableNode): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return Array.isArray(value) ? value[index] : value;
  }
  const by = value as Record<string, unknown>;
  const isColumn = key.startsWith('v') || key === 'paddingLeft' || key === 'paddingRight';
  const isLine = key.startsWith('hLine') || key.startsWith('vLine');
  const count = (isColumn ? table.widths.length : table.body.length) - (isLine ? 0 : 1);
  if (index === 0 && 'first' in by) return by['first'];
  if (index === count && 'last' in by) return by['last'];
  if ((index === 0 || index === count) && 'outer' in by) return by['outer'];
  if (index > 0 && index < count && 'inner' in by) return by['inner'];
  if (isLine && index === table.headerRows && 'header' in by) return by['header'];
  if (!isLine && index < (table.headerRows ?? 0) && 'header' in by) return by['header'];
  const parity = index % 2 === 0 ? 'even' : 'odd';
  return parity in by ? by[parity] : by['rest'];
}

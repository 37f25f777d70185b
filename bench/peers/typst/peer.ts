import { join } from 'node:path';
import { serveSubject } from '../../harness/subject.ts';
import { LOGO_PNG, LOGO_PT } from '../../../lab/shapes/logo.ts';
import { CONTENT_WIDTH, FOOTER, PAGE, PAIRS, TABLE } from '../../../lab/shapes/sheet.ts';
import type { Sheet } from '../../../lab/shapes/sheet.ts';
import { packageVersion, qrPath, SARABUN } from '../common.ts';
import type { QrModule } from '../common.ts';
import { openTypst, type TypstModule } from './compiler.ts';

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['@myriaddreamin/typst-ts-node-compiler', 'qrcode'] as const;
const typst = (await import(packages[0])) as TypstModule;
const qr = ((await import(packages[1])) as { default: QrModule }).default;

const pdfTags = process.argv.includes('--tagged');
const main = join(import.meta.dirname, 'sheet.typ');
const fonts = [SARABUN.regular, SARABUN.bold];
const draw = openTypst(typst, main, fonts, { pictures: { 'logo.png': LOGO_PNG }, pdfTags });

const GEOMETRY = {
  page: PAGE,
  pairs: PAIRS,
  table: TABLE,
  logo: LOGO_PT,
  contentWidth: CONTENT_WIDTH,
};

function inputs(sheet: Sheet): Record<string, string> {
  const blocks = sheet.blocks.map((block) => {
    if (block.kind !== 'qr') return block;
    const { path, size } = qrPath(qr, block.text);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path d="${path}"/></svg>`;
    return { ...block, svg };
  });
  return { sheet: JSON.stringify({ blocks, footer: FOOTER, ...GEOMETRY }) };
}

serveSubject<Sheet>({
  version: packageVersion(import.meta.url, packages[0]),
  hasChildren: false,
  stage: (_shape, document) => document.sheet(),
  async render(sheet) {
    return draw(inputs(sheet));
  },
});

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { serveSubject } from '../../harness/subject.ts';
import { LOGO_PNG, LOGO_PT } from '../../../lab/shapes/logo.ts';
import { CONTENT_WIDTH, FOOTER, PAGE, PAIRS, TABLE } from '../../../lab/shapes/sheet.ts';
import type { Sheet } from '../../../lab/shapes/sheet.ts';
import { packageVersion, qrPath, SARABUN } from '../common.ts';
import type { QrModule } from '../common.ts';

/** Typst in this process: one source, recompiled for each document's data; `--tagged` or not. */
interface Compiler {
  mapShadow(path: string, content: Buffer): void;
  pdf(
    source: { mainFilePath: string; inputs: Record<string, string> },
    options: { pdfTags: boolean },
  ): Uint8Array;
  evictCache(maxAge: number): void;
}

interface TypstModule {
  NodeCompiler: {
    create(options: { workspace: string; fontArgs: { fontPaths: string[] }[] }): Compiler;
  };
}

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['@myriaddreamin/typst-ts-node-compiler', 'qrcode'] as const;
const { NodeCompiler } = (await import(packages[0])) as TypstModule;
const qr = ((await import(packages[1])) as { default: QrModule }).default;

const tagged = process.argv.includes('--tagged');
const workspace = dirname(new URL(import.meta.url).pathname);
const compiler = NodeCompiler.create({
  workspace,
  fontArgs: [{ fontPaths: [dirname(SARABUN.regular), dirname(SARABUN.bold)] }],
});
const MAIN = `${workspace}/sheet.typ`;
compiler.mapShadow(`${workspace}/logo.png`, LOGO_PNG);
compiler.mapShadow(MAIN, readFileSync(MAIN));

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
    const pdf = compiler.pdf({ mainFilePath: MAIN, inputs: inputs(sheet) }, { pdfTags: tagged });
    // Without this its memory would grow without bound; results of the last documents stay.
    compiler.evictCache(10);
    return pdf;
  },
});

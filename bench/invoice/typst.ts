import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PEERS, peerScript } from '../peers/list.ts';
import { ROBOTO, sheetOf } from './document.ts';
import type { Render } from './libraries/libraries.ts';

/** The peer in whose folder the packages of Typst are installed. */
export const TYPST = PEERS.find(({ name }) => name === 'typst');

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

/** Typst in this process, untagged: one source, compiled anew for each invoice, fonts read once. */
export async function typst(): Promise<Render> {
  if (TYPST === undefined) throw new Error('Typst is one of the peers');
  const load = createRequire(peerScript(TYPST));
  const { NodeCompiler } = load('@myriaddreamin/typst-ts-node-compiler') as TypstModule;
  const workspace = import.meta.dirname;
  const main = join(workspace, 'invoice.typ');
  const fontPaths = [dirname(ROBOTO.regular), dirname(ROBOTO.bold)];
  const compiler = NodeCompiler.create({ workspace, fontArgs: [{ fontPaths }] });
  compiler.mapShadow(main, readFileSync(main));
  return async (data) => {
    const sheet = JSON.stringify({ ...sheetOf(data), width: 595.28, height: 841.89 });
    const pdf = compiler.pdf({ mainFilePath: main, inputs: { sheet } }, { pdfTags: false });
    // Without this its memory would grow without bound; results of the last documents stay.
    compiler.evictCache(10);
    return pdf;
  };
}

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PEERS, peerScript } from '../peers/list.ts';
import { openTypst, type TypstModule } from '../peers/typst/compiler.ts';
import { ROBOTO, sheetOf } from './document.ts';
import type { Render } from './libraries/libraries.ts';

/** The peer in whose folder the packages of Typst are installed. */
export const TYPST = PEERS.find(({ name }) => name === 'typst');

/** Typst in this process; its PDFs are untagged. */
export async function typst(): Promise<Render> {
  if (TYPST === undefined) throw new Error('Typst is one of the peers');
  const load = createRequire(peerScript(TYPST));
  const module = load('@myriaddreamin/typst-ts-node-compiler') as TypstModule;
  const main = join(import.meta.dirname, 'invoice.typ');
  const fonts = [ROBOTO.regular, ROBOTO.bold];
  const draw = openTypst(module, main, fonts, { pictures: {}, pdfTags: false });
  return async (data) =>
    draw({ sheet: JSON.stringify({ ...sheetOf(data), width: 595.28, height: 841.89 }) });
}

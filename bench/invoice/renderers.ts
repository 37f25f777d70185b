import { createEngine } from '#engine';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';
import { TEMPLATE } from './document.ts';
import { jspdf, pdfkit, pdfLib, type Render } from './libraries/libraries.ts';
import { typst } from './typst.ts';

export const RENDERER_NAMES = ['intaglio', 'jspdf', 'pdf-lib', 'pdfkit', 'typst'] as const;
export type RendererName = (typeof RENDERER_NAMES)[number];

/** Each library as fast as its interface allows: font files are read once, fonts parsed once if it can. */
export const RENDERERS: Readonly<Record<RendererName, () => Promise<Render>>> = {
  intaglio,
  jspdf,
  'pdf-lib': pdfLib,
  pdfkit,
  typst,
};

/** The service's engine, with the bytes of a request. */
async function intaglio(): Promise<Render> {
  const engine = createEngine();
  const document = { data: {}, sheet: () => ({ blocks: [] }), strings: () => [] };
  const shape = {
    name: 'A',
    title: '',
    pages: 1,
    template: TEMPLATE,
    document: () => document,
  } as const;
  const template = shareTemplate(shape, 1);
  return async (data) => {
    const job = renderJob(shape, { ...document, data: { ...data } }, template, false);
    const result = await engine.render(job);
    if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
    return result.value.pdf;
  };
}

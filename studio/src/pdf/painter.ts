/**
 * The thread that opens, draws and reads PDFs, with pdf.js. The page's own thread only shows the
 * finished pictures: a key never waits for a slice of the drawing, and the fonts of a PDF, which
 * belong to this thread, do not make the browser lay out the page again.
 */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { getDocument, OPS, PDFWorker } from 'pdfjs-dist';
import { drawnText, looksSpaced, pageText, respaced } from '../compare/page-text.ts';
import { pageRows, type TextRow } from '../compare/rows.ts';
import { type PagePicture, picturesOf } from './page-pictures.ts';
import parserUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** Width and height of a page in points, as it is turned. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A document that is held until it is closed. */
export interface OpenedPdf {
  readonly id: number;
  readonly pages: readonly PageSize[];
}

/** What can be read on a page. */
export interface PageText {
  /** In content order, with a line break wherever a line or a column ends. */
  readonly text: string;
  /** From top to bottom. */
  readonly rows: readonly TextRow[];
}

/** The tasks of this thread. A failed task is rejected with the text of the error from pdf.js. */
export interface Tasks {
  readonly open: (bytes: Uint8Array, password: string) => Promise<OpenedPdf>;
  /** Draws a page, counted from 1, moved down by `downPt`; at scale 1 a point is a pixel. */
  readonly draw: (id: number, page: number, scale: number, downPt: number) => Promise<ImageBitmap>;
  readonly text: (id: number, page: number) => Promise<PageText>;
  readonly pictures: (id: number, page: number) => Promise<readonly PagePicture[]>;
  readonly close: (id: number) => Promise<void>;
}

/** One of the tasks; a port for the outcome comes with it. */
export type Request = {
  readonly [Name in keyof Tasks]: { readonly task: Name; readonly input: Parameters<Tasks[Name]> };
}[keyof Tasks];

export type Outcome = { readonly value: unknown } | { readonly fault: string };

/** Stands in for `document`: pdf.js needs it for fonts and to create canvases. */
const surroundings = {
  fonts: (globalThis as unknown as { fonts: FontFaceSet }).fonts,
  createElement: () => new OffscreenCanvas(1, 1),
} as unknown as HTMLDocument;

/**
 * The SVG filters for soft masks and transfer functions (ISO 32000-2, 11.6.5) need a page. Without
 * them, pdf.js computes the same from the pixels.
 */
class NoFilters {
  addFilter = (): string => 'none';
  addHCMFilter = (): string => 'none';
  addAlphaFilter = (): string => 'none';
  addLuminosityFilter = (): string => 'none';
  addKnockoutFilter = (): string => 'none';
  destroy = (): void => undefined;
}

const port = new Worker(parserUrl, { type: 'module', name: 'pdf-parser' });
// pdf.js would wait for ever; the page that started this thread is told.
port.addEventListener('error', () => {
  setTimeout(() => {
    throw new Error('the parser of PDFs does not start');
  });
});
const worker = PDFWorker.create({ port });

const opened = new Map<number, PDFDocumentProxy>();
let lastId = 0;

const tasks: Tasks = {
  open: async (bytes, password) => {
    const pdf = await getDocument({
      data: bytes,
      worker,
      password,
      ownerDocument: surroundings,
      FilterFactory: NoFilters,
      // The page's Content-Security-Policy forbids WebAssembly.
      useWasm: false,
      enableXfa: false,
    }).promise;
    const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1);
    const pages = await Promise.all(numbers.map((number) => sizeOf(pdf, number)));
    lastId += 1;
    opened.set(lastId, pdf);
    return { id: lastId, pages };
  },
  draw: async (id, number, scale, downPt) => {
    const page = await find(id).getPage(number);
    const viewport = page.getViewport({ scale, offsetY: downPt * scale });
    const width = Math.max(1, Math.round(viewport.width));
    const height = Math.max(1, Math.round(viewport.height));
    const canvas = new OffscreenCanvas(width, height);
    // pdf.js draws on this kind, too; its types know only the other.
    await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
    return canvas.transferToImageBitmap();
  },
  text: async (id, number) => {
    const page = await find(id).getPage(number);
    const { items } = await page.getTextContent();
    const pieces = items.filter((item) => 'str' in item);
    const found = pageText(pieces);
    const text = found.split('\n').some(looksSpaced)
      ? respaced(found, drawnText(await page.getOperatorList(), OPS.showText))
      : found;
    const viewport = page.getViewport({ scale: 1 });
    const rows = pageRows(pieces, (x, y) => viewport.convertToViewportPoint(x, y));
    return { text, rows };
  },
  pictures: async (id, number) => picturesOf(await find(id).getPage(number)),
  close: async (id) => {
    const pdf = find(id);
    opened.delete(id);
    await pdf.loadingTask.destroy();
  },
};

async function sizeOf(pdf: PDFDocumentProxy, number: number): Promise<PageSize> {
  const { width, height } = (await pdf.getPage(number)).getViewport({ scale: 1 });
  return { width, height };
}

function find(id: number): PDFDocumentProxy {
  const pdf = opened.get(id);
  if (pdf === undefined) throw new Error(`document ${id} is closed`);
  return pdf;
}

async function perform({ task, input }: Request): Promise<unknown> {
  if (task === 'open') return tasks.open(...input);
  if (task === 'draw') return tasks.draw(...input);
  if (task === 'text') return tasks.text(...input);
  if (task === 'pictures') return tasks.pictures(...input);
  return tasks.close(...input);
}

async function respond(request: Request, reply: MessagePort): Promise<void> {
  try {
    const value = await perform(request);
    const outcome: Outcome = { value };
    reply.postMessage(outcome, value instanceof ImageBitmap ? [value] : []);
  } catch (error) {
    // pdf.js throws values that need not be Errors.
    const outcome: Outcome = { fault: String(error) };
    reply.postMessage(outcome);
  }
}

addEventListener('message', ({ data, ports }: MessageEvent<Request>) => {
  const [reply] = ports;
  if (reply === undefined) throw new Error('a request without a port');
  void respond(data, reply);
});

import type { PDFDocumentProxy } from 'pdfjs-dist';
import { getDocument, GlobalWorkerOptions, PDFWorker } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

let worker: PDFWorker | null = null;

/** The script that reads PDFs could not be fetched; the page has to be loaded again. */
export class EngineNotLoaded extends Error {}

/**
 * Opens a PDF in the worker that all previews share. The bytes are transferred to it. Throws
 * EngineNotLoaded, or what pdf.js throws for a wrong password or an unreadable file.
 */
export async function openPdf(bytes: Uint8Array, password = ''): Promise<PDFDocumentProxy> {
  if (worker === null || worker.destroyed) worker = PDFWorker.create({ name: 'pdf' });
  try {
    await worker.promise;
  } catch (error) {
    throw new EngineNotLoaded('the worker of pdf.js does not start', { cause: error });
  }
  return getDocument({
    data: bytes,
    worker,
    password,
    // The page's Content-Security-Policy forbids WebAssembly.
    useWasm: false,
    enableXfa: false,
  }).promise;
}

/** Drawing goes on this long after a key, which has the browser to itself meanwhile. */
const AFTER_KEY_MS = 120;
let lastKeyAtMs = Number.NEGATIVE_INFINITY;
addEventListener('keydown', ({ timeStamp }) => (lastKeyAtMs = timeStamp), { capture: true });

/** Resolves when no key was pressed during the last AFTER_KEY_MS. */
async function untilTypingPauses(): Promise<void> {
  for (;;) {
    const waitMs = lastKeyAtMs + AFTER_KEY_MS - performance.now();
    if (waitMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Draws a page at a scale, in the pauses of typing; 1 is 72 dpi. */
export async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  scale: number,
): Promise<HTMLCanvasElement> {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await untilTypingPauses();
  const task = page.render({ canvas, viewport });
  task.onContinue = (resume: () => void) => void untilTypingPauses().then(resume);
  await task.promise;
  return canvas;
}

/** Text of a page in content order, with a line break wherever the baseline changes. */
export async function textOf(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  let text = '';
  let baseline = Number.NaN;
  for (const item of items) {
    if (!('str' in item)) continue;
    const y = Math.round(Number(item.transform[5]));
    if (text !== '' && y !== baseline && item.str !== '') text += '\n';
    if (item.str !== '') baseline = y;
    text += item.str;
  }
  return text;
}

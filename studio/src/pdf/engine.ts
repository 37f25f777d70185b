import type { PagePicture } from './page-pictures.ts';
import type { OpenedPdf, Outcome, PageText, Request, Tasks } from './painter.ts';

export type { OpenedPdf, PageSize, PageText } from './painter.ts';

/** The scripts that read PDFs could not be fetched; the page has to be loaded again. */
export class EngineNotLoaded extends Error {}

/** The thread with pdf.js. */
interface Painter {
  readonly worker: Worker;
  /** Rejected when the thread fails; then its tasks have no outcome. */
  readonly failed: Promise<never>;
}

let painter: Painter | null = null;

function startPainter(): Painter {
  const worker = new Worker(new URL('./painter.ts', import.meta.url), {
    type: 'module',
    name: 'pdf',
  });
  const { promise, reject } = Promise.withResolvers<never>();
  worker.addEventListener('error', (event) => {
    // The page says it.
    event.preventDefault();
    worker.terminate();
    reject(new EngineNotLoaded(`the thread of pdf.js fails: ${event.message}`));
  });
  // Nobody may be waiting when it fails.
  promise.catch(() => undefined);
  return { worker, failed: promise };
}

/** Has a task done by the painter, which all previews share. */
function ask<Name extends keyof Tasks>(
  task: Name,
  input: Parameters<Tasks[Name]>,
  transfer: readonly Transferable[] = [],
): ReturnType<Tasks[Name]> {
  painter ??= startPainter();
  const { worker, failed } = painter;
  const { port1, port2 } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  port1.addEventListener('message', ({ data }: MessageEvent<Outcome>) => {
    port1.close();
    if ('fault' in data) reject(new Error(data.fault));
    else resolve(data.value);
  });
  port1.start();
  const request = { task, input } as Request;
  worker.postMessage(request, [...transfer, port2]);
  // The painter's outcome of a task is of that task's type.
  return Promise.race([promise, failed]) as ReturnType<Tasks[Name]>;
}

/**
 * Opens a PDF, whose bytes are transferred. Throws EngineNotLoaded, or an Error for a wrong password
 * or an unreadable file.
 */
export function openPdf(bytes: Uint8Array, password = ''): Promise<OpenedPdf> {
  return ask('open', [bytes, password], [bytes.buffer as ArrayBuffer]);
}

/** Gives back the memory of a PDF. What is being drawn of it is rejected. */
export async function closePdf({ id }: OpenedPdf): Promise<void> {
  await ask('close', [id]);
}

/** Draws a page, counted from 1, moved down by `downPt`; at scale 1, 72 dpi, a point is a pixel. */
export async function drawPage(
  { id }: OpenedPdf,
  page: number,
  scale: number,
  downPt = 0,
): Promise<HTMLCanvasElement> {
  const bitmap = await ask('draw', [id, page, scale, downPt]);
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
  return canvas;
}

/** What can be read on a page, counted from 1. */
export function textOf({ id }: OpenedPdf, page: number): Promise<PageText> {
  return ask('text', [id, page]);
}

/** The pictures that a page paints; none if the document has no such page. */
export async function picturesOn(pdf: OpenedPdf, page: number): Promise<readonly PagePicture[]> {
  return page > pdf.pages.length ? [] : ask('pictures', [pdf.id, page]);
}

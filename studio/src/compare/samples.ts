import { ApiError, call, readBody } from '../api/client.ts';
import type { Data, Sample } from '../api/template-data.ts';
import { serverMs } from '../editor/preview.ts';
import type { OpenedPdf, PageText } from '../pdf/engine.ts';
import { closePdf, drawPage, openPdf, picturesOn, textOf } from '../pdf/engine.ts';
import type { LineChange } from './lines.ts';
import { compareLines } from './lines.ts';
import { comparePages } from './pixels.ts';
import { findMoves } from './rows.ts';

/** A document rendered from a sample: its size and rendering time. */
export interface Rendering {
  readonly sizeBytes: number;
  readonly renderMs: number;
}

/** The same page of both documents, and how they differ. */
export interface PagePair {
  /** Null if that document has no such page, or if there is no published version to compare with. */
  readonly before: HTMLCanvasElement | null;
  /** Null if that document has no such page. */
  readonly after: HTMLCanvasElement | null;
  /** Drawn over `after`, marks where the two differ; null if they are equal or `before` is missing. */
  readonly marks: HTMLCanvasElement | null;
  readonly changedPixels: number;
  /** Whether a place differs that has not just moved up or down with its row of text. */
  readonly hasChanged: boolean;
  /** Number of the rows of text that only moved. */
  readonly movedRows: number;
  readonly lines: readonly LineChange[];
  /** Sizes, as `300x20`, of the pictures that `after` paints and `before` does not. */
  readonly newPictures: readonly string[];
}

export interface Comparison {
  readonly before: Rendering | null;
  readonly after: Rendering;
  readonly pages: readonly PagePair[];
  /** Number of the pages after those, which are not compared. */
  readonly leftOut: number;
}

/** Pixels per point: enough to see a comma, few enough to hold many pages in memory. */
const SCALE = 1.4;
/** Pages compared per sample. */
const PAGES_MAX = 40;
/** Attempts at a request, as long as the service says when to retry. */
const TRIES_MAX = 8;

/** The rendering with its pages, while they are compared. */
interface OpenRendering extends Rendering {
  readonly pdf: OpenedPdf;
}

/**
 * Renders a sample from two versions, or a version and the draft, and compares them by page. The
 * earlier version may have its own data for the sample.
 */
export async function compareSample(
  templateId: string,
  version: number | null,
  sample: Sample,
  shown: number | 'draft' = 'draft',
  dataBefore: Data = sample.data,
): Promise<Comparison> {
  const after = await render(templateId, shown, sample.data);
  let before: OpenRendering | null = null;
  try {
    if (version !== null) before = await renderPublished(templateId, version, dataBefore);
    const all = Math.max(after.pdf.pages.length, before?.pdf.pages.length ?? 0);
    const count = Math.min(PAGES_MAX, all);
    const pages: PagePair[] = [];
    for (let number = 1; number <= count; number += 1) {
      pages.push(await comparePair(before?.pdf ?? null, after.pdf, number));
    }
    return { before, after, pages, leftOut: all - count };
  } finally {
    await Promise.all([closePdf(after.pdf), before === null ? null : closePdf(before.pdf)]);
  }
}

/** Renders the published version; null: its contract does not accept this sample. */
async function renderPublished(
  templateId: string,
  version: number,
  data: Data,
): Promise<OpenRendering | null> {
  try {
    return await render(templateId, version, data);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_data') return null;
    throw error;
  }
}

/** Renders the draft or a version, and opens it. */
async function render(
  templateId: string,
  version: number | 'draft',
  data: Data,
): Promise<OpenRendering> {
  const { bytes, renderMs } = await fetchPdf(templateId, version, data);
  const sizeBytes = bytes.byteLength;
  return { sizeBytes, renderMs, pdf: await openPdf(bytes) };
}

/** The PDF of a version with this data. */
export async function renderSample(
  templateId: string,
  version: number,
  data: Data,
): Promise<Uint8Array> {
  return (await fetchPdf(templateId, version, data)).bytes;
}

/** Asks for a PDF of the draft or a version; retries when the service asks the caller to wait. */
async function fetchPdf(
  templateId: string,
  version: number | 'draft',
  data: Data,
): Promise<{ readonly bytes: Uint8Array; readonly renderMs: number }> {
  const isDraft = version === 'draft';
  const address = isDraft ? '/v1/previews' : '/v1/generate';
  const source = isDraft ? { draft: true } : { version };
  const body = { templateId, ...source, mode: 'sync', data };
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await call(address, { method: 'POST', body });
      const bytes = new Uint8Array(await readBody(response.arrayBuffer()));
      return { bytes, renderMs: serverMs(response) };
    } catch (error) {
      const waitSeconds = error instanceof ApiError ? error.retryAfterSeconds : 0;
      if (waitSeconds === 0 || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
    }
  }
}

/** The comparison of a page that only one of the two documents has. */
const UNCOMPARED = {
  marks: null,
  changedPixels: 0,
  hasChanged: false,
  movedRows: 0,
  lines: [],
  newPictures: [],
};

async function comparePair(
  before: OpenedPdf | null,
  after: OpenedPdf,
  number: number,
): Promise<PagePair> {
  const [beforePage, afterPage] = await Promise.all([
    readPage(before, number),
    readPage(after, number),
  ]);
  if (before === null) {
    return { before: null, after: afterPage.canvas, ...UNCOMPARED };
  }
  const moves = findMoves(beforePage.rows, afterPage.rows);
  const drawings: HTMLCanvasElement[] = [];
  if (number <= before.pages.length) {
    for (const downPt of moves.distances) {
      drawings.push(await drawPage(before, number, SCALE, downPt));
    }
  }
  const moved = { moves, drawings, scale: SCALE };
  const { differing, hasChanged, marks } = comparePages(beforePage.canvas, afterPage.canvas, moved);
  const lines = compareLines(beforePage.text, afterPage.text).filter(
    ({ text }) => text.trim() !== '',
  );
  return {
    before: beforePage.canvas,
    after: afterPage.canvas,
    marks,
    changedPixels: differing,
    hasChanged,
    movedRows: moves.count,
    lines,
    // Where nothing looks different, no other picture is seen.
    newPictures: hasChanged ? await newPictures(before, after, number) : [],
  };
}

async function newPictures(
  before: OpenedPdf,
  after: OpenedPdf,
  number: number,
): Promise<readonly string[]> {
  const old = new Set((await picturesOn(before, number)).map(({ digest }) => digest));
  const now = await picturesOn(after, number);
  return now.filter(({ digest }) => !old.has(digest)).map(({ size }) => size);
}

async function readPage(
  pdf: OpenedPdf | null,
  number: number,
): Promise<PageText & { readonly canvas: HTMLCanvasElement | null }> {
  if (pdf === null || number > pdf.pages.length) return { canvas: null, text: '', rows: [] };
  return { canvas: await drawPage(pdf, number, SCALE), ...(await textOf(pdf, number)) };
}

import type { ApiError } from '../api/client.ts';
import { call, readBody } from '../api/client.ts';
import { readPatiently } from '../api/patience.ts';
import type { Data } from '../api/template-data.ts';

/** Requests for one preview; the editor repeats one that is still refused. */
const TRIES_MAX = 2;

/** A draft as a PDF. */
export interface Preview {
  readonly pdf: Uint8Array;
  /** When the text or the data last changed, as `performance.now()`. */
  readonly changedAtMs: number;
  /** Time from that change to the response. */
  readonly latencyMs: number;
  readonly renderMs: number;
}

/** The page branches on the error's code: invalid data is corrected in the form. */
export type PreviewState =
  | { readonly state: 'none' }
  | { readonly state: 'shown'; readonly preview: Preview }
  | { readonly state: 'refused'; readonly error: ApiError; readonly preview: Preview | null };

/**
 * A save brings its preview with it if the last one was rendered this fast. One that takes longer
 * is requested apart, because a save must not wait for it.
 */
const QUICK_RENDER_MS = 100;

/** Whether the last preview was rendered fast enough to come with a save. */
export function isQuick(last: PreviewState): boolean {
  return last.state === 'shown' && last.preview.renderMs <= QUICK_RENDER_MS;
}

/** Renders the draft that the server has. */
export async function requestPreview(
  templateId: string,
  data: Data,
  signal: AbortSignal,
): Promise<Pick<Preview, 'pdf' | 'renderMs'>> {
  const body = { templateId, mode: 'sync', draft: true, data };
  const ask = (): Promise<Response> => call('/v1/previews', { method: 'POST', body, signal });
  const response = await readPatiently(ask, signal, TRIES_MAX);
  const pdf = new Uint8Array(await readBody(response.arrayBuffer()));
  return { pdf, renderMs: serverMs(response) };
}

/** The rendering time from the Server-Timing header. */
export function serverMs(response: Response): number {
  const header = response.headers.get('server-timing') ?? '';
  const stages = new Set(['contract', 'template', 'layout', 'pdf', 'post']);
  let sum = 0;
  for (const [, name = '', duration = '0'] of header.matchAll(/([\w-]+);dur=([\d.]+)/g)) {
    if (stages.has(name)) sum += Number(duration);
  }
  return sum;
}

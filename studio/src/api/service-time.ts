/** The time of the service less `performance.now()`; that of the browser until the service answers. */
let offsetMs = Date.now() - performance.now();

/** The header has whole seconds, and the server renews it once a second. */
const HEADER_BEHIND_MS = 2_000;

/** Takes the time from an answer of the service. */
export function heardFrom(response: Pick<Response, 'headers'>): void {
  const saidMs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(saidMs)) return;
  offsetMs = saidMs + HEADER_BEHIND_MS - performance.now();
}

/**
 * What time it is for the service. Documents and keys expire by its clock, and that of the browser may
 * be wrong: with it, an expired document would be called damaged.
 */
export function serviceNowMs(): number {
  return performance.now() + offsetMs;
}

import { ApiError } from './client.ts';

/** Requests for one reading, the first one included. */
const TRIES_MAX = 3;
/** A pause that is not longer is waited for before the page says that the service is busy. */
const PAUSE_MS_MAX = 5_000;

/**
 * Reads with `read`, and again a little later when the service was busy. It renders and checks one
 * draft at a time for each user, and goes on with the request of a page that was left, so the next
 * page may be refused for a moment. `read` must change nothing.
 */
export async function readPatiently<T>(
  read: () => Promise<T>,
  signal?: AbortSignal,
  triesMax = TRIES_MAX,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
      const pauseMs = error.retryAfterSeconds * 1_000 * tries;
      const mayWait = pauseMs > 0 && pauseMs <= PAUSE_MS_MAX && tries < triesMax;
      if (!mayWait || signal?.aborted === true) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal?.throwIfAborted();
    }
  }
}

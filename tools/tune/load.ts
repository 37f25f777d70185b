import { Pool } from 'undici';
import type { Body } from './bodies.ts';
import { quantile } from '../../lab/stats.ts';

/** Figures of a service over an interval. */
export interface Slice {
  readonly documentsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A response of the service. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A request failed that had succeeded in the trial before the measurement. */
export class LoadFailed extends Error {
  override readonly name = 'LoadFailed';
}

const TIMEOUT_MS = 60_000;

/**
 * Concurrent callers of a service. Each has a connection and sends its next request after the
 * response.
 */
export class Callers {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #count: number;
  #next = 0;

  constructor(url: string, apiKey: string, count: number) {
    this.#pool = new Pool(url, {
      connections: count,
      pipelining: 1,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    this.#headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    this.#count = count;
  }

  /**
   * Sends the bodies in turn for `durationMs`. Throws `LoadFailed` when a response is not a
   * document.
   */
  async run(bodies: readonly Body[], durationMs: number, signal: AbortSignal): Promise<Slice> {
    const times: number[] = [];
    const startMs = performance.now();
    const endMs = startMs + durationMs;
    const caller = async (): Promise<void> => {
      // Each caller sends at least one request, however slow the machine is.
      do {
        signal.throwIfAborted();
        const body = bodies[this.#next++ % bodies.length];
        if (body === undefined) throw new LoadFailed('there is nothing to ask for');
        const sentMs = performance.now();
        const status = await this.#send(body.bytes, null);
        if (status !== 200) throw new LoadFailed(`${body.name}: the service answered ${status}`);
        times.push(performance.now() - sentMs);
      } while (performance.now() < endMs);
    };
    await Promise.all(Array.from({ length: this.#count }, caller));
    const seconds = (performance.now() - startMs) / 1000;
    const ascending = Float64Array.from(times).toSorted();
    return {
      documentsPerSecond: times.length / seconds,
      p50Ms: quantile(ascending, 0.5),
      p99Ms: quantile(ascending, 0.99),
    };
  }

  /** Sends one request and returns its response. */
  async ask(body: Buffer): Promise<Answer> {
    const chunks: Buffer[] = [];
    const status = await this.#send(body, chunks);
    return { status, body: Buffer.concat(chunks) };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /**
   * Uses undici's handlers instead of streams and promises, because the generator must cost less
   * than the service.
   */
  #send(body: Buffer, chunks: Buffer[] | null): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      this.#pool.dispatch(
        { path: '/v1/generate', method: 'POST', headers: this.#headers, body },
        {
          // undici calls this without checking that it exists.
          onRequestStart: () => undefined,
          onResponseStart(_controller, statusCode) {
            status = statusCode;
          },
          onResponseData(_controller, chunk) {
            chunks?.push(chunk);
          },
          onResponseEnd: () => resolve(status),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  }
}

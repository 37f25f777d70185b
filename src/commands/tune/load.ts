import { Pool } from 'undici';
import type { Body } from './bodies.ts';
import { median, quantile } from './advice.ts';

/** Figures of a service over a slice of time. */
export interface Slice {
  readonly documentsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Anything but a document, where every request had been seen to succeed before. */
export class LoadFailed extends Error {
  override readonly name = 'LoadFailed';
}

const TIMEOUT_MS = 60_000;

/** Callers of one service, each with a connection of its own, each waiting for its answer. */
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

  /** Sends the bodies in turn for so long. Throws `LoadFailed` at an answer that is no document. */
  async run(bodies: readonly Body[], durationMs: number, signal: AbortSignal): Promise<Slice> {
    const times: number[] = [];
    const startMs = performance.now();
    const endMs = startMs + durationMs;
    const caller = async (): Promise<void> => {
      // Each sends one at least, however slow the machine.
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

  /** One request, with its answer. */
  async ask(body: Buffer): Promise<Answer> {
    const chunks: Buffer[] = [];
    const status = await this.#send(body, chunks);
    return { status, body: Buffer.concat(chunks) };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Without a stream or a promise for each part: the generator must cost less than the service. */
  #send(body: Buffer, chunks: Buffer[] | null): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      this.#pool.dispatch(
        { path: '/v1/generate', method: 'POST', headers: this.#headers, body },
        {
          // undici calls it without asking whether it is there.
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

/** Summarises several slices of one service. */
export function summarise(slices: readonly Slice[]): Slice {
  return {
    documentsPerSecond: median(slices.map((slice) => slice.documentsPerSecond)),
    p50Ms: median(slices.map((slice) => slice.p50Ms)),
    p99Ms: median(slices.map((slice) => slice.p99Ms)),
  };
}

import { closedLoop, Run } from '../../lab/load/loop.ts';
import { generateRequest } from '../../lab/load/requests.ts';
import type { Body } from './bodies.ts';

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
  readonly #url: string;
  readonly #apiKey: string;
  readonly #count: number;
  /** The bodies of the load before, and their requests. */
  #bodies: readonly Body[] = [];
  #requests: readonly Buffer[] = [];
  #next = 0;

  constructor(url: string, apiKey: string, count: number) {
    this.#url = url;
    this.#apiKey = apiKey;
    this.#count = count;
  }

  /**
   * Sends the bodies in turn for `durationMs`, beginning where the load before ended. Throws
   * `LoadFailed` when a response is not a document.
   */
  async run(bodies: readonly Body[], durationMs: number, signal: AbortSignal): Promise<Slice> {
    signal.throwIfAborted();
    if (bodies.length === 0) throw new LoadFailed('there is nothing to ask for');
    const load = { url: this.#url, callers: this.#count, perSecond: null, warmUpMs: 0, durationMs };
    const run = new Run(load, this.#turned(bodies));
    const stop = (): void => run.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const tookMs = await closedLoop(run);
      signal.throwIfAborted();
      const [meter] = run.meters;
      if (meter === undefined) throw new Error('a run has a meter');
      for (const [status, count] of Object.entries(meter.statuses)) {
        if (status === '200') this.#next += count;
        else throw new LoadFailed(`the service answered ${status} to ${count} requests`);
      }
      const { p50Ms, p99Ms } = meter.deliveredTiming().written;
      return { documentsPerSecond: (meter.delivered * 1000) / tookMs, p50Ms, p99Ms };
    } finally {
      signal.removeEventListener('abort', stop);
      run.fleet.close();
    }
  }

  /** The requests, beginning with the one that is next. */
  #turned(bodies: readonly Body[]): readonly Buffer[] {
    if (this.#bodies !== bodies) {
      this.#bodies = bodies;
      this.#requests = bodies.map(({ bytes }) => generateRequest(this.#url, this.#apiKey, bytes));
    }
    const first = this.#next % this.#requests.length;
    return [...this.#requests.slice(first), ...this.#requests.slice(0, first)];
  }

  /** Sends one request and returns its response. */
  async ask(body: Buffer): Promise<Answer> {
    const response = await fetch(`${this.#url}/v1/generate`, {
      method: 'POST',
      headers: { 'x-api-key': this.#apiKey, 'content-type': 'application/json' },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  }
}

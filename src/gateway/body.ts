import type { UwsResponse } from './uws.ts';

const EMPTY = new Uint8Array(0);

/**
 * The body of one request: kept while it may still be wanted and is within its bound, otherwise
 * only counted, so that the caller gets to read the answer (a connection closed on a sender that
 * still sends loses the answer). Past the drain bound nobody waits any longer.
 */
export class BodyReader {
  /** Resolves at the last byte, past the drain bound, or when the caller went away. */
  readonly ended: Promise<void>;
  /** Larger than allowed. */
  tooLarge = false;
  /** More came than is ever read: the connection has to be closed with the answer. */
  endless = false;
  readonly #bytesMax: number;
  readonly #drainBytesMax: number;
  #kept: Uint8Array | null = null;
  #filled = 0;
  #chunks: Uint8Array[] = [];
  #count = 0;
  #wanted = true;
  #end: () => void = () => undefined;

  /** Must be made inside the request handler: uWebSockets.js drops what comes before. */
  constructor(res: UwsResponse, contentLength: number, bytesMax: number, drainBytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#drainBytesMax = Math.max(drainBytesMax, bytesMax);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (contentLength > bytesMax) this.#refuse();
    else if (contentLength > 0) this.#kept = new Uint8Array(contentLength);
    res.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  /** The whole body, in a buffer of its own. After `ended`, unless too large or discarded. */
  bytes(): Uint8Array {
    if (this.#kept !== null) return this.#kept.subarray(0, this.#filled);
    const { length } = this.#chunks;
    if (length <= 1) return this.#chunks[0] ?? EMPTY.slice();
    const whole = new Uint8Array(this.#count);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  /** The request is refused anyway: from here on bytes are counted, not kept. */
  discard(): void {
    this.#wanted = false;
    this.#kept = null;
    this.#chunks = [];
  }

  /** The caller went away. */
  abandon(): void {
    this.discard();
    this.#end();
  }

  #refuse(): void {
    this.tooLarge = true;
    this.discard();
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    this.#count += chunk.byteLength;
    if (this.#count > this.#bytesMax && !this.tooLarge) this.#refuse();
    if (this.#wanted) this.#keep(chunk);
    if (this.#count > this.#drainBytesMax) this.endless = true;
    if (isLast || this.endless) this.#end();
  }

  /** uWebSockets.js empties the chunk afterwards; this is the one copy a body gets. */
  #keep(chunk: ArrayBuffer): void {
    if (this.#kept === null) {
      if (chunk.byteLength > 0) this.#chunks.push(new Uint8Array(chunk.slice(0)));
      return;
    }
    this.#kept.set(new Uint8Array(chunk), this.#filled);
    this.#filled += chunk.byteLength;
  }
}

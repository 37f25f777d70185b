import type { Answer } from './http/answer.ts';

const EMPTY = new Uint8Array(0);
const ROOM_BYTES_MIN = 4_096;

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
  readonly #expected: number;
  #kept: Uint8Array<ArrayBuffer> = EMPTY;
  #filled = 0;
  #count = 0;
  #wanted = true;
  #end: () => void = () => undefined;

  /** Must be made inside the request handler: what nobody asked for by then is dropped. */
  constructor(answer: Answer, contentLength: number, bytesMax: number, drainBytesMax: number) {
    this.#expected = contentLength === -1 ? bytesMax : contentLength;
    this.#bytesMax = bytesMax;
    this.#drainBytesMax = Math.max(drainBytesMax, bytesMax);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (contentLength > bytesMax) this.#refuse();
    answer.receive((data, isLast) => this.#take(data, isLast));
  }

  /** The whole body, in a buffer of its own. After `ended`, unless too large or discarded. */
  bytes(): Uint8Array {
    return this.#kept.subarray(0, this.#filled);
  }

  /** The request is refused anyway: from here on bytes are counted, not kept. */
  discard(): void {
    this.#wanted = false;
    this.#kept = EMPTY;
    this.#filled = 0;
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

  #take(data: Uint8Array, isLast: boolean): void {
    this.#count += data.byteLength;
    if (this.#count > this.#bytesMax && !this.tooLarge) this.#refuse();
    if (this.#wanted) this.#keep(data);
    if (this.#count > this.#drainBytesMax) this.endless = true;
    if (isLast || this.endless) this.#end();
  }

  /**
   * What comes is a view of the connection's bytes; a body in one piece is copied once. Room
   * grows with what has come, not with what was announced: slow senders hold next to nothing.
   */
  #keep(data: Uint8Array): void {
    const end = this.#filled + data.byteLength;
    if (end > this.#kept.length) {
      const room = end < this.#expected ? Math.max(2 * end, ROOM_BYTES_MIN) : end;
      const grown = new Uint8Array(Math.min(room, this.#expected));
      grown.set(this.#kept.subarray(0, this.#filled));
      this.#kept = grown;
    }
    this.#kept.set(data, this.#filled);
    this.#filled = end;
  }
}

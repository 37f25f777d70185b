import { TimeSlice } from '../../runtime/time-slice.ts';

const BLOCK_BYTES = 256 * 1024;
/** Blocks kept for the next bodies: 8 MB. */
const SPARE_MAX = 32;

/** Blocks of memory that no body holds at the moment. */
export class SpareBlocks {
  readonly #blocks: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#blocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  give(block: Uint8Array): void {
    if (this.#blocks.length < SPARE_MAX) this.#blocks.push(block);
  }
}

/**
 * A long body while it arrives. One turn of the event loop can bring megabytes. Written into fresh
 * memory, which the system gives page by page when it is first written, 8 MB are a turn of 35 ms; so
 * they are written into blocks that have been used before, and joined in time slices at the end.
 */
export class LongBody {
  readonly #spare: SpareBlocks;
  readonly #blocks: Uint8Array[] = [];
  /** Bytes in the last block. */
  #used = BLOCK_BYTES;
  #bytes = 0;
  #isDropped = false;

  constructor(spare: SpareBlocks) {
    this.#spare = spare;
  }

  /** Copies a piece. */
  add(piece: Uint8Array): void {
    this.#bytes += piece.byteLength;
    for (let at = 0; at < piece.byteLength;) {
      if (this.#used === BLOCK_BYTES) {
        this.#blocks.push(this.#spare.take());
        this.#used = 0;
      }
      const fitting = piece.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#blocks.at(-1)?.set(fitting, this.#used);
      this.#used += fitting.byteLength;
      at += fitting.byteLength;
    }
  }

  /** `start` and the body in one buffer; null: it was dropped meanwhile. Ends the body. */
  async join(start: Uint8Array): Promise<Uint8Array | null> {
    const joined = Buffer.allocUnsafeSlow(start.byteLength + this.#bytes);
    joined.set(start);
    const slice = new TimeSlice();
    for (let at = start.byteLength; at < joined.byteLength; at += BLOCK_BYTES) {
      if (slice.isOver) await slice.next();
      const block = this.#blocks.shift();
      if (block === undefined || this.#isDropped) return null;
      joined.set(block.subarray(0, joined.byteLength - at), at);
      this.#spare.give(block);
    }
    return joined;
  }

  /** Gives its memory back. */
  drop(): void {
    this.#isDropped = true;
    for (const block of this.#blocks) this.#spare.give(block);
    this.#blocks.length = 0;
  }
}

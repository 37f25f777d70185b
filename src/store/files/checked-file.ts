import { createHash } from 'node:crypto';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import { FileDamaged } from './faults.ts';
import type { StoredFile } from '../terms.ts';

/**
 * A stored file that is read once, from its beginning to its end. The read that reaches the end
 * returns its bytes only if the whole file has the digest; otherwise it throws the error of
 * `onMismatch`. A caller that streams thus never sends the last piece of a damaged file.
 */
export class CheckedFile implements StoredFile {
  readonly bytes: number;
  readonly #file: StoredFile;
  readonly #sha256: string;
  readonly #onMismatch: () => Promise<Error>;
  readonly #hash = createHash('sha256');
  #at = 0;
  /** The whole file, if `readAhead` has read it. */
  #whole: Uint8Array | null = null;

  constructor(file: StoredFile, sha256: string, onMismatch: () => Promise<Error>) {
    this.bytes = file.bytes;
    this.#file = file;
    this.#sha256 = sha256;
    this.#onMismatch = onMismatch;
  }

  /** Reads and checks the whole file now, so that damage is found before anything is sent. */
  async readAhead(): Promise<void> {
    this.#whole = await this.#next(this.bytes);
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const whole = this.#whole;
    if (whole !== null) {
      if (position > 0 || length < whole.byteLength)
        return whole.slice(position, position + length);
      // The caller takes all of it, so no copy is needed.
      this.#whole = null;
      return whole;
    }
    if (position !== this.#at) throw new RangeError('a checked file is read in order, once');
    return this.#next(length);
  }

  close(): Promise<void> {
    this.#whole = null;
    return this.#file.close();
  }

  async #read(length: number): Promise<Uint8Array> {
    try {
      return await this.#file.read(this.#at, length);
    } catch (error) {
      // An encrypted file reports damage at the segment that is damaged.
      throw error instanceof FileDamaged ? await this.#onMismatch() : error;
    }
  }

  async #next(length: number): Promise<Uint8Array> {
    const piece = await this.#read(length);
    await hashInSlices(this.#hash, piece);
    this.#at += piece.byteLength;
    if (this.#at < this.bytes) return piece;
    if (this.#hash.digest('hex') !== this.#sha256) throw await this.#onMismatch();
    return piece;
  }
}

import { FileDamaged } from '../files/faults.ts';
import type { StoredFile } from '../terms.ts';
import {
  decryptedBytes,
  decryptSegment,
  SEGMENT_BYTES,
  segmentCount,
  type SegmentKey,
  segmentOffset,
} from './segments.ts';

/**
 * Reads any part of an encrypted file, decrypted. A read that meets a segment with a wrong tag
 * throws `FileDamaged` and returns nothing.
 */
export class EncryptedFile implements StoredFile {
  readonly bytes: number;
  readonly #file: StoredFile;
  readonly #key: SegmentKey;
  /** The segment that was decrypted last, because the next read often begins in it. */
  #latest: { readonly index: number; readonly bytes: Buffer } | null = null;

  /** Throws `FileDamaged` when no encrypted file has this size. */
  constructor(file: StoredFile, key: SegmentKey) {
    const bytes = decryptedBytes(file.bytes);
    if (bytes === null) throw new FileDamaged(key.fileId);
    this.bytes = bytes;
    this.#file = file;
    this.#key = key;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const end = Math.min(position + length, this.bytes);
    if (position >= end) {
      // The tag of an empty file proves that it is empty.
      if (this.bytes === 0) await this.#segments(0, 0);
      return Buffer.alloc(0);
    }
    const first = Math.floor(position / SEGMENT_BYTES);
    const last = Math.floor((end - 1) / SEGMENT_BYTES);
    const segments = await this.#segments(first, last);
    const from = position - first * SEGMENT_BYTES;
    const [segment] = segments;
    if (segments.length === 1 && segment !== undefined) {
      if (from === 0 && end - position === segment.byteLength) {
        this.#latest = null;
        return segment;
      }
      // A part is copied, because the caller owns the result and the next read may need the segment.
      return new Uint8Array(segment.subarray(from, from + end - position));
    }
    return Buffer.concat(segments).subarray(from, from + end - position);
  }

  /** Reads and decrypts the segments `first` to `last`. */
  async #segments(first: number, last: number): Promise<readonly Buffer[]> {
    const latest = this.#latest;
    const segments: Buffer[] = [];
    let index = first;
    if (latest?.index === first) {
      segments.push(latest.bytes);
      index += 1;
    }
    if (index > last) return segments;
    const start = segmentOffset(index);
    const stored = await this.#read(start, segmentOffset(last + 1) - start);
    const lastOfFile = segmentCount(this.bytes) - 1;
    for (; index <= last; index += 1) {
      const at = segmentOffset(index) - start;
      const segment = stored.subarray(at, segmentOffset(index + 1) - start);
      const bytes = decryptSegment(this.#key, index, index === lastOfFile, segment);
      if (bytes === null) throw new FileDamaged(this.#key.fileId);
      segments.push(bytes);
      this.#latest = { index, bytes };
    }
    return segments;
  }

  async #read(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, this.#file.bytes - position);
    const stored = await this.#file.read(position, wanted);
    if (stored.byteLength < wanted) throw new FileDamaged(this.#key.fileId);
    return stored;
  }

  close(): Promise<void> {
    this.#latest = null;
    return this.#file.close();
  }
}

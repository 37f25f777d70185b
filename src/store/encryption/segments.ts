import { createCipheriv, createDecipheriv } from 'node:crypto';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import { TimeSlice } from '../../runtime/time-slice.ts';

/*
 * The bytes of an encrypted file: segments of AES-256-GCM under a random key that no other file has,
 * so that any part can be read alone (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
 * Vizár, "Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015).
 *
 *   file:     │ 65,536 bytes │ tag 16 │ 65,536 bytes │ tag 16 │ … │ 0 to 65,536 bytes │ tag 16 │
 *   nonce:    7 bytes of zero │ number of the segment, 4 bytes │ last? 1 byte
 *   AAD:      "intaglio-file-1" │ id of the file, 36 bytes │ the last 5 bytes of the nonce
 *
 * Only the last segment may be shorter, and a file has at least one. A tag is valid only for its
 * segment's number, its file, and whether it is the last, so a file that was cut, reordered or
 * spliced is detected.
 */

export const KEY_BYTES = 32;
export const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** A full segment with its tag. */
const STORED_BYTES = SEGMENT_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** The end of a nonce: the number of the segment, and whether it is the last. */
const PLACE_BYTES = 5;
const AAD_PREFIX = Buffer.from('intaglio-file-1');

/** A file's key, and the id that its segments are bound to. */
export interface SegmentKey {
  readonly key: Uint8Array;
  readonly fileId: string;
}

/** Size of the encrypted file of a plain file with `bytes` bytes. */
export function encryptedBytes(bytes: number): number {
  return bytes + TAG_BYTES * segmentCount(bytes);
}

/** Plain size of an encrypted file of `stored` bytes; null: no encrypted file has this size. */
export function decryptedBytes(stored: number): number | null {
  const segments = Math.ceil(stored / STORED_BYTES);
  const last = stored - (segments - 1) * STORED_BYTES - TAG_BYTES;
  if (segments === 0 || last < 0 || (last === 0 && segments > 1)) return null;
  return stored - segments * TAG_BYTES;
}

/** Number of segments of a file with `bytes` bytes; an empty file has one. */
export function segmentCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / SEGMENT_BYTES));
}

/** Offset of segment `index` in the encrypted file. */
export function segmentOffset(index: number): number {
  return index * STORED_BYTES;
}

/**
 * Encrypts a file in time slices, into the beginning of `memory` if it has room for it, else into a
 * buffer. Takes ownership of the pieces and frees them; the caller owns the result.
 */
export async function encryptFile(
  { key, fileId }: SegmentKey,
  pieces: readonly Uint8Array[],
  memory: Uint8Array | null = null,
): Promise<Uint8Array> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const count = segmentCount(bytes);
  const length = encryptedBytes(bytes);
  // A buffer outside Node's pool, so that it can be freed when the file is written.
  const stored =
    memory !== null && length <= memory.byteLength
      ? memory.subarray(0, length)
      : Buffer.allocUnsafeSlow(length);
  const input = new Pieces(pieces);
  const slice = new TimeSlice();
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (slice.isOver) await slice.next();
    const place = placeOf(index, index === count - 1);
    const cipher = createCipheriv(CIPHER, key, nonceOf(place), { authTagLength: TAG_BYTES });
    cipher.setAAD(aadOf(fileId, place));
    for (const part of input.take(SEGMENT_BYTES)) {
      const encrypted = cipher.update(part);
      at += encrypted.copy(stored, at);
      releaseBuffer(encrypted);
    }
    cipher.final();
    at += cipher.getAuthTag().copy(stored, at);
  }
  for (const piece of pieces) releaseBuffer(piece);
  return stored;
}

/** Decrypts one segment with its tag; null: it is not the one that was written at this place. */
export function decryptSegment(
  { key, fileId }: SegmentKey,
  index: number,
  isLast: boolean,
  segment: Uint8Array,
): Buffer | null {
  if (segment.byteLength < TAG_BYTES) return null;
  const place = placeOf(index, isLast);
  const decipher = createDecipheriv(CIPHER, key, nonceOf(place), { authTagLength: TAG_BYTES });
  decipher.setAAD(aadOf(fileId, place));
  decipher.setAuthTag(segment.subarray(segment.byteLength - TAG_BYTES));
  const bytes = decipher.update(segment.subarray(0, segment.byteLength - TAG_BYTES));
  try {
    decipher.final();
  } catch (error) {
    // OpenSSL reports a wrong tag as a plain Error.
    if (!(error instanceof Error)) throw error;
    return null;
  }
  return bytes;
}

function placeOf(index: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeUInt32BE(index);
  place.writeUInt8(isLast ? 1 : 0, PLACE_BYTES - 1);
  return place;
}

function nonceOf(place: Buffer): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  place.copy(nonce, NONCE_BYTES - PLACE_BYTES);
  return nonce;
}

function aadOf(fileId: string, place: Buffer): Buffer {
  return Buffer.concat([AAD_PREFIX, Buffer.from(fileId, 'latin1'), place]);
}

/** Takes bytes from the front of several pieces. */
class Pieces {
  readonly #pieces: readonly Uint8Array[];
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  /** Yields the next `length` bytes, fewer at the end, without copying them. */
  *take(length: number): Generator<Uint8Array> {
    for (let left = length; left > 0;) {
      const piece = this.#pieces[this.#piece];
      if (piece === undefined) return;
      const part = piece.subarray(this.#at, this.#at + left);
      left -= part.byteLength;
      this.#at += part.byteLength;
      if (this.#at === piece.byteLength) {
        this.#piece += 1;
        this.#at = 0;
      }
      if (part.byteLength > 0) yield part;
    }
  }
}

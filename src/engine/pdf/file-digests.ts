import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Digests of files that begin with the same bytes. These are read once, and each file only from
 * there on: of a receipt's 33 KB, 28 are fonts and images of its template.
 */
export class FileDigests {
  readonly #prefixLength: number;
  readonly #sha256: Hash;
  readonly #crc32: number;

  constructor(prefix: Uint8Array) {
    this.#prefixLength = prefix.length;
    this.#sha256 = createHash('sha256').update(prefix);
    this.#crc32 = crc32(prefix);
  }

  /** The SHA-256 of a file that begins with the prefix, in lowercase hex. */
  sha256(file: Uint8Array): string {
    return this.#sha256.copy().update(this.#rest(file)).digest('hex');
  }

  /** The CRC-32 of a file that begins with the prefix, as ZIP archives have it. */
  crc32(file: Uint8Array): number {
    return crc32(this.#rest(file), this.#crc32);
  }

  #rest(file: Uint8Array): Uint8Array {
    return file.subarray(this.#prefixLength);
  }
}

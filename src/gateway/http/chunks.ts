/** Digits of a chunk's length, extensions of it, and trailers: more than that nobody needs. */
const LINE_BYTES_MAX = 4_096;
const TRAILER_BYTES_MAX = 16_384;
/** Extensions of all chunks together. */
const EXTENSION_BYTES_MAX = 16_384;
const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
/** 7 hexadecimal digits: 268 MB, far beyond any bound on bodies. */
const DIGITS_MAX = 7;

type Part = 'size' | 'extension' | 'size-end' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'end';

/**
 * A chunked body as it arrives (RFC 9112 §7.1). Extensions and trailers are read over. A line ends
 * with CR LF and nothing else: what proxies read in two ways could smuggle a request.
 */
export class ChunkReader {
  #part: Part = 'size';
  #size = 0;
  #digits = 0;
  /** Bytes of extension or trailers so far. */
  #skipped = 0;
  #extensions = 0;
  /** Bytes of the present line of the trailers. */
  #lineBytes = 0;
  #afterCr = false;

  /** The last chunk and the trailers have come. */
  get isDone(): boolean {
    return this.#part === 'end';
  }

  /**
   * Reads `bytes` from `at` on and gives what is data to `take`. Returns where it stopped: their
   * end, or what comes after the body. -1: this is no chunked body.
   */
  read(bytes: Uint8Array, at: number, take: (data: Uint8Array) => void): number {
    let next = at;
    while (next < bytes.length && this.#part !== 'end') {
      if (this.#part === 'data') {
        const end = Math.min(bytes.length, next + this.#size);
        take(bytes.subarray(next, end));
        this.#size -= end - next;
        next = end;
        if (this.#size === 0) this.#part = 'data-cr';
      } else if (!this.#step(bytes[next++] ?? 0)) return -1;
    }
    return next;
  }

  /** One byte between the data; false: not allowed here. */
  #step(byte: number): boolean {
    switch (this.#part) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        this.#skipped += 1;
        this.#extensions += 1;
        if (byte === CR) this.#part = 'size-end';
        if (this.#extensions > EXTENSION_BYTES_MAX) return false;
        return byte !== LF && this.#skipped <= LINE_BYTES_MAX;
      case 'size-end':
        this.#part = this.#size === 0 ? 'trailer' : 'data';
        this.#digits = 0;
        this.#skipped = 0;
        return byte === LF;
      case 'data-cr':
        this.#part = 'data-lf';
        return byte === CR;
      case 'data-lf':
        this.#part = 'size';
        return byte === LF;
      case 'trailer':
        return this.#readTrailer(byte);
      case 'data':
      case 'end':
        return false;
    }
  }

  #readSize(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#size = this.#size * 16 + digit;
      this.#digits += 1;
      return this.#digits <= DIGITS_MAX;
    }
    if (byte === CR) this.#part = 'size-end';
    else if (byte === SEMICOLON) this.#part = 'extension';
    else return false;
    return this.#digits > 0;
  }

  #readTrailer(byte: number): boolean {
    this.#skipped += 1;
    if (this.#skipped > TRAILER_BYTES_MAX) return false;
    if (this.#afterCr) {
      if (byte !== LF) return false;
      if (this.#lineBytes === 0) this.#part = 'end';
      this.#afterCr = false;
      this.#lineBytes = 0;
    } else if (byte === CR) this.#afterCr = true;
    else if (byte === LF) return false;
    else this.#lineBytes += 1;
    return true;
  }
}

/** -1 for what is no hexadecimal digit. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

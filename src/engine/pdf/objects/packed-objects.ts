import { deflateSync } from 'node:zlib';

/** Objects in one stream: more would not deflate better, and readers inflate all to read one. */
const PACKED_OBJECTS_MAX = 200;

/** Objects in an object stream, ready to be written. */
export interface PackedObjects {
  /** Entries of the stream's dictionary, without /Length. */
  readonly entries: string;
  readonly data: Uint8Array;
  /** Numbers of the objects, in their order. */
  readonly numbers: ArrayLike<number>;
}

/** Gathers small objects for an object stream (ISO 32000-1 §7.5.7). */
export class ObjectPacker {
  #numbers: number[] = [];
  #head = '';
  #body = '';

  get count(): number {
    return this.#numbers.length;
  }

  get isFull(): boolean {
    return this.#numbers.length >= PACKED_OBJECTS_MAX;
  }

  add(number: number, body: string): void {
    this.#head += `${number} ${this.#body.length} `;
    this.#body += body;
    this.#numbers.push(number);
  }

  /** The stream of the gathered objects; the packer is empty afterwards. */
  take(): PackedObjects {
    const plain = Buffer.from(this.#head + this.#body, 'latin1');
    const entries = `/Type/ObjStm/N ${this.count}/First ${this.#head.length}/Filter/FlateDecode`;
    const numbers = this.#numbers;
    this.#numbers = [];
    this.#head = '';
    this.#body = '';
    return {
      entries,
      data: deflateSync(plain, { level: 3, windowBits: 13, memLevel: 7 }),
      numbers,
    };
  }
}

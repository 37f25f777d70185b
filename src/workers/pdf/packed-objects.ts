import { deflateSync } from 'node:zlib';

/** Objects in one stream: more give no better deflating, and readers inflate all for one. */
const PACKED_OBJECTS_MAX = 200;

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

  /** The stream of what was gathered; the packer is empty afterwards. */
  take(): {
    readonly entries: { readonly dictionary: string; readonly numbers: readonly number[] };
    readonly data: Uint8Array;
  } {
    const plain = Buffer.from(this.#head + this.#body, 'latin1');
    const dictionary = `/Type/ObjStm/N ${this.count}/First ${this.#head.length}/Filter/FlateDecode`;
    const numbers = this.#numbers;
    this.#numbers = [];
    this.#head = '';
    this.#body = '';
    return { entries: { dictionary, numbers }, data: deflateSync(plain, { level: 6 }) };
  }
}

/** Type, offset or stream, index in it. */
const WIDTHS = [1, 4, 2] as const;
const ENTRY_BYTES = 7;

/** The entries of a cross-reference stream (§7.5.8), each as its difference to the one above. */
export class CrossReferences {
  readonly #rows: Buffer;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    this.#rows = Buffer.alloc(count * ENTRY_BYTES);
    // Object 0 heads the list of free objects.
    this.#rows.writeUInt16BE(0xffff, 5);
  }

  plain(number: number, offset: number): void {
    this.#write(number, 1, offset, 0);
  }

  packed(number: number, stream: number, index: number): void {
    this.#write(number, 2, stream, index);
  }

  #write(number: number, type: number, second: number, third: number): void {
    const at = number * ENTRY_BYTES;
    this.#rows[at] = type;
    this.#rows.writeUInt32BE(second, at + 1);
    this.#rows.writeUInt16BE(third, at + 5);
  }

  finish(): { readonly entries: string; readonly data: Uint8Array } {
    const predicted = Buffer.alloc(this.#count * (ENTRY_BYTES + 1));
    for (let row = 0; row < this.#count; row++) {
      const to = row * (ENTRY_BYTES + 1);
      // PNG's filter "up".
      predicted[to] = 2;
      for (let index = 0; index < ENTRY_BYTES; index++) {
        const at = row * ENTRY_BYTES + index;
        const above = row === 0 ? 0 : (this.#rows[at - ENTRY_BYTES] ?? 0);
        predicted[to + 1 + index] = (this.#rows[at] ?? 0) - above;
      }
    }
    const entries =
      `/W[${WIDTHS.join(' ')}]/Filter/FlateDecode` +
      `/DecodeParms<</Predictor 12/Columns ${ENTRY_BYTES}>>`;
    return { entries, data: deflateSync(predicted, { level: 6 }) };
  }
}

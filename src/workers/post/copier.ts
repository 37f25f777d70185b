import { crc32 } from 'node:zlib';
import type { PdfFile } from '../pdf/file.ts';
import type { PdfSource } from './source.ts';
import { latin1, mapReferences, SourceError } from './source.ts';

const STREAM = Buffer.from('>>stream\n');
/** References inside references, deeper than any document of ours. */
const DEPTH_MAX = 64;

/** Objects of the file by content, so that equal fonts and images are written once. */
export class ObjectIndex {
  readonly #file: PdfFile;
  readonly #numbers = new Map<string, number[]>();

  constructor(file: PdfFile) {
    this.#file = file;
    for (const [number, body] of file.objects()) this.#note(number, keyOf(body));
  }

  /** Writes the object, unless one with these very bytes is there; gives its number. */
  add(body: Uint8Array): number {
    const key = keyOf(body);
    const known = this.#numbers.get(key)?.find((number) => equal(this.#file.body(number), body));
    if (known !== undefined) return known;
    const number = this.#file.reserve();
    this.#file.raw(number, body);
    this.#note(number, key);
    return number;
  }

  #note(number: number, key: string): void {
    const numbers = this.#numbers.get(key);
    if (numbers === undefined) this.#numbers.set(key, [number]);
    else numbers.push(number);
  }
}

function keyOf(body: Uint8Array): string {
  return `${body.length}/${crc32(body)}`;
}

function equal(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0;
}

/** Copies objects of one source into the file, each once, with what they refer to. */
export class ObjectCopier {
  readonly #source: PdfSource;
  readonly #index: ObjectIndex;
  readonly #numbers: Map<number, number>;

  /** `placed`: objects of the source that already have a number in the file (its pages). */
  constructor(source: PdfSource, index: ObjectIndex, placed: ReadonlyMap<number, number>) {
    this.#source = source;
    this.#index = index;
    this.#numbers = new Map(placed);
  }

  copy(number: number, depth = 0): number {
    const known = this.#numbers.get(number);
    if (known !== undefined) return known;
    if (depth > DEPTH_MAX) throw new SourceError('nesting');
    const body = this.#source.body(number);
    const cut = Buffer.from(body.buffer, body.byteOffset, body.byteLength).indexOf(STREAM);
    const head = latin1(cut < 0 ? body : body.subarray(0, cut));
    const mapped = Buffer.from(this.map(head, depth + 1), 'latin1');
    const copied = this.#index.add(cut < 0 ? mapped : Buffer.concat([mapped, body.subarray(cut)]));
    this.#numbers.set(number, copied);
    return copied;
  }

  /** PDF syntax of the source with its references led to the copies. */
  map(text: string, depth = 0): string {
    return mapReferences(text, (number) => this.copy(number, depth));
  }
}

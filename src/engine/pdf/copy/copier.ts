import { crc32 } from 'node:zlib';
import type { PdfFile } from '../file.ts';
import type { PdfSource } from './pdf-source.ts';
import { latin1, mapReferences, SourceError } from './pdf-source.ts';

const STREAM = Buffer.from('>>stream\n');
/** Limit of nested references; no document of this service has as many. */
const DEPTH_MAX = 64;

/** Where copied objects go. */
export interface ObjectTarget {
  /** Writes the object unless the file has one with the same bytes; returns its number. */
  add(body: Uint8Array): number;
  /** A number for an object that is written later, whatever it holds. */
  reserve(): number;
  /** Writes the object under a reserved number. */
  fill(number: number, body: Uint8Array): void;
}

/** Objects of the file by content, so that equal fonts and images are written once. */
export class ObjectIndex implements ObjectTarget {
  readonly #file: PdfFile;
  readonly #numbers = new Map<string, number[]>();

  constructor(file: PdfFile) {
    this.#file = file;
    for (const [number, body] of file.objects()) this.#note(number, keyOf(body));
  }

  add(body: Uint8Array): number {
    const key = keyOf(body);
    const known = this.#numbers.get(key)?.find((number) => equal(this.#file.body(number), body));
    if (known !== undefined) return known;
    const number = this.#file.reserve();
    this.#file.raw(number, body);
    this.#note(number, key);
    return number;
  }

  reserve(): number {
    return this.#file.reserve();
  }

  fill(number: number, body: Uint8Array): void {
    this.#file.raw(number, body);
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
  readonly #index: ObjectTarget;
  readonly #numbers: Map<number, number>;
  /** Objects whose references are being followed, from the outermost on. */
  readonly #open = new Set<number>();

  /** `placed`: objects of the source that already have a number in the file (its pages). */
  constructor(source: PdfSource, index: ObjectTarget, placed: ReadonlyMap<number, number>) {
    this.#source = source;
    this.#index = index;
    this.#numbers = new Map(placed);
  }

  copy(number: number): number {
    const known = this.#numbers.get(number);
    if (known !== undefined) return known;
    if (this.#open.has(number)) return this.#closeCircle(number);
    if (this.#open.size >= DEPTH_MAX) throw new SourceError('nesting');
    const body = this.#source.body(number);
    const cut = Buffer.from(body.buffer, body.byteOffset, body.byteLength).indexOf(STREAM);
    const head = latin1(cut < 0 ? body : body.subarray(0, cut));
    this.#open.add(number);
    const mapped = Buffer.from(this.map(head), 'latin1');
    this.#open.delete(number);
    const whole = cut < 0 ? mapped : Buffer.concat([mapped, body.subarray(cut)]);
    const reserved = this.#numbers.get(number);
    if (reserved !== undefined) {
      this.#index.fill(reserved, whole);
      return reserved;
    }
    const copied = this.#index.add(whole);
    this.#numbers.set(number, copied);
    return copied;
  }

  /** PDF syntax of the source, its references replaced by those of the copies. */
  map(text: string): string {
    return mapReferences(text, (number) => this.copy(number));
  }

  /**
   * An object that refers to itself by way of others needs its number before its bytes are known:
   * a form with opacity has the very resources that name it. Such objects are never shared.
   */
  #closeCircle(number: number): number {
    const reserved = this.#index.reserve();
    this.#numbers.set(number, reserved);
    return reserved;
  }
}

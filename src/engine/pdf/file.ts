import assert from 'node:assert';
import { crc32, deflateSync } from 'node:zlib';
import { CrossReferences } from './objects/cross-references.ts';
import { Numbers } from './objects/numbers.ts';
import { ObjectPacker, type PackedObjects } from './objects/packed-objects.ts';
import { ByteSink } from './sink.ts';

/** In place of the offset of an object that the file does not have. */
const FREE = -1;

/**
 * Where a file writes its bytes, and where it keeps the place of each object. Another file may use
 * them after it: a long tagged document has fifteen thousand objects.
 */
export class FileBuffers {
  readonly sink: ByteSink;
  /** Offset of each object by its number; 0: reserved, not written yet. */
  readonly offsets = new Numbers();
  /** End of each object's body, before `endobj`; 0: not written, or in an object stream. */
  readonly ends = new Numbers();

  constructor(capacityBytes: number) {
    this.sink = new ByteSink(capacityBytes);
  }

  clear(): void {
    this.sink.clear();
    this.offsets.clear();
    this.ends.clear();
    // There is no object 0.
    this.offsets.push(0);
    this.ends.push(0);
  }
}

/**
 * The bytes of a file: header, objects in any order, cross-reference table, trailer (ISO 32000-2
 * §7.5). Every object number and every offset lives here and nowhere else.
 */
export class PdfFile {
  readonly sink: ByteSink;
  /** False: content, fonts and character maps are written as they are, for people to read. */
  readonly compresses: boolean;
  /**
   * Whether the file follows the rules for glyphs, strings and nesting that archive documents
   * (ISO 19005) have; those for glyphs are also in ISO 14289-1, 7.21, for tagged documents.
   */
  readonly isStrict: boolean;
  readonly #offsets: Numbers;
  readonly #ends: Numbers;
  /** Object streams, each with the numbers of its objects in their order. */
  readonly #objectStreams: ObjectStream[] = [];
  #packing: ObjectPacker | null = null;

  private constructor(buffers: FileBuffers, compresses: boolean, isStrict: boolean) {
    buffers.clear();
    this.sink = buffers.sink;
    this.#offsets = buffers.offsets;
    this.#ends = buffers.ends;
    this.compresses = compresses;
    this.isStrict = isStrict;
  }

  /** Starts with objects written earlier: their bytes from the header on, and their offsets. */
  static from(prefix: StaticObjects, buffers: FileBuffers): PdfFile {
    const file = new PdfFile(buffers, prefix.compresses, prefix.isStrict);
    file.sink.append(prefix.bytes);
    file.#offsets.pushAll(prefix.offsets);
    file.#ends.pushAll(prefix.ends);
    return file;
  }

  /** Begins a new file; its objects can become the prefix of many others (`freeze`). */
  static begin(buffers: FileBuffers, compresses: boolean, isStrict = false): PdfFile {
    const file = new PdfFile(buffers, compresses, isStrict);
    // Four bytes above 127 tell transfer programs that the file is binary (§7.5.2).
    file.sink.latin('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n');
    return file;
  }

  freeze(): StaticObjects {
    return {
      bytes: this.sink.take(),
      compresses: this.compresses,
      isStrict: this.isStrict,
      offsets: this.#offsets.view().slice(1),
      ends: this.#ends.view().slice(1),
    };
  }

  /** Numbers for objects that are written later, one after another; gives the first. */
  reserve(count = 1): number {
    const first = this.#offsets.length;
    this.#offsets.pushTimes(count, 0);
    this.#ends.pushTimes(count, 0);
    return first;
  }

  /** Leaves out numbers, which stay free: only files with object streams can. */
  skip(count: number): void {
    this.#offsets.pushTimes(count, FREE);
    this.#ends.pushTimes(count, 0);
  }

  get objectCount(): number {
    return this.#offsets.length;
  }

  /** Writes `number 0 obj … endobj` around `body`, which is PDF syntax in Latin-1. */
  object(number: number, body: string): void {
    this.#open(number);
    this.sink.latin(body);
    this.#close(number);
  }

  add(body: string): number {
    const number = this.reserve();
    this.object(number, body);
    return number;
  }

  /**
   * Writes a small object into an object stream (§7.5.7), deflated with others of its kind; in a
   * file for people to read it is a plain object.
   */
  pack(number: number, body: string): void {
    if (!this.compresses) {
      this.object(number, body);
      return;
    }
    this.#packing ??= new ObjectPacker();
    this.#packing.add(number, body);
    if (this.#packing.isFull) this.#flushPacked();
  }

  /** Objects that `write` makes, to be written again by `repeat`: all their numbers are new. */
  record(write: () => void): WrittenObjects {
    this.#flushPacked();
    const [start, first, streams] = [
      this.sink.length,
      this.objectCount,
      this.#objectStreams.length,
    ];
    write();
    this.#flushPacked();
    const relative = (at: number): number => (at > 0 ? at - start : at);
    return {
      first,
      bytes: this.sink.bytes.slice(start, this.sink.length),
      offsets: this.#offsets.view().subarray(first).map(relative),
      ends: this.#ends.view().subarray(first).map(relative),
      objectStreams: this.#objectStreams.slice(streams),
    };
  }

  /** Writes recorded objects under the same numbers: as many objects must precede them as before. */
  repeat({ first, bytes, offsets, ends, objectStreams }: WrittenObjects): void {
    assert(first === this.objectCount, 'recorded objects keep their numbers');
    const start = this.sink.length;
    const [ownOffsets, ownEnds] = [this.#offsets, this.#ends];
    for (let index = 0; index < offsets.length; index++) {
      const [offset, end] = [offsets[index]!, ends[index]!];
      // An object in an object stream has no offset and no end in the file.
      ownOffsets.push(end > 0 ? offset + start : offset);
      ownEnds.push(end > 0 ? end + start : 0);
    }
    for (const stream of objectStreams) this.#objectStreams.push(stream);
    this.sink.append(bytes);
  }

  #flushPacked(): void {
    const packing = this.#packing;
    if (packing === null || packing.count === 0) return;
    this.objectStream(packing.take());
  }

  /** Writes an object stream. */
  objectStream({ entries, data, numbers }: PackedObjects): void {
    const stream = this.addStream(entries, data);
    this.#objectStreams.push({ stream, numbers });
  }

  /** Writes a stream object; `entries` are those of its dictionary without /Length. */
  stream(number: number, entries: string, data: Uint8Array): void {
    this.#open(number);
    const sink = this.sink;
    sink.latin('<<');
    sink.latin(entries);
    sink.latin('/Length ');
    sink.integer(data.length);
    sink.latin('>>stream\n');
    sink.append(data);
    sink.latin('\nendstream');
    this.#close(number);
  }

  addStream(entries: string, data: Uint8Array): number {
    const number = this.reserve();
    this.stream(number, entries, data);
    return number;
  }

  addPacked(entries: string, { filter, data }: PackedStream): number {
    return this.addStream(entries + filter, data);
  }

  /** Where an object begins, in this file and in the bytes of `finish`. */
  offsetOf(number: number): number {
    return this.#offsets.at(number);
  }

  /** Objects written so far, with their bytes between `obj` and `endobj`. */
  *objects(): Iterable<readonly [number, Uint8Array]> {
    for (let number = 1; number < this.#offsets.length; number++) {
      const body = this.body(number);
      if (body !== null) yield [number, body];
    }
  }

  /** An object's bytes, valid until more is written; null: not written yet. */
  body(number: number): Uint8Array | null {
    const offset = this.#offsets.at(number);
    const end = this.#ends.at(number);
    if (end === 0) return null;
    return this.sink.bytes.subarray(offset + `${number} 0 obj\n`.length, end);
  }

  /** Copies an object's bytes, from after `obj` up to `endobj`, as they are. */
  raw(number: number, body: Uint8Array): void {
    this.#open(number);
    this.sink.append(body);
    this.#close(number);
  }

  /**
   * Writes cross-reference table and trailer (§7.5.4, §7.5.5) and gives the whole file, as a view of
   * the buffers that the next file overwrites. The file identifier is made from what was written
   * since `from`, so that the same document has the same one.
   */
  finish(root: number, info: number, from: number): Uint8Array {
    assert(root > 0 && root < this.#offsets.length, 'the catalog is an object of the file');
    this.#flushPacked();
    const sink = this.sink;
    const id = this.#identifier(from);
    if (this.#objectStreams.length > 0) {
      this.#crossReferenceStream(`/Root ${root} 0 R/Info ${info} 0 R/ID[<${id}><${id}>]`);
      return sink.view();
    }
    const start = sink.length;
    const count = this.#offsets.length;
    sink.latin(`xref\n0 ${count}\n0000000000 65535 f \n`);
    sink.reserve(count * 20);
    for (let number = 1; number < count; number++) this.#entry(this.#offsets.at(number));
    sink.latin(`trailer\n<</Size ${count}/Root ${root} 0 R/Info ${info} 0 R`);
    sink.latin(`/ID[<${id}><${id}>]>>\nstartxref\n${start}\n%%EOF\n`);
    return sink.view();
  }

  /** The table as a stream (§7.5.8), the only form that lists objects in object streams. */
  #crossReferenceStream(trailer: string): void {
    const own = this.reserve();
    const start = this.sink.length;
    const size = this.#offsets.length;
    this.#offsets.set(own, start);
    const table = new CrossReferences(size);
    for (const { stream, numbers } of this.#objectStreams) table.packed(stream, numbers);
    for (let number = 1; number < size; number++) {
      const offset = this.#offsets.at(number);
      if (offset > 0) table.plain(number, offset);
      else if (offset === FREE) table.free(number);
    }
    this.#offsets.set(own, 0);
    const { entries, data } = table.finish();
    this.stream(own, `/Type/XRef/Size ${size}${entries}${trailer}`, data);
    this.sink.latin(`startxref\n${start}\n%%EOF\n`);
  }

  #open(number: number): void {
    if (this.#offsets.at(number) !== 0) throw new Error(`object ${number} is written twice`);
    const sink = this.sink;
    this.#offsets.set(number, sink.length);
    sink.integer(number);
    sink.latin(' 0 obj\n');
  }

  #close(number: number): void {
    this.#ends.set(number, this.sink.length);
    this.sink.latin('\nendobj\n');
  }

  #entry(offset: number): void {
    if (offset === 0) throw new Error('an object was reserved and not written');
    const { bytes } = this.sink;
    let rest = offset;
    const at = this.sink.length;
    for (let digit = 9; digit >= 0; digit--) {
      const tens = (rest / 10) | 0;
      bytes[at + digit] = 48 + rest - tens * 10;
      rest = tens;
    }
    this.sink.length = at + 10;
    this.sink.latin(' 00000 n \n');
  }

  /** 128 bits of four checksums: identifiers must differ, but need not be secret (§14.4). */
  #identifier(from: number): string {
    const bytes = this.sink.bytes.subarray(from, this.sink.length);
    let id = '';
    let seed = bytes.length;
    for (let part = 0; part < 4; part++) {
      const quarter = bytes.subarray(
        Math.floor((bytes.length * part) / 4),
        Math.floor((bytes.length * (part + 1)) / 4),
      );
      seed = crc32(quarter, seed);
      id += seed.toString(16).padStart(8, '0');
    }
    return id;
  }
}

/** An object stream with the numbers of its objects. */
interface ObjectStream {
  readonly stream: number;
  readonly numbers: ArrayLike<number>;
}

/** Objects with numbers from `first` on; offsets and ends from the start of their bytes. */
export interface WrittenObjects {
  readonly first: number;
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
  readonly ends: Int32Array;
  readonly objectStreams: readonly ObjectStream[];
}

/** Objects shared by every document of a template, numbered from 1, and where each begins and ends. */
export interface StaticObjects {
  readonly bytes: Uint8Array;
  readonly compresses: boolean;
  readonly isStrict: boolean;
  readonly offsets: Int32Array;
  /** Where each object's body ends. */
  readonly ends: Int32Array;
}

/** A stream's data as it is written, and the dictionary entry that names its filter. */
export interface PackedStream {
  readonly filter: '' | '/Filter/FlateDecode';
  readonly data: Uint8Array;
}

/** Deflates at a zlib level; the highest is for data that is packed once and written often. */
export function packStream(plain: Uint8Array, compresses: boolean, level = 9): PackedStream {
  if (!compresses) return { filter: '', data: plain };
  return { filter: '/Filter/FlateDecode', data: deflateSync(plain, { level }) };
}

import { type Entry, readSection, type Section } from './cross-references.ts';
import { inflate } from './inflate.ts';
import { Parser } from './parser.ts';
import {
  asReference,
  asStream,
  isDictionary,
  isList,
  isName,
  type PdfDictionary,
  type PdfStream,
  type PdfValue,
  UnreadableFile,
} from './values.ts';

/** Bounds of a file; more than any document that a signature is checked in. */
const SECTIONS_MAX = 256;
const PACKED_MAX = 500_000;

const ENDING = /startxref[\t\n\r ]+(\d{1,12})[\t\n\r ]+%%EOF[\r\n]*$/;

/** The objects of an object stream, with their numbers. */
interface Packed {
  readonly numbers: readonly number[];
  readonly values: readonly PdfValue[];
}

/**
 * A file as it stands after one of its updates: the objects that its cross-references lead to, and no
 * others. Reads strictly, because a difference that readers could see must not be missed; throws
 * `UnreadableFile` where bytes and cross-references disagree.
 */
export class Revision {
  readonly bytes: Buffer;
  /** Where the last cross-reference section begins. */
  readonly start: number;
  /** The sections, the last one first. */
  readonly sections: readonly Section[];
  readonly trailer: PdfDictionary;
  readonly #entries = new Map<number, Entry>();
  readonly #values = new Map<number, PdfValue>();
  readonly #packed = new Map<number, Packed>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    const tail = bytes.toString('latin1', Math.max(0, bytes.length - 1_024));
    const start = ENDING.exec(tail)?.[1];
    if (start === undefined) throw new UnreadableFile('the file does not end with %%EOF');
    this.start = Number(start);
    const sections: Section[] = [];
    for (let at: number | null = this.start; at !== null;) {
      if (sections.length >= SECTIONS_MAX) throw new UnreadableFile('too many updates');
      const section: Section = readSection(bytes, at);
      sections.push(section);
      at = section.previous;
    }
    const [last] = sections;
    if (last === undefined) throw new UnreadableFile('there is no trailer');
    this.sections = sections;
    this.trailer = last.trailer;
    this.#readEntries();
  }

  /** Numbers of the objects that are in use. */
  get numbers(): Iterable<number> {
    return this.#entries.keys();
  }

  has(number: number): boolean {
    return this.#entries.has(number);
  }

  /** The generation of an object; null: there is none with this number. */
  generation(number: number): number | null {
    const entry = this.#entries.get(number);
    if (entry === undefined) return null;
    return entry.isPacked ? 0 : entry.index;
  }

  /** Whether an object has the same place in another revision of the file, and so the same bytes. */
  sharesPlace(number: number, other: Revision): boolean {
    const own = this.#entries.get(number);
    const its = other.#entries.get(number);
    if (own === undefined || its === undefined) return own === its;
    if (own.at !== its.at || own.index !== its.index || own.isPacked !== its.isPacked) return false;
    return !own.isPacked || this.sharesPlace(own.at, other);
  }

  /** The value of an object; null where there is none. */
  object(number: number): PdfValue {
    const cached = this.#values.get(number);
    if (cached !== undefined) return cached;
    const entry = this.#entries.get(number);
    if (entry === undefined) return null;
    // A loop of objects ends here: a stream whose length is itself has none.
    this.#values.set(number, null);
    const value = entry.isPacked
      ? this.#packedObject(entry, number)
      : this.#read(entry, number).value;
    this.#values.set(number, value);
    return value;
  }

  /** Where an object that is in no object stream begins and ends. */
  placeOf(number: number): { readonly from: number; readonly to: number } {
    const entry = this.#entries.get(number);
    if (entry === undefined || entry.isPacked) throw new UnreadableFile(`${number} has no place`);
    return { from: entry.at, to: this.#read(entry, number).end };
  }

  /** The value that a reference leads to; other values as they are. */
  resolve(value: PdfValue | undefined): PdfValue {
    const reference = asReference(value);
    return reference === null ? (value ?? null) : this.object(reference.number);
  }

  dictionary(value: PdfValue | undefined): PdfDictionary | null {
    const resolved = this.resolve(value);
    return isDictionary(resolved) ? resolved : null;
  }

  list(value: PdfValue | undefined): readonly PdfValue[] {
    const resolved = this.resolve(value);
    return isList(resolved) ? resolved : [];
  }

  get catalog(): PdfDictionary {
    const root = this.dictionary(this.trailer.get('Root'));
    if (root === null) throw new UnreadableFile('there is no catalog');
    return root;
  }

  /** The data of a stream with its filter undone: none, FlateDecode, or the crypt filter Identity. */
  data({ dictionary, data }: PdfStream): Buffer {
    const filter = this.resolve(dictionary.get('Filter'));
    const filters = isList(filter) ? filter : [filter].filter((one) => one !== null);
    if (filters.length === 0) return data;
    const stated = this.resolve(dictionary.get('DecodeParms'));
    const parameters = this.dictionary(isList(stated) ? stated[0] : stated);
    const [first] = filters;
    if (filters.length === 1 && isName(first, 'Crypt')) {
      // The stream is in clear, though the file has passwords (ISO 32000-2 §7.4.10).
      if (isName(parameters?.get('Name') ?? null, 'Identity')) return data;
    } else if (filters.length === 1 && isName(first, 'FlateDecode')) {
      return inflate(data, parameters);
    }
    throw new UnreadableFile('a stream has another filter');
  }

  /** Numbers of the objects in an object stream, in its order. */
  numbersIn(stream: number): readonly number[] {
    return this.#objectsIn(stream).numbers;
  }

  /** Sections are read from the last one on, so entries that are known already are newer. */
  #readEntries(): void {
    const seen = new Set<number>();
    for (const { rows } of this.sections) {
      for (const { number, entry } of rows) {
        if (seen.has(number)) continue;
        seen.add(number);
        if (entry !== null) this.#entries.set(number, entry);
      }
    }
  }

  #read({ at, index }: Entry, number: number): { value: PdfValue; end: number } {
    const parser = new Parser(this.bytes, at);
    if (parser.integer() !== number) throw new UnreadableFile(`object ${number} is elsewhere`);
    if (parser.integer() !== index) throw new UnreadableFile(`object ${number} is another one`);
    parser.demand('obj');
    const value = parser.object((to) => Number(this.object(to)));
    return { value, end: parser.at };
  }

  #packedObject({ at, index }: Entry, number: number): PdfValue {
    const { numbers, values } = this.#objectsIn(at);
    if (numbers[index] !== number) throw new UnreadableFile(`object ${number} is elsewhere`);
    return values[index] ?? null;
  }

  #objectsIn(stream: number): Packed {
    const cached = this.#packed.get(stream);
    if (cached !== undefined) return cached;
    const packed = asStream(this.object(stream));
    if (packed === null || !isName(packed.dictionary.get('Type'), 'ObjStm')) {
      throw new UnreadableFile(`object ${stream} holds no objects`);
    }
    const data = this.data(packed);
    const first = Number(this.resolve(packed.dictionary.get('First')));
    const count = Number(this.resolve(packed.dictionary.get('N')));
    if (!(count <= PACKED_MAX)) throw new UnreadableFile('an object stream is too long');
    const head = new Parser(data, 0);
    const numbers: number[] = [];
    const offsets: number[] = [];
    for (let index = 0; index < count; index += 1) {
      numbers.push(head.integer());
      offsets.push(head.integer());
    }
    const values = offsets.map((offset) => new Parser(data, first + offset).value());
    const objects = { numbers, values };
    this.#packed.set(stream, objects);
    return objects;
  }
}

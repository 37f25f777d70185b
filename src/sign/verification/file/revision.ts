import { inflateSync } from 'node:zlib';
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

/** The place of an object: an offset of the file, or an index in an object stream. */
interface Entry {
  readonly isPacked: boolean;
  /** Offset, or number of the object stream. */
  readonly at: number;
  /** Generation, or index in the object stream. */
  readonly index: number;
}

/** A cross-reference section and the one before it; null: it is the first. */
export interface Section {
  readonly at: number;
  readonly previous: number | null;
}

/** Bounds of a file; more than any document that a signature is checked in. */
const SECTIONS_MAX = 256;
const OBJECTS_MAX = 500_000;
const STREAM_BYTES_MAX = 64 * 1024 * 1024;
/** PNG's filters (§7.4.4.4); a stream with another predictor is not read. */
const PNG_PREDICTOR_MIN = 10;

const ENDING = /startxref\s+(\d{1,12})\s+%%EOF[\r\n]*$/;

/** Where an object lies. */
export interface ObjectPlace {
  readonly number: number;
  readonly at: number;
  readonly generation: number;
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
  readonly #packed = new Map<number, readonly PdfValue[]>();
  /** Numbers that a section has named, as used or as free. */
  readonly #seen = new Set<number>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    const tail = bytes.toString('latin1', Math.max(0, bytes.length - 1_024));
    const start = ENDING.exec(tail)?.[1];
    if (start === undefined) throw new UnreadableFile('the file does not end with %%EOF');
    this.start = Number(start);
    const sections: Section[] = [];
    const trailers: PdfDictionary[] = [];
    for (let at: number | null = this.start; at !== null;) {
      if (sections.length >= SECTIONS_MAX) throw new UnreadableFile('too many updates');
      const trailer = this.#readSection(at);
      const previous: PdfValue = trailer.get('Prev') ?? null;
      const next: number | null = previous === null ? null : Number(previous);
      sections.push({ at, previous: next });
      trailers.push(trailer);
      at = next;
    }
    const [trailer] = trailers;
    if (trailer === undefined) throw new UnreadableFile('there is no trailer');
    this.sections = sections;
    this.trailer = trailer;
  }

  /** Numbers of the objects that are in use. */
  get numbers(): Iterable<number> {
    return this.#entries.keys();
  }

  has(number: number): boolean {
    return this.#entries.has(number);
  }

  /** Whether an object has the same place in another revision of the file, and so the same bytes. */
  sharesPlace(number: number, other: Revision): boolean {
    const own = this.#entries.get(number);
    const its = other.#entries.get(number);
    if (own === undefined || its === undefined) return own === its;
    if (own.at !== its.at || own.index !== its.index || own.isPacked !== its.isPacked) return false;
    return !own.isPacked || this.sharesPlace(own.at, other);
  }

  /** The places of the objects that lie at or after an offset, but not inside of object streams. */
  *placesFrom(offset: number): Generator<ObjectPlace, void, undefined> {
    for (const [number, { at, index, isPacked }] of this.#entries) {
      if (!isPacked && at >= offset) yield { number, at, generation: index };
    }
  }

  /** `Size` of the trailer, below which all numbers lie; 0: there is none. */
  get size(): number {
    const size = this.trailer.get('Size');
    return typeof size === 'number' && Number.isSafeInteger(size) ? size : 0;
  }

  /** The offset after the object that begins at an offset. */
  endOfObject(at: number): number {
    const parser = new Parser(this.bytes, at);
    parser.integer();
    parser.integer();
    parser.demand('obj');
    parser.object((to) => Number(this.object(to)));
    return parser.at;
  }

  /** The offset after the value that begins at an offset. */
  endOfValue(at: number): number {
    const parser = new Parser(this.bytes, at);
    parser.value();
    return parser.at;
  }

  /** Whether the cross-references name each object of an object stream; other objects have none. */
  namesAllIn(stream: number): boolean {
    const packed = asStream(this.object(stream));
    if (packed === null || !isName(packed.dictionary.get('Type'), 'ObjStm')) return true;
    const head = new Parser(this.data(packed), 0);
    return this.#objectsIn(stream).every((_, index) => {
      const entry = this.#entries.get(head.integer());
      head.integer();
      return entry?.isPacked === true && entry.at === stream && entry.index === index;
    });
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
      ? (this.#objectsIn(entry.at)[entry.index] ?? null)
      : this.#objectAt(entry.at, number);
    this.#values.set(number, value);
    return value;
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

  /** The data of a stream with its filter undone: none, or FlateDecode. */
  data({ dictionary, data }: PdfStream): Buffer {
    const filter = this.resolve(dictionary.get('Filter'));
    const filters = isList(filter) ? filter : [filter].filter((one) => one !== null);
    if (filters.length === 0) return data;
    if (filters.length > 1 || !isName(filters[0], 'FlateDecode')) {
      throw new UnreadableFile('a stream has another filter');
    }
    const stated = this.resolve(dictionary.get('DecodeParms'));
    const parameters = this.dictionary(isList(stated) ? stated[0] : stated);
    return withoutPredictor(inflated(data), parameters);
  }

  /** The object that begins at an offset. */
  #objectAt(offset: number, number: number): PdfValue {
    const parser = new Parser(this.bytes, offset);
    if (parser.integer() !== number) throw new UnreadableFile(`object ${number} is elsewhere`);
    parser.integer();
    parser.demand('obj');
    return parser.object((to) => Number(this.object(to)));
  }

  #objectsIn(stream: number): readonly PdfValue[] {
    const cached = this.#packed.get(stream);
    if (cached !== undefined) return cached;
    const packed = asStream(this.object(stream));
    if (packed === null || !isName(packed.dictionary.get('Type'), 'ObjStm')) {
      throw new UnreadableFile(`object ${stream} holds no objects`);
    }
    const data = this.data(packed);
    const first = Number(this.resolve(packed.dictionary.get('First')));
    const count = Number(this.resolve(packed.dictionary.get('N')));
    if (!(count <= OBJECTS_MAX)) throw new UnreadableFile('an object stream is too long');
    const head = new Parser(data, 0);
    const offsets = Array.from({ length: count }, () => {
      head.integer();
      return head.integer();
    });
    const values = offsets.map((offset) => new Parser(data, first + offset).value());
    this.#packed.set(stream, values);
    return values;
  }

  /** Reads a table or stream of cross-references; entries that are known already are newer. */
  #readSection(at: number): PdfDictionary {
    const parser = new Parser(this.bytes, at);
    if (!parser.takes('xref')) return this.#readStream(at);
    const free = new Set<number>();
    while (!parser.takes('trailer')) this.#readTable(parser, free);
    const trailer = parser.value();
    if (!isDictionary(trailer)) throw new UnreadableFile('there is no trailer');
    // Objects that the table calls free and only readers of streams see (§7.5.8.4).
    const hidden = trailer.get('XRefStm') ?? null;
    if (hidden !== null) this.#readStream(Number(hidden));
    for (const number of free) this.#add(number, null);
    return trailer;
  }

  #readTable(parser: Parser, free: Set<number>): void {
    const from = parser.integer();
    const count = parser.integer();
    if (from + count > OBJECTS_MAX) throw new UnreadableFile('too many objects');
    for (let number = from; number < from + count; number++) {
      const offset = parser.integer();
      const index = parser.integer();
      if (parser.takes('n')) this.#add(number, { isPacked: false, at: offset, index });
      else {
        parser.demand('f');
        free.add(number);
      }
    }
  }

  /** null: the number is free from this update on. */
  #add(number: number, entry: Entry | null): void {
    if (this.#seen.has(number)) return;
    this.#seen.add(number);
    if (entry !== null) this.#entries.set(number, entry);
  }

  #readStream(at: number): PdfDictionary {
    const parser = new Parser(this.bytes, at);
    parser.integer();
    parser.integer();
    parser.demand('obj');
    const stream = asStream(parser.object(() => Number.NaN));
    if (stream === null || !isName(stream.dictionary.get('Type'), 'XRef')) {
      throw new UnreadableFile(`offset ${at}: there are no cross-references`);
    }
    const { dictionary } = stream;
    const widths = this.list(dictionary.get('W')).map(Number);
    const [type = 0, second = 0, third = 0] = widths;
    const rowBytes = type + second + third;
    if (widths.some((width) => !(width >= 0 && width <= 6)) || rowBytes === 0) {
      throw new UnreadableFile('cross-references have no widths');
    }
    const data = this.data(stream);
    const size = dictionary.get('Size') ?? 0;
    const index = this.list(dictionary.get('Index') ?? [0, size]).map(Number);
    let row = 0;
    for (let pair = 0; pair < index.length; pair += 2) {
      const [from = 0, count = 0] = index.slice(pair, pair + 2);
      if (!(from + count <= OBJECTS_MAX)) throw new UnreadableFile('too many objects');
      for (let number = from; number < from + count; number++, row += rowBytes) {
        if (row + rowBytes > data.length) throw new UnreadableFile('cross-references end early');
        const kind = type === 0 ? 1 : data.readUIntBE(row, type);
        const seconds = second === 0 ? 0 : data.readUIntBE(row + type, second);
        const thirds = third === 0 ? 0 : data.readUIntBE(row + type + second, third);
        const isUsed = kind === 1 || kind === 2;
        this.#add(number, isUsed ? { isPacked: kind === 2, at: seconds, index: thirds } : null);
      }
    }
    return dictionary;
  }
}

function inflated(data: Buffer): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: STREAM_BYTES_MAX });
  } catch {
    // zlib throws errors of many codes for bytes that are something else.
    throw new UnreadableFile('a stream cannot be inflated');
  }
}

/** Undoes PNG's filters, which each row names. */
function withoutPredictor(data: Buffer, parameters: PdfDictionary | null): Buffer {
  const predictor = Number(parameters?.get('Predictor') ?? 1);
  if (predictor === 1) return data;
  const columns = Number(parameters?.get('Columns') ?? 1);
  const isPlain = Number(parameters?.get('Colors') ?? 1) === 1;
  const bits = Number(parameters?.get('BitsPerComponent') ?? 8);
  if (!(predictor >= PNG_PREDICTOR_MIN) || !isPlain || bits !== 8 || !(columns >= 1)) {
    throw new UnreadableFile('a stream has another predictor');
  }
  const rows = Math.floor(data.length / (columns + 1));
  const plain = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (columns + 1)] ?? 0;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const left = column === 0 ? 0 : (plain[at - 1] ?? 0);
      const above = row === 0 ? 0 : (plain[at - columns] ?? 0);
      const corner = row === 0 || column === 0 ? 0 : (plain[at - columns - 1] ?? 0);
      const raw = data[row * (columns + 1) + 1 + column] ?? 0;
      plain[at] = raw + predicted(filter, left, above, corner);
    }
  }
  return plain;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const [byLeft, byAbove, byCorner] = [left, above, corner].map((one) => Math.abs(estimate - one));
  if ((byLeft ?? 0) <= (byAbove ?? 0) && (byLeft ?? 0) <= (byCorner ?? 0)) return left;
  return (byAbove ?? 0) <= (byCorner ?? 0) ? above : corner;
}

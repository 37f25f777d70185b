import { inflate } from './inflate.ts';
import { Parser } from './parser.ts';
import {
  asStream,
  isDictionary,
  isList,
  isName,
  type PdfDictionary,
  type PdfStream,
  type PdfValue,
  UnreadableFile,
} from './values.ts';

/*
 * Cross-reference sections, read exactly as ISO 32000-2 §7.5.4 to §7.5.8 writes them. Readers forgive
 * different faults: one takes a table with an odd entry as it is, another searches the file for
 * objects instead and shows others. So a section with any fault cannot be read here.
 */

/** The place of an object: an offset of the file, or an index in an object stream. */
export interface Entry {
  readonly isPacked: boolean;
  /** Offset, or number of the object stream. */
  readonly at: number;
  /** Generation, or index in the object stream. */
  readonly index: number;
}

/** The entry of an object number in a section; null: the number is free. */
interface Row {
  readonly number: number;
  readonly entry: Entry | null;
}

/** A cross-reference section with its trailer. */
export interface Section {
  readonly at: number;
  /** Offset after the trailer, or after the stream. */
  readonly end: number;
  /** Where the section before it begins; null: it is the first. */
  readonly previous: number | null;
  readonly trailer: PdfDictionary;
  readonly rows: readonly Row[];
  /** Number of the cross-reference stream; null: the section is a table. */
  readonly stream: number | null;
}

const OBJECTS_MAX = 500_000;
const ENTRY_BYTES = 20;
const LATIN = 'latin1';

const KEYWORD = /^xref(?:\r\n|\r|\n)/;
const SUBSECTION = /^(0|[1-9]\d{0,6}) ([1-9]\d{0,6})(?: ?\r\n| ?\r| ?\n)/;
const ENTRY = /^(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)$/;
const TRAILER = /^trailer[\t\n\r ]*(?=<<)/;

/** Reads the section at an offset. */
export function readSection(bytes: Buffer, at: number): Section {
  return KEYWORD.test(textAt(bytes, at)) ? readTable(bytes, at) : readStream(bytes, at);
}

/** An integer of a trailer that cannot be negative; null: the trailer has no such key. */
export function countIn(trailer: PdfDictionary, key: string): number | null {
  const value = trailer.get(key);
  if (value === undefined) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UnreadableFile(`/${key} is no number`);
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString(LATIN, at, at + 32);
}

function readTable(bytes: Buffer, at: number): Section {
  let place = at + (KEYWORD.exec(textAt(bytes, at))?.[0].length ?? 0);
  const used = new Map<number, Row>();
  const free = new Map<number, Row>();
  for (;;) {
    const head = SUBSECTION.exec(textAt(bytes, place));
    if (head === null) break;
    place += head[0].length;
    const from = Number(head[1]);
    const until = from + Number(head[2]);
    if (until > OBJECTS_MAX) throw new UnreadableFile('too many objects');
    for (let number = from; number < until; number += 1, place += ENTRY_BYTES) {
      if (used.has(number) || free.has(number)) throw new UnreadableFile('an entry is there twice');
      const [, offset, generation, kind] =
        ENTRY.exec(bytes.toString(LATIN, place, place + ENTRY_BYTES)) ?? [];
      if (kind === undefined) throw new UnreadableFile(`offset ${place}: there is no entry`);
      const entry = { isPacked: false, at: Number(offset), index: Number(generation) };
      if (kind === 'n') used.set(number, { number, entry });
      else free.set(number, { number, entry: null });
    }
  }
  const word = TRAILER.exec(textAt(bytes, place));
  if (word === null) throw new UnreadableFile(`offset ${place}: trailer is missing`);
  const parser = new Parser(bytes, place + word[0].length, true);
  const trailer = parser.value();
  if (!isDictionary(trailer)) throw new UnreadableFile('there is no trailer');
  // Objects that the table calls free and only readers of streams see (§7.5.8.4).
  const hidden = countIn(trailer, 'XRefStm');
  const more = hidden === null ? [] : readStream(bytes, hidden).rows;
  const rows = [...used.values(), ...more, ...free.values()];
  const previous = countIn(trailer, 'Prev');
  return { at, end: parser.at, previous, trailer, rows, stream: null };
}

function readStream(bytes: Buffer, at: number): Section {
  if (!/^[1-9]/.test(textAt(bytes, at))) throw new UnreadableFile(`offset ${at}: no section`);
  const parser = new Parser(bytes, at, true);
  const number = parser.integer();
  parser.integer();
  parser.demand('obj');
  const stream = asStream(parser.object(() => Number.NaN));
  if (stream === null || !isName(stream.dictionary.get('Type'), 'XRef')) {
    throw new UnreadableFile(`offset ${at}: there are no cross-references`);
  }
  const { dictionary: trailer } = stream;
  const rows = rowsOf(stream);
  return { at, end: parser.at, previous: countIn(trailer, 'Prev'), trailer, rows, stream: number };
}

/** The rows of a cross-reference stream (§7.5.8.3). */
function rowsOf(stream: PdfStream): readonly Row[] {
  const [type = 0, second = 0, third = 0, ...others] = numbersIn(
    stream.dictionary.get('W') ?? null,
  );
  const rowBytes = type + second + third;
  if (others.length > 0 || Math.max(type, second, third) > 6 || rowBytes === 0) {
    throw new UnreadableFile('cross-references have no widths');
  }
  const data = dataOf(stream);
  const index = numbersIn(
    stream.dictionary.get('Index') ?? [0, countIn(stream.dictionary, 'Size') ?? 0],
  );
  if (index.length % 2 !== 0) throw new UnreadableFile('/Index has no pairs');
  const rows = new Map<number, Row>();
  let at = 0;
  for (let pair = 0; pair < index.length; pair += 2) {
    const [from = 0, count = 0] = index.slice(pair, pair + 2);
    if (from + count > OBJECTS_MAX) throw new UnreadableFile('too many objects');
    for (let number = from; number < from + count; number += 1, at += rowBytes) {
      if (at + rowBytes > data.length) throw new UnreadableFile('cross-references end early');
      if (rows.has(number)) throw new UnreadableFile('an entry is there twice');
      const kind = type === 0 ? 1 : data.readUIntBE(at, type);
      const place = second === 0 ? 0 : data.readUIntBE(at + type, second);
      const last = third === 0 ? 0 : data.readUIntBE(at + type + second, third);
      if (kind > 2) throw new UnreadableFile('an entry is of another type');
      const entry = kind === 0 ? null : { isPacked: kind === 2, at: place, index: last };
      rows.set(number, { number, entry });
    }
  }
  if (at !== data.length) throw new UnreadableFile('cross-references end late');
  return [...rows.values()];
}

function numbersIn(value: PdfValue): readonly number[] {
  if (!isList(value)) throw new UnreadableFile('a list of numbers is missing');
  return value.map((item) => {
    if (typeof item === 'number' && Number.isSafeInteger(item) && item >= 0) return item;
    throw new UnreadableFile('a number is missing');
  });
}

/** The data with its filter undone; filter and parameters must not be objects elsewhere. */
function dataOf({ dictionary, data }: PdfStream): Buffer {
  const only = (key: string): PdfValue => {
    const value = dictionary.get(key) ?? null;
    return isList(value) && value.length === 1 ? (value[0] ?? null) : value;
  };
  const filter = only('Filter');
  if (filter === null) return data;
  if (!isName(filter, 'FlateDecode')) throw new UnreadableFile('a stream has another filter');
  const parameters = only('DecodeParms');
  if (parameters !== null && !isDictionary(parameters)) {
    throw new UnreadableFile('a filter has odd parameters');
  }
  return inflate(data, parameters);
}

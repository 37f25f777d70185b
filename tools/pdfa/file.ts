import { inflateSync } from 'node:zlib';
import type { Cos, Dictionary, Spelling, Stream } from './cos.ts';
import {
  isDictionary,
  isStream,
  Keyword,
  latin,
  Lexer,
  Name,
  PdfString,
  Reference,
} from './cos.ts';
import { PLAIN_FILTERS } from './filters.ts';
import { UnreadableFile, Work } from './work.ts';

/** One object of the rules' model: its type, its place, and the properties that conditions test. */
export interface Fact {
  readonly type: string;
  readonly where: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A file with a cross-reference table, read object by object. */
export class PdfDocument {
  readonly bytes: Uint8Array;
  readonly trailer: Dictionary = new Map();
  readonly objects = new Map<number, Cos>();
  /** Where each object in use begins. */
  readonly offsets = new Map<number, number>();
  /** How the file is written. */
  readonly facts: Fact[] = [];
  /** Objects in object streams: the stream that each is in. */
  readonly #packed = new Map<number, number>();
  #pages: readonly Dictionary[] | null = null;
  #numbers: Map<Cos, number> | null = null;
  #pageNumbers: ReadonlyMap<Cos, number> | null = null;
  /** Filters of streams that were needed and not decoded. */
  readonly undecoded = new Set<string>();
  readonly #spellings = new Set<string>();
  readonly #text: Buffer;
  readonly #work = new Work();

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const tail = this.#text.subarray(-1_024).toString('latin1');
    const start = Number([...tail.matchAll(/startxref\s+(\d+)\s+%%EOF/g)].at(-1)?.[1]);
    if (!Number.isInteger(start)) throw new UnreadableFile('it has no startxref at its end');
    const sections = new Set<number>();
    for (let at: number | null = start; at !== null;) {
      if (sections.has(at)) throw new Error(`the xref section at ${at} comes before itself`);
      sections.add(at);
      this.#work.spend(1_000);
      at = this.#section(at);
    }
    for (const [number, offset] of [...this.offsets].toSorted(([a], [b]) => a - b)) {
      this.objects.set(number, this.#object(number, offset));
    }
    for (const number of new Set(this.#packed.values())) this.#unpack(number);
    this.#header();
  }

  /** Follows references; null for an object that does not exist. */
  resolve(value: Cos | undefined): Cos {
    let at = value ?? null;
    this.#work.spend(1);
    for (let step = 0; at instanceof Reference && step < 32; step++) {
      at = this.objects.get(at.number) ?? null;
    }
    return at;
  }

  /** The entry of a dictionary or of a stream's dictionary, resolved. */
  get(holder: Cos | undefined, key: string): Cos {
    const owner = this.resolve(holder);
    if (isStream(owner)) return this.resolve(owner.dictionary.get(key));
    return isDictionary(owner) ? this.resolve(owner.get(key)) : null;
  }

  nameAt(holder: Cos | undefined, key: string): string | null {
    const value = this.get(holder, key);
    return value instanceof Name ? value.value : null;
  }

  numberAt(holder: Cos | undefined, key: string): number | null {
    const value = this.get(holder, key);
    return typeof value === 'number' ? value : null;
  }

  textAt(holder: Cos | undefined, key: string): string | null {
    const value = this.get(holder, key);
    return value instanceof PdfString ? value.text : null;
  }

  listAt(holder: Cos | undefined, key: string): readonly Cos[] {
    const value = this.get(holder, key);
    return Array.isArray(value) ? value : [];
  }

  has(holder: Cos | undefined, key: string): boolean {
    return this.get(holder, key) !== null;
  }

  get catalog(): Cos {
    return this.resolve(this.trailer.get('Root'));
  }

  /** Page dictionaries in order. */
  get pages(): readonly Dictionary[] {
    this.#pages ??= this.#readPages();
    return this.#pages;
  }

  #readPages(): readonly Dictionary[] {
    const pages: Dictionary[] = [];
    const known = new Set<Cos>();
    const walk = (node: Cos, depth: number): void => {
      const found = this.resolve(node);
      if (!isDictionary(found) || depth > 32 || known.has(found)) return;
      known.add(found);
      if (this.nameAt(found, 'Type') === 'Page') pages.push(found);
      for (const kid of this.listAt(found, 'Kids')) walk(kid, depth + 1);
    };
    walk(this.get(this.catalog, 'Pages'), 0);
    return pages;
  }

  /** An entry of a page, or of the nearest node above it that has the entry (§7.7.3.4). */
  inherited(page: Cos, key: string): Cos {
    let node = page;
    for (let depth = 0; depth < 32 && node !== null; depth++) {
      const value = this.get(node, key);
      if (value !== null) return value;
      node = this.get(node, 'Parent');
    }
    return null;
  }

  /** Number of the object that is this value, or 0. */
  numberOf(value: Cos): number {
    if (this.#numbers === null) {
      this.#numbers = new Map();
      for (const [number, object] of this.objects) {
        if (!this.#numbers.has(object)) this.#numbers.set(object, number);
      }
    }
    return this.#numbers.get(value) ?? 0;
  }

  /** A place in the file in words: what is there, its page if it is known, and its object. */
  place(what: string, value: Cos, page: Cos = null): string {
    if (this.#pageNumbers === null) {
      this.#pageNumbers = new Map(this.pages.map((one, index) => [one, index + 1]));
    }
    const pageNumber = this.#pageNumbers.get(page);
    const number = this.numberOf(value);
    const onPage = pageNumber === undefined ? '' : `page ${pageNumber}, `;
    return `${onPage}${what}${number === 0 ? '' : `, object ${number}`}`;
  }

  /** A stream's data after its filters. */
  data(stream: Stream): Uint8Array {
    const filter = this.get(stream, 'Filter');
    const filters = (Array.isArray(filter) ? filter : [filter]).filter((f) => f instanceof Name);
    let bytes = stream.raw;
    this.#work.spend(bytes.length >> 3);
    for (const [index, { value }] of filters.entries()) {
      const plain = PLAIN_FILTERS[value];
      if (value === 'FlateDecode') bytes = this.#unpredict(this.#inflate(bytes), stream, index);
      else if (plain !== undefined) {
        bytes = plain(bytes, this.#work.inflatedMax);
        this.#work.inflated(bytes.length);
      } else {
        this.undecoded.add(value);
        return bytes;
      }
    }
    return bytes;
  }

  #inflate(bytes: Uint8Array): Buffer {
    const inflated = inflateSync(bytes, { maxOutputLength: this.#work.inflatedMax });
    this.#work.inflated(inflated.length);
    return inflated;
  }

  #unpredict(bytes: Uint8Array, stream: Stream, filter: number): Uint8Array {
    const given = this.get(stream, 'DecodeParms');
    const parameters = Array.isArray(given) ? this.resolve(given[filter]) : given;
    if ((this.numberAt(parameters, 'Predictor') ?? 1) === 1) return bytes;
    if (this.nameAt(stream.dictionary, 'Type') === 'ObjStm') {
      return unfilterRows(Buffer.from(bytes), this.numberAt(parameters, 'Columns') ?? 1);
    }
    // No rule asks for the pixels of images.
    return new Uint8Array(0);
  }

  /** A lexer over part of the file or over a stream's data; it records what it reads. */
  lexer(bytes: Uint8Array, at: number, references: boolean, where: string): Lexer {
    return new Lexer(bytes, at, references, (spelling) => this.#note(spelling, where));
  }

  #note({ type, properties }: Spelling, where: string): void {
    // A number or name that occurs a thousand times is one fact.
    const key = `${type} ${JSON.stringify(properties)}`;
    if (this.#spellings.has(key)) return;
    this.#spellings.add(key);
    this.facts.push({ type, where, properties });
  }

  /** Reads a cross-reference section with its trailer; returns where the previous one is. */
  #section(at: number): number | null {
    const head = this.#text.subarray(at, at + 64).toString('latin1');
    if (/^\d+ 0 obj/.test(head)) return this.#sectionStream(at);
    const spelled = /^xref(\r\n|\r|\n)\d+ \d+ ?(\r\n|\r|\n)/.test(head);
    this.facts.push({
      type: 'CosXRef',
      where: `xref at ${at}`,
      properties: { xrefEOLMarkersComplyPDFA: spelled },
    });
    const words = /^xref\s+/.exec(head)?.[0];
    if (words === undefined) throw new Error('no xref table');
    let position = at + words.length;
    for (;;) {
      const line = this.#text.subarray(position, position + 48).toString('latin1');
      const section = /^(\d+) (\d+)\s+/.exec(line);
      if (section === null) break;
      position += section[0].length;
      for (let index = 0; index < Number(section[2]); index++, position += 20) {
        if (position > this.#text.length) throw new UnreadableFile('its xref table is cut off');
        const entry = this.#text.subarray(position, position + 20).toString('latin1');
        const number = Number(section[1]) + index;
        const isNew = entry[17] === 'n' && !this.offsets.has(number);
        if (isNew) this.offsets.set(number, Number(entry.slice(0, 10)));
      }
    }
    const lexer = this.lexer(this.bytes, position, true, 'trailer');
    const word = lexer.next();
    const trailer = lexer.next();
    if (!(word instanceof Keyword) || !isDictionary(trailer)) throw new Error('no trailer');
    for (const [key, value] of trailer) if (!this.trailer.has(key)) this.trailer.set(key, value);
    const previous = trailer.get('Prev');
    return typeof previous === 'number' ? previous : null;
  }

  /** A cross-reference stream, which is its own trailer (§7.5.8). */
  #sectionStream(at: number): number | null {
    const stream = this.#object(-1, at);
    if (!isStream(stream)) throw new Error('no cross-reference stream');
    const { dictionary } = stream;
    const widths = this.listAt(dictionary, 'W').map(Number);
    const [first = 0, second = 0, third = 0] = widths;
    const size = first + second + third;
    if (
      !widths.every((width) => Number.isInteger(width) && width >= 0 && width <= 6) ||
      size === 0
    ) {
      throw new UnreadableFile('its cross-reference stream has impossible widths');
    }
    const isPacked = dictionary.has('Filter');
    const isPredicted = (this.numberAt(this.get(stream, 'DecodeParms'), 'Predictor') ?? 1) > 1;
    const bytes = isPacked ? this.#inflate(stream.raw) : Buffer.from(stream.raw);
    const rows = isPacked && isPredicted ? unfilterRows(bytes, size) : bytes;
    const ranges = this.listAt(dictionary, 'Index').map(Number);
    const numbers = sectionNumbers(
      ranges.length > 0 ? ranges : [0, Math.floor(rows.length / size)],
      Math.floor(rows.length / size),
    );
    for (const [row, number] of numbers.entries()) {
      const from = row * size;
      const type = first === 0 ? 1 : rows.readUIntBE(from, first);
      const value = second === 0 ? 0 : rows.readUIntBE(from + first, second);
      if (this.offsets.has(number) || this.#packed.has(number)) continue;
      if (type === 1) this.offsets.set(number, value);
      if (type === 2) this.#packed.set(number, value);
    }
    for (const [key, value] of dictionary) {
      if (!this.trailer.has(key)) this.trailer.set(key, value);
    }
    const previous = dictionary.get('Prev');
    return typeof previous === 'number' ? previous : null;
  }

  /** The objects in an object stream (§7.5.7). */
  #unpack(number: number): void {
    const stream = this.objects.get(number) ?? null;
    if (!isStream(stream)) throw new Error(`object ${number} is no object stream`);
    const bytes = this.data(stream);
    const first = this.numberAt(stream, 'First') ?? 0;
    const head = latin(bytes.subarray(0, first)).trim().split(/\s+/).map(Number);
    for (let index = 0; index + 1 < head.length; index += 2) {
      const inner = head[index] ?? 0;
      if (this.#packed.get(inner) !== number) continue;
      const at = first + (head[index + 1] ?? 0);
      const lexer = this.lexer(bytes, at, true, `object ${inner}`);
      this.objects.set(inner, lexer.next() ?? null);
      this.#work.spend(Math.max(1, lexer.at - at));
    }
  }

  #object(number: number, offset: number): Cos {
    const where = `object ${number}`;
    const lead = this.#text.subarray(Math.max(0, offset - 1), offset + 32).toString('latin1');
    const lexer = this.lexer(this.bytes, offset, true, where);
    lexer.next();
    lexer.next();
    lexer.next();
    const value = lexer.next() ?? null;
    const isStreamNext =
      isDictionary(value) &&
      /^\s*stream/.test(this.#text.toString('latin1', lexer.at, lexer.at + 12));
    const result = isStreamNext ? this.#stream(value, lexer, where) : value;
    this.#work.spend(Math.max(1, lexer.at - offset));
    const tail = this.#text.subarray(lexer.at, lexer.at + 16).toString('latin1');
    const complies =
      /^[\r\n]\d+[ \t]\d+[ \t]obj[\r\n]/.test(lead) && /^(\r\n|\r|\n)endobj[\r\n]/.test(tail);
    this.facts.push({
      type: 'CosIndirect',
      where,
      properties: { spacingCompliesPDFA: complies },
    });
    return result;
  }

  #stream(dictionary: Dictionary, lexer: Lexer, where: string): Stream {
    lexer.skipSpace();
    const head = this.#text.toString('latin1', lexer.at, lexer.at + 8);
    const begin = /^stream(\r\n|\n|\r)?/.exec(head)?.[0].length ?? 6;
    const from = lexer.at + begin;
    const stated = this.#lengthOf(dictionary);
    const length = stated ?? 0;
    const after = this.#text.toString('latin1', from + length, from + length + 12);
    const fits = /^(\r\n|\n|\r)?endstream/.test(after);
    const end = fits ? from + length : this.#text.indexOf('endstream', from) - 1;
    if (end < from) throw new UnreadableFile(`the stream at ${from} has no end`);
    const closing = this.#text.toString('latin1', end, end + 12);
    lexer.at = end + (/^(\r\n|\n|\r)?endstream/.exec(closing)?.[0].length ?? 9);
    this.facts.push({
      type: 'CosStream',
      where,
      properties: {
        Length: stated ?? end - from,
        realLength: end - from,
        streamKeywordCRLFCompliant: /^stream(\r\n|\n)/.test(head),
        endstreamKeywordEOLCompliant: /^[\r\n]/.test(closing),
        F: dictionary.get('F') ?? null,
        FFilter: dictionary.get('FFilter') ?? null,
        FDecodeParms: dictionary.get('FDecodeParms') ?? null,
      },
    });
    const filter = dictionary.get('Filter') ?? null;
    for (const one of Array.isArray(filter) ? filter : [filter]) {
      if (!(one instanceof Name)) continue;
      const properties = { internalRepresentation: one.value, decodeParms: '' };
      this.facts.push({ type: 'CosFilter', where, properties });
    }
    return { dictionary, raw: this.bytes.subarray(from, end) };
  }

  /** The stated length of a stream, also where it is an object by itself; null: it is not known yet. */
  #lengthOf(dictionary: Dictionary): number | null {
    const stated = dictionary.get('Length');
    if (!(stated instanceof Reference)) return typeof stated === 'number' ? stated : 0;
    const offset = this.offsets.get(stated.number);
    if (offset === undefined) return null;
    const text = this.#text.toString('latin1', offset, offset + 64);
    const digits = /^\s*\d+\s+\d+\s+obj\s+(\d+)/.exec(text)?.[1];
    return digits === undefined ? null : Number(digits);
  }

  #header(): void {
    const head = this.#text.subarray(0, 1024).toString('latin1');
    const headerOffset = head.indexOf('%PDF-');
    const header = /^[^\r\n]*/.exec(head.slice(Math.max(0, headerOffset)))?.[0] ?? '';
    const comment = this.#text.subarray(headerOffset + header.length + 1);
    const ids = this.trailer.get('ID');
    const last = Array.isArray(ids) ? ids[1] : null;
    const end = this.#text.lastIndexOf('%%EOF') + 5;
    const rest = this.#text.subarray(end).toString('latin1');
    const preferences = this.get(this.catalog, 'ViewerPreferences');
    const mark = this.get(this.catalog, 'MarkInfo');
    this.facts.push({
      type: 'CosDocument',
      where: 'file',
      properties: {
        header,
        headerOffset,
        // The first byte is the percent sign, which both rules take for granted.
        ...Object.fromEntries(
          [1, 2, 3, 4].map((n) => [`headerByte${n}`, comment[0] === 37 ? comment[n] : 0]),
        ),
        lastID: last instanceof PdfString ? last.value : null,
        postEOFDataSize: rest.replace(/^(\r\n|\r|\n)/, '').length,
        nrIndirects: this.objects.size,
        NeedsRendering: this.get(this.catalog, 'NeedsRendering') === true,
        Requirements: this.get(this.catalog, 'Requirements') === null ? null : 'present',
        Marked: this.get(mark, 'Marked'),
        Suspects: this.get(mark, 'Suspects'),
        DisplayDocTitle: this.get(preferences, 'DisplayDocTitle'),
      },
    });
    const isEncrypted = this.trailer.has('Encrypt');
    this.facts.push({ type: 'CosTrailer', where: 'trailer', properties: { isEncrypted } });
  }
}

/**
 * Undoes the filters of PNG, one byte a pixel (RFC 2083, 6): those of cross-reference and object
 * streams. An incomplete last row is padded with zeros.
 */
export function unfilterRows(bytes: Buffer, size: number): Buffer {
  if (!(size > 0)) throw new Error('a predictor without columns');
  if (!Number.isInteger(size) || size > bytes.length)
    throw new Error(`a predictor of ${size} columns`);
  const count = Math.ceil(bytes.length / (size + 1));
  const rows = Buffer.alloc(count * size);
  for (let row = 0; row < count; row++) {
    const from = row * (size + 1);
    const filter = bytes[from] ?? 0;
    if (filter > 4) throw new Error(`PNG has no filter ${filter}`);
    for (let index = 0; index < size; index++) {
      const at = row * size + index;
      const left = index === 0 ? 0 : (rows[at - 1] ?? 0);
      const above = row === 0 ? 0 : (rows[at - size] ?? 0);
      const corner = row === 0 || index === 0 ? 0 : (rows[at - size - 1] ?? 0);
      rows[at] = (bytes[from + 1 + index] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return rows;
}

/** What filter 0 to 4 (none, sub, up, average, Paeth) expects at a byte. */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 0) return 0;
  const estimate = left + above - corner;
  const [byLeft, byAbove] = [Math.abs(estimate - left), Math.abs(estimate - above)];
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

/** The stream's text, one character per byte. */
export function streamText(document: PdfDocument, stream: Cos): string {
  return isStream(stream) ? latin(document.data(stream)) : '';
}

/** Object numbers of `count` rows: ranges are pairs of a first number and a count. */
function sectionNumbers(ranges: readonly number[], count: number): number[] {
  const numbers: number[] = [];
  for (let at = 0; at + 1 < ranges.length; at += 2) {
    for (let step = 0; step < (ranges[at + 1] ?? 0) && numbers.length < count; step++) {
      numbers.push((ranges[at] ?? 0) + step);
    }
  }
  return numbers;
}

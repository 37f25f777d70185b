import { createHash } from 'node:crypto';
import type { SignaturePlace } from '#engine';
import { readOffsets } from '#engine/light';
import type { ValidationData } from './validation-data.ts';

/** The end of a file, from which an incremental update continues (ISO 32000-1 §7.5.6). */
interface Ending {
  /** Offset of the last cross-reference section. */
  readonly start: number;
  readonly isStream: boolean;
  readonly size: number;
  readonly root: number;
  /** `/Root … /Info …` and, in a protected file, `/Encrypt …`, as the trailer has them. */
  readonly entries: string;
  /** A file with passwords, which qpdf wrote. */
  readonly isEncrypted: boolean;
  /** The first half of the identifier, in hexadecimal digits. */
  readonly id: string;
}

/** The file was not written by this service. */
class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}

const LATIN = 'latin1';
/** A row of a cross-reference stream: type, offset, generation. */
const ROW_BYTES = 7;
/**
 * Entries of a stream that is in clear in a file with passwords (ISO 32000-2 §7.4.10, §7.6.6): the store
 * holds nothing but certificates and what their authorities publish, so nothing here needs the key.
 */
const IN_CLEAR = '/Filter/Crypt/DecodeParms<</Type/CryptFilterDecodeParms/Name/Identity>>';
const STREAM_HEAD = new RegExp(String.raw`^(\d+) 0 obj\n<<(?:${IN_CLEAR})?/Length (\d+)>>stream\n`);
/** More than the head of a stream of the store has. */
const STREAM_HEAD_BYTES_MAX = 160;
const EXTENSION = '/ESIC<</BaseVersion/1.7/ExtensionLevel 1>>';
/** How qpdf begins the extensions of a catalog: it states the level that AES-256 needs. */
const EXTENSIONS = '/Extensions << ';

/**
 * Appends a document security store (ETSI EN 319 142-1, 5.4.2.2) to a signed file of this service
 * by an incremental update: no signed byte changes. The same file and data give the same bytes.
 */
export function appendSecurityStore(
  signed: Uint8Array,
  { catalogAt }: Pick<SignaturePlace, 'catalogAt'>,
  data: ValidationData,
): Uint8Array {
  const ending = readEnding(signed);
  const writer = new UpdateWriter(signed.length, ending);
  const store = (['certificates', 'ocsps', 'crls'] as const).map((kind) =>
    data[kind].map((der) => writer.stream(der)),
  );
  const [certs = [], ocsps = [], crls = []] = store;
  const dss = writer.add(
    `<</Type/DSS${references('Certs', certs)}${references('OCSPs', ocsps)}${references('CRLs', crls)}>>`,
  );
  writer.object(ending.root, catalogWith(signed, catalogAt, ending, dss));
  writer.finish(ending);
  return Buffer.concat([signed, ...writer.parts]);
}

/** An entry of the store; none for an empty list. */
function references(name: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return '';
  return `/${name}[${numbers.map((one) => `${one} 0 R`).join(' ')}]`;
}

/**
 * The catalog as it was signed, with the store and the extension of ETSI. Its texts may be encrypted:
 * with AES-256 that does not depend on the place of an object (ISO 32000-2 §7.6.3.3).
 */
function catalogWith(
  signed: Uint8Array,
  at: number,
  { root, isEncrypted }: Ending,
  dss: number,
): string {
  const text = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength);
  const head = `${root} 0 obj\n`;
  const end = text.indexOf('>>\nendobj\n', at);
  if (end < 0 || text.toString(LATIN, at, at + head.length) !== head) {
    throw new ForeignFile('the catalog is not where the writer put it');
  }
  const body = text.toString(LATIN, at + head.length, end);
  const store = `/DSS ${dss} 0 R>>`;
  if (!isEncrypted) return `${body}/Extensions<<${EXTENSION}>>${store}`;
  const extensions = body.indexOf(EXTENSIONS);
  if (extensions < 0) throw new ForeignFile('the catalog does not state the level of AES-256');
  const inside = extensions + EXTENSIONS.length;
  return `${body.slice(0, inside)}${EXTENSION}${body.slice(inside)}${store}`;
}

/** Reads the trailer that `pdf/file.ts` or qpdf writes: of a table, or of a stream. */
function readEnding(pdf: Uint8Array): Ending {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const tail = text.toString(LATIN, Math.max(0, text.length - 40));
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(tail)?.[1]);
  const isStream = text.toString(LATIN, start, start + 4) !== 'xref';
  const trailerAt = isStream ? start : text.lastIndexOf('trailer');
  const [trailer = ''] = text.toString(LATIN, trailerAt, trailerAt + 1_000).split('stream\n', 1);
  const size = /\/Size (\d+)/.exec(trailer)?.[1];
  const root = /\/Root (\d+) 0 R/.exec(trailer);
  const info = /\/Info \d+ 0 R/.exec(trailer);
  const id = /\/ID ?\[<([0-9a-f]+)>/.exec(trailer)?.[1];
  if (size === undefined || root === null || info === null || id === undefined) {
    throw new ForeignFile('the file does not end with a trailer of this service');
  }
  const encrypt = /\/Encrypt \d+ 0 R/.exec(trailer);
  const entries = `${root[0]}${info[0]}${encrypt?.[0] ?? ''}`;
  const isEncrypted = encrypt !== null;
  return { start, isStream, size: Number(size), root: Number(root[1]), entries, isEncrypted, id };
}

/** Objects after the end of a file, with a cross-reference section for them alone. */
class UpdateWriter {
  readonly parts: Buffer[] = [];
  readonly #offsets = new Map<number, number>();
  /** Entries of each stream before its length. */
  readonly #streamEntries: string;
  #length: number;
  #next: number;

  constructor(length: number, { size, isEncrypted }: Ending) {
    this.#length = length;
    this.#next = size;
    this.#streamEntries = isEncrypted ? IN_CLEAR : '';
  }

  stream(data: Uint8Array): number {
    const head = Buffer.from(`<<${this.#streamEntries}/Length ${data.length}>>stream\n`, LATIN);
    return this.#put(this.#next++, Buffer.concat([head, data, Buffer.from('\nendstream')]));
  }

  add(body: string): number {
    return this.object(this.#next++, body);
  }

  object(number: number, body: string): number {
    return this.#put(number, Buffer.from(body, LATIN));
  }

  #put(number: number, body: Buffer): number {
    this.#offsets.set(number, this.#length);
    this.#append(
      Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from('\nendobj\n')]),
    );
    return number;
  }

  #append(part: Buffer): void {
    this.parts.push(part);
    this.#length += part.length;
  }

  /** Writes the section in the form of the one before (§7.5.8.4 asks for one form in a file). */
  finish({ start, isStream, entries, id }: Ending): void {
    const changed = createHash('sha256');
    for (const part of this.parts) changed.update(part);
    const trailer = `${entries}/Prev ${start}/ID[<${id}><${changed.digest('hex').slice(0, 32)}>]`;
    const at = this.#length;
    this.#append(isStream ? this.#asStream(trailer) : this.#asTable(trailer));
    this.#append(Buffer.from(`startxref\n${at}\n%%EOF\n`));
  }

  /** Object numbers in order, in runs without a gap. */
  #sections(): number[][] {
    const sections: number[][] = [];
    for (const number of [...this.#offsets.keys()].toSorted((one, other) => one - other)) {
      const last = sections.at(-1);
      if (last !== undefined && last.at(-1) === number - 1) last.push(number);
      else sections.push([number]);
    }
    return sections;
  }

  #asTable(trailer: string): Buffer {
    const rows = this.#sections().map((numbers) => {
      const entries = numbers.map((number) => {
        const offset = String(this.#offsets.get(number)).padStart(10, '0');
        return `${offset} 00000 n \n`;
      });
      return `${numbers[0]} ${numbers.length}\n${entries.join('')}`;
    });
    return Buffer.from(`xref\n${rows.join('')}trailer\n<</Size ${this.#next}${trailer}>>\n`);
  }

  #asStream(trailer: string): Buffer {
    const own = this.#next++;
    this.#offsets.set(own, this.#length);
    const sections = this.#sections();
    const numbers = sections.flat();
    const rows = Buffer.alloc(numbers.length * ROW_BYTES);
    numbers.forEach((number, index) => {
      rows[index * ROW_BYTES] = 1;
      rows.writeUInt32BE(this.#offsets.get(number) ?? 0, index * ROW_BYTES + 1);
    });
    const ranges = sections.map((section) => `${section[0]} ${section.length}`).join(' ');
    const head =
      `${own} 0 obj\n<</Type/XRef/Size ${this.#next}/W[1 4 2]/Index[${ranges}]${trailer}` +
      `/Length ${rows.length}>>stream\n`;
    return Buffer.concat([Buffer.from(head), rows, Buffer.from('\nendstream\nendobj\n')]);
  }
}

/**
 * The data in an update that this service appended; null: something else follows the signed part.
 * The update is written again and compared, so that no other change hides in it.
 */
export function readSecurityStore(
  pdf: Uint8Array,
  { length }: { readonly length: number },
): ValidationData | null {
  const update = Buffer.from(pdf.buffer, pdf.byteOffset + length, pdf.byteLength - length);
  const streams = streamsIn(update);
  const text = update.toString(LATIN);
  const dss = /<<\/Type\/DSS((?:\/(?:Certs|OCSPs|CRLs)\[[0-9R ]*\])*)>>/.exec(text)?.[1];
  if (dss === undefined) return null;
  const list = (name: string): Uint8Array[] => {
    const numbers = new RegExp(`/${name}\\[([^\\]]*)\\]`).exec(dss)?.[1] ?? '';
    const found = [...numbers.matchAll(/(\d+) 0 R/g)].map(([, number]) =>
      streams.get(Number(number)),
    );
    return found.filter((data) => data !== undefined);
  };
  const data = { certificates: list('Certs'), ocsps: list('OCSPs'), crls: list('CRLs') };
  const signed = pdf.subarray(0, length);
  const catalogAt = catalogOf(signed);
  if (catalogAt === null) return null;
  const again = appendSecurityStore(signed, { catalogAt }, data);
  return Buffer.compare(again, pdf) === 0 ? data : null;
}

/** Whether an update begins as those of this service do; other programs write spaces there. */
export function isOwnUpdate(pdf: Buffer, at: number): boolean {
  return STREAM_HEAD.test(pdf.toString(LATIN, at, at + STREAM_HEAD_BYTES_MAX));
}

/** The streams of an update by their object numbers. */
function streamsIn(update: Buffer): ReadonlyMap<number, Uint8Array> {
  const streams = new Map<number, Uint8Array>();
  for (let at = 0; ;) {
    const head = STREAM_HEAD.exec(update.toString(LATIN, at, at + STREAM_HEAD_BYTES_MAX));
    if (head === null) return streams;
    const from = at + head[0].length;
    const to = from + Number(head[2]);
    streams.set(Number(head[1]), update.subarray(from, to));
    at = to + '\nendstream\nendobj\n'.length;
  }
}

/** Where the catalog begins in a file of this service; null: another program wrote the file. */
function catalogOf(signed: Uint8Array): number | null {
  try {
    const file = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength);
    const { start, isStream, root, isEncrypted } = readEnding(signed);
    // qpdf writes the catalog first, after the header.
    if (isEncrypted) return file.indexOf(`${root} 0 obj\n`, 0, LATIN);
    return isStream ? offsetInStream(file, start, root) : offsetInTable(file, start, root);
  } catch (error) {
    if (error instanceof ForeignFile) return null;
    throw error;
  }
}

/**
 * The cross-references lead to the catalog. A search could not: data of a caller may look like an
 * object.
 */
function offsetInTable(file: Buffer, start: number, number: number): number | null {
  const head = /^xref\n0 \d+\n/.exec(file.toString(LATIN, start, start + 32));
  if (head === null) return null;
  const at = start + head[0].length + number * 20;
  return Number(file.toString(LATIN, at, at + 10));
}

function offsetInStream(file: Buffer, start: number, number: number): number | null {
  const text = file.toString(LATIN, start, start + 1_024);
  const head = /^\d+ 0 obj\n(<<[^]*?\/Length (\d+)>>)stream\n/.exec(text);
  if (head === null) return null;
  const [before, dictionary = '', length] = head;
  const from = start + before.length;
  const offsets = readOffsets(dictionary, file.subarray(from, from + Number(length)));
  return offsets[number] ?? null;
}

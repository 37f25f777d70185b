import { readOffsets } from '../objects/cross-references.ts';

/**
 * Reads a file that this service wrote (pdf/file.ts): one cross-reference table or stream, objects one
 * after another. It supports no other files, because none are ever attached.
 */
export class PdfSource {
  readonly bytes: Uint8Array;
  readonly #offsets: readonly number[];
  /** Where each object ends: the next one's start. */
  readonly #ends: ReadonlyMap<number, number>;
  readonly #trailer: string;

  /** Throws `SourceError` when the bytes are not such a file. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const { text, start } = withoutUpdate(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    const { offsets, trailer } = readTable(text, start) ?? readStream(text, start);
    this.#offsets = offsets;
    const sorted = offsets.filter((offset) => offset > 0).toSorted((a, b) => a - b);
    this.#ends = new Map(sorted.map((offset, index) => [offset, sorted[index + 1] ?? start]));
    this.#trailer = trailer;
  }

  get encrypted(): boolean {
    return this.#trailer.includes('/Encrypt');
  }

  get root(): number {
    return demandReference(this.#trailer, 'Root');
  }

  /** An object's bytes between `obj` and `endobj`. */
  body(number: number): Uint8Array {
    const offset = this.#offsets[number];
    const end = offset === undefined ? undefined : this.#ends.get(offset);
    if (offset === undefined || end === undefined || offset === 0) {
      throw new SourceError(`object ${number}`);
    }
    const from = offset + `${number} 0 obj\n`.length;
    const to = end - '\nendobj\n'.length;
    if (to < from) throw new SourceError(`object ${number}`);
    return this.bytes.subarray(from, to);
  }

  /** An object that is not a stream, as Latin-1 text. */
  text(number: number): string {
    return latin1(this.body(number));
  }
}

/** One revision of a file, and where its cross-references begin. */
interface Revision {
  readonly text: Buffer;
  readonly start: number;
}

/**
 * The file as it was signed: an update after that holds only certificates and revocation data
 * (sign/long-term/security-store.ts), which no page refers to.
 */
function withoutUpdate(file: Buffer): Revision {
  const last = lastRevision(file);
  const [section = ''] = file.toString('latin1', last.start, last.start + 1024).split('stream\n');
  const previous = /\/Prev (\d+)/.exec(section)?.[1];
  if (section.startsWith('xref\n0 ') || previous === undefined) return last;
  const ending = `startxref\n${previous}\n%%EOF\n`;
  const at = file.lastIndexOf(ending, last.start);
  if (at < 0) throw new SourceError('Prev');
  return lastRevision(file.subarray(0, at + ending.length));
}

function lastRevision(text: Buffer): Revision {
  const tail = text.subarray(Math.max(0, text.length - 64)).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(tail)?.[1] ?? Number.NaN);
  if (!Number.isInteger(start) || start >= text.length) throw new SourceError('startxref');
  return { text, start };
}

interface References {
  /** By object number; 0: the object is in an object stream, which holds no part of a page. */
  readonly offsets: readonly number[];
  readonly trailer: string;
}

/** The cross-reference table and trailer; null: there is a stream in their place. */
function readTable(text: Buffer, start: number): References | null {
  const head = /^xref\n0 (\d+)\n/.exec(text.subarray(start, start + 32).toString('latin1'));
  if (head === null) return null;
  const count = Number(head[1]);
  const table = start + head[0].length;
  const trailerAt = table + count * 20;
  if (trailerAt > text.length) throw new SourceError('xref length');
  const offsets = [0];
  for (let number = 1; number < count; number++) {
    const at = table + number * 20;
    offsets.push(Number(text.subarray(at, at + 10).toString('latin1')));
  }
  const trailer = text.subarray(trailerAt).toString('latin1');
  if (!trailer.startsWith('trailer')) throw new SourceError('trailer');
  return { offsets, trailer };
}

/** The cross-reference stream of a tagged or archive document. */
function readStream(text: Buffer, start: number): References {
  const head = text.subarray(start, start + 1024).toString('latin1');
  const found = /^\d+ 0 obj\n(<<\/Type\/XRef.*?\/Length (\d+)>>)stream\n/.exec(head);
  if (found === null) throw new SourceError('xref');
  const [before, trailer = '', length] = found;
  const from = start + before.length;
  const data = text.subarray(from, from + Number(length));
  const offsets = readOffsets(trailer, data);
  // The stream is an object, too; nothing of a page refers to it.
  offsets[offsets.indexOf(start)] = 0;
  return { offsets, trailer };
}

export class SourceError extends Error {
  override readonly name = 'SourceError';
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Number of the object that `/key` refers to. */
export function referenceOf(dictionary: string, key: string): number | null {
  const found = /^ (\d+) 0 R/.exec(entryOf(dictionary, key));
  return found === null ? null : Number(found[1]);
}

/** The same for a key that every file of ours has; throws `SourceError` where it is missing. */
export function demandReference(dictionary: string, key: string): number {
  const number = referenceOf(dictionary, key);
  if (number === null) throw new SourceError(`/${key}`);
  return number;
}

/** The integer of `/key`; 0 when there is none. */
export function integerOf(dictionary: string, key: string): number {
  return Number(/^ (-?\d+)/.exec(entryOf(dictionary, key))?.[1] ?? 0);
}

/** The bracketed array of `/key`, without its brackets; nested arrays and strings are skipped. */
export function arrayOf(dictionary: string, key: string): string | null {
  const at = outsideStrings(dictionary, `/${key}[`);
  if (at < 0) return null;
  const from = at + key.length + 2;
  let depth = 1;
  for (let index = from; index < dictionary.length; index++) {
    const character = dictionary[index];
    if (character === '(') index = stringEnd(dictionary, index);
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return dictionary.slice(from, index);
  }
  throw new SourceError(`array ${key}`);
}

/** Longer than any number or reference. */
const ENTRY_LENGTH_MAX = 24;

/** The text after `/key`, from the space that separates it; '' without such a key. */
function entryOf(dictionary: string, key: string): string {
  const at = outsideStrings(dictionary, `/${key} `);
  const from = at + key.length + 1;
  return at < 0 ? '' : dictionary.slice(from, from + ENTRY_LENGTH_MAX);
}

/** Index of the first `syntax` outside strings: titles and links may hold the same characters. */
function outsideStrings(text: string, syntax: string): number {
  let at = text.indexOf(syntax);
  let open = text.indexOf('(');
  while (at >= 0 && open >= 0 && open < at) {
    const close = stringEnd(text, open);
    if (close > at) at = text.indexOf(syntax, close);
    open = text.indexOf('(', close);
  }
  return at;
}

/** Index of the parenthesis that closes the literal string opened at `from` (§7.3.4.2). */
function stringEnd(text: string, from: number): number {
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === ')') return index;
  }
  throw new SourceError('string');
}

/** Object numbers in a list of references. */
export function referencesIn(text: string): number[] {
  return Array.from(text.matchAll(/(\d+) 0 R/g), (match) => Number(match[1]));
}

/** Replaces every reference outside strings. */
export function mapReferences(text: string, map: (number: number) => number): string {
  return text.replaceAll(
    /\((?:\\[^]|[^\\()])*\)|<[0-9A-Fa-f]*>|(\d+) 0 R/g,
    (whole: string, number: string | undefined) =>
      number === undefined ? whole : `${map(Number(number))} 0 R`,
  );
}

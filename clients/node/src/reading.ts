import { isUtf8 } from 'node:buffer';

import { BadAnswerError, IntaglioError } from './errors.ts';
import { certificateFault, lossOf } from './faults.ts';
import { PROXY_REFUSED } from './http-wire.ts';
import type { Acknowledgement, DocumentRecord } from './types.ts';
import type { Header, WireAnswer } from './wire.ts';

/** A timer with more ends at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Errors of wrong arguments, which are defects of a program. */
const DEFECTS = /^(?:UND_)?ERR_(?:INVALID|HTTP|OUT_OF_RANGE)/;

/** A successful answer whose body is still to be read. */
export interface Answer {
  readonly status: number;
  readonly header: Header;
  /** Rejects when the service is silent for too long. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  /** The whole body; null: it has more bytes. */
  text(bytesMax: number): Promise<string | null>;
  /** Why the body broke off; null: the error is of another kind. */
  reasonOf(error: unknown): Reason | null;
  /** Ends the request of a body that nobody reads. */
  leave(): void;
}

/** Why no whole answer came. */
export interface Reason {
  readonly why: string;
  /** Code of the error, such as `ECONNRESET`; empty where there is none. */
  readonly code: string;
  /** Whether a repetition would end in the same way. */
  readonly isFinal: boolean;
}

interface SilenceOptions {
  /** How long nothing may be heard. */
  readonly ms: number;
  /** Whether somebody else watches the time. */
  readonly isWatched: boolean;
  readonly caller: AbortSignal | undefined;
  /** Called when the try has ended. */
  readonly onEnd: () => void;
}

/** Aborts a try that hears nothing for too long, or whose caller aborts it. */
export class Silence {
  readonly #controller = new AbortController();
  readonly #options: SilenceOptions;
  readonly #abort = (): void => this.#controller.abort();
  isOver = false;

  constructor(options: SilenceOptions) {
    this.#options = options;
    const { caller } = options;
    caller?.addEventListener('abort', this.#abort, { once: true });
    if (caller?.aborted === true) this.#abort();
  }

  get ms(): number {
    return this.#options.ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The clock runs while something is awaited, not while its receiver works. */
  async during<T>(awaited: Promise<T>): Promise<T> {
    if (this.#options.isWatched) return awaited;
    const timer = setTimeout(
      () => {
        this.isOver = true;
        this.abort();
      },
      Math.min(this.#options.ms, TIMER_MS_MAX),
    );
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  }

  abort(): void {
    this.#controller.abort();
  }

  end(): void {
    this.#options.caller?.removeEventListener('abort', this.#abort);
    this.#options.onEnd();
  }
}

/** The body of an answer. */
export class Reading implements Answer {
  readonly status: number;
  readonly header: Header;
  readonly #body: AsyncIterable<Uint8Array> | null;
  readonly #silence: Silence;

  constructor({ status, header, body }: WireAnswer, silence: Silence) {
    this.status = status;
    this.header = header;
    this.#body = body;
    this.#silence = silence;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#body === null) return;
    const chunks = this.#body[Symbol.asyncIterator]();
    let isWhole = false;
    try {
      for (;;) {
        const { done = false, value } = await this.#silence.during(chunks.next());
        // Node ends a body without a length quietly when its request is aborted.
        if (this.#silence.signal.aborted) throw new Error('the request was ended');
        isWhole = done;
        if (done) return;
        // An iterator that is not done has a value.
        yield value as Uint8Array;
      }
    } finally {
      // Ends the request of a body that was left.
      if (!isWhole) await chunks.return?.().catch(() => undefined);
      this.#silence.end();
    }
  }

  reasonOf(error: unknown): Reason | null {
    return reasonOf(error, this.#silence);
  }

  leave(): void {
    this.#silence.abort();
    this.#silence.end();
  }

  async text(bytesMax: number): Promise<string | null> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      bytes += chunk.byteLength;
      // Leaving the loop ends the request.
      if (bytes > bytesMax) return null;
      chunks.push(chunk);
    }
    return textOf(Buffer.concat(chunks));
  }
}

/** The text of bytes in UTF-8, of which those that are none make U+FFFD: then it is no JSON here. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.includes('\ufffd') && !isUtf8(bytes) ? '' : text;
}

/**
 * The text of a refusal; null: it is longer, breaks off, or does not end in the time that a silence may
 * last. The status alone says what came of the call.
 */
export async function refusalText(
  answer: WireAnswer,
  silence: Silence,
  bytesMax: number,
): Promise<string | null> {
  const timer = setTimeout(() => silence.abort(), Math.min(silence.ms, TIMER_MS_MAX));
  try {
    return await new Reading(answer, silence).text(bytesMax);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Why no whole answer came; null: the error is of another kind. */
export function reasonOf(error: unknown, silence: Silence): Reason | null {
  if (error instanceof IntaglioError) return null;
  if (silence.isOver) {
    return { why: 'the service was silent for too long', code: 'ETIMEDOUT', isFinal: false };
  }
  if (!(error instanceof Error)) return null;
  // fetch wraps the error of the connection.
  const code = codeOf(error) || codeOf(error.cause);
  const fault = certificateFault(code);
  if (fault !== null) return { why: fault, code, isFinal: true };
  if (code === PROXY_REFUSED) return { why: error.message, code, isFinal: true };
  if (code !== '') {
    if (DEFECTS.test(code)) return null;
    return { why: lossOf(code, silence.ms), code, isFinal: false };
  }
  // The names of errors with which fetch rejects and a broken body ends.
  const isCut = error instanceof TypeError && /fetch failed|terminated/.test(error.message);
  return isCut ? { why: 'the connection was cut', code, isFinal: false } : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A record of the service. Throws BadAnswerError, whose message repeats nothing of the text. */
export function parseJson(text: string): object {
  const value = jsonOf(text);
  // All bodies of the service are objects.
  if (typeof value === 'object' && value !== null) return value;
  throw new BadAnswerError('the answer is no JSON of the service; does a proxy answer?');
}

const SHA256 = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The record of a document that was stored. Throws BadAnswerError for what is none. */
export function storedRecord(record: Acknowledgement): Acknowledgement {
  const { documentId } = record as Partial<Record<keyof Acknowledgement, unknown>>;
  if (typeof documentId === 'string' && UUID.test(documentId) && hasFile(record)) return record;
  throw noRecord();
}

/** The record of this document. Throws BadAnswerError for what is none, and for that of another. */
export function recordOf(documentId: string, record: DocumentRecord): DocumentRecord {
  const { documentId: given } = record as Partial<Record<keyof DocumentRecord, unknown>>;
  const isOwn = typeof given === 'string' && given.toLowerCase() === documentId.toLowerCase();
  if (isOwn && hasFile(record)) return record;
  throw noRecord();
}

/** Whether the record names a file by its digest and a link of the web. */
function hasFile({ sha256, url }: { readonly sha256?: unknown; readonly url?: unknown }): boolean {
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) return false;
  return typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url);
}

function noRecord(): BadAnswerError {
  return new BadAnswerError('the answer is no record of the document; does a proxy answer?');
}

/** A number that may be too large has an exponent or many digits. */
const LARGE = /\d[eE]\+?\d|\d{309}/;

/** Parses a JSON text; returns null when it is not JSON, or has a number beyond all that can be held. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return LARGE.test(text) && hasInfinity(value) ? null : value;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Without recursion: what comes may be nested deeply. */
function hasInfinity(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (one === Infinity || one === -Infinity) return true;
    // Values of JSON are plain objects.
    if (typeof one === 'object' && one !== null)
      for (const each of Object.values(one)) waiting.push(each);
  }
  return false;
}

/** Longest line in bytes: a row of 1 MB has some 6 MB when all of it is escaped. */
const LINE_BYTES_MAX = 16 * 1024 ** 2;
const LINE_FEED = 10;

/** Members that each row of a list has, and their types. */
const MEMBERS = {
  manifest: { row: 'string', outcome: 'string', part: 'number' },
  printIndex: { row: 'string', documentId: 'string', fromPage: 'number', toPage: 'number' },
} as const;

/** Lists whose rows are lines of JSON. */
export type RowKind = keyof typeof MEMBERS;

/** Media type of such a list. */
export const NDJSON = 'application/x-ndjson';

/** Cuts a body that comes in pieces into lines. Throws BadAnswerError for what is no text in UTF-8. */
export class Lines {
  /** Pieces of the line that has no end yet. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** The lines that end in this piece of the body. */
  *of(chunk: Uint8Array): Generator<string, void, undefined> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      yield this.#take();
    }
    this.#keep(chunk.subarray(from));
  }

  /** Whether the last line has its end. */
  get isEnded(): boolean {
    return this.#bytes === 0;
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.byteLength;
    if (this.#bytes > LINE_BYTES_MAX) {
      throw new BadAnswerError('a line of the answer is longer than any of the service');
    }
    if (piece.byteLength > 0) this.#pieces.push(piece);
  }

  #take(): string {
    const [only, ...more] = this.#pieces;
    const line = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (!isUtf8(line)) {
      throw new BadAnswerError('a line of the answer is no text in UTF-8; does a proxy answer?');
    }
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString();
  }
}

/** A row of a list. Throws BadAnswerError, whose message repeats nothing of the line. */
export function parseRow(line: string, kind: RowKind): object {
  const row = parseJson(line) as Readonly<Record<string, unknown>>;
  for (const [name, type] of Object.entries(MEMBERS[kind])) {
    if (typeof row[name] !== type) {
      throw new BadAnswerError(`a row of the answer has no member ${name}; does a proxy answer?`);
    }
  }
  return row;
}

/** The error of a list whose last line has no end. */
export function cutOff(): BadAnswerError {
  return new BadAnswerError('the list was cut off within a line');
}

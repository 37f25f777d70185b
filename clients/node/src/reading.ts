import { BadAnswerError, IntaglioError } from './errors.ts';
import type { Acknowledgement, DocumentRecord } from './types.ts';
import { certificateFault, lossOf } from './faults.ts';
import { PROXY_REFUSED } from './http-wire.ts';
import type { Header, WireAnswer } from './wire.ts';

/** Longest line of a text, in UTF-16 units: a row of 1 MB has some 6 MB when all of it is escaped. */
const LINE_LENGTH_MAX = 16 * 1024 ** 2;
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

  async text(bytesMax: number): Promise<string | null> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      bytes += chunk.byteLength;
      // Leaving the loop ends the request.
      if (bytes > bytesMax) return null;
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }
}

/** The text of a refusal; null: it is longer, or does not end in the time that a silence may last. */
export async function refusalText(
  answer: WireAnswer,
  silence: Silence,
  bytesMax: number,
): Promise<string | null> {
  let isLate = false;
  const end = (): void => {
    isLate = true;
    silence.abort();
  };
  const timer = setTimeout(end, Math.min(silence.ms, TIMER_MS_MAX));
  try {
    return await new Reading(answer, silence).text(bytesMax);
  } catch (error) {
    if (isLate || silence.isOver) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Why no whole answer came; null: the error is of another kind. */
export function reasonOf(error: unknown, silence: Silence): Reason | null {
  if (silence.isOver) {
    return { why: 'the service was silent for too long', code: 'ETIMEDOUT', isFinal: false };
  }
  if (error instanceof IntaglioError || !(error instanceof Error)) return null;
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

/** A line that comes in pieces. */
export class Line {
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > LINE_LENGTH_MAX) {
      throw new BadAnswerError('a line of the answer is longer than any of the service');
    }
    this.#pieces.push(piece);
  }

  /** The whole line; the next one is empty. */
  endWith(piece: string): string {
    this.add(piece);
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

/** A record of the service. Throws BadAnswerError, whose message repeats nothing of the text. */
export function parseJson(text: string): object {
  const value = jsonOf(text);
  // All bodies of the service are objects.
  if (typeof value === 'object' && value !== null) return value;
  throw new BadAnswerError('the answer is no JSON of the service; does a proxy answer?');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The record of a document that was stored. Throws BadAnswerError for what is none. */
export function storedRecord(record: Acknowledgement): Acknowledgement {
  const { documentId, sha256, url } = record as Partial<Record<keyof Acknowledgement, unknown>>;
  const isOwn =
    typeof documentId === 'string' &&
    UUID.test(documentId) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    typeof url === 'string' &&
    /^https?:/.test(url) &&
    URL.canParse(url);
  if (isOwn) return record;
  throw noRecord();
}

/** The record of this document. Throws BadAnswerError for what is none, and for that of another. */
export function recordOf(documentId: string, record: DocumentRecord): DocumentRecord {
  const { documentId: given } = record as Partial<Record<keyof DocumentRecord, unknown>>;
  if (typeof given === 'string' && given.toLowerCase() === documentId.toLowerCase()) return record;
  throw noRecord();
}

function noRecord(): BadAnswerError {
  return new BadAnswerError('the answer is no record of the document; does a proxy answer?');
}

/** Parses a JSON text; returns null when it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

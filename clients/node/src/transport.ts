import { setTimeout as delay } from 'node:timers/promises';

import {
  BadAnswerError,
  IntaglioError,
  NoAnswerError,
  serviceError,
  type ServiceError,
} from './errors.ts';
import { writeJson } from './json-body.ts';
import { addressOf, type OperationId } from './operations.ts';
import { backOffMs, retryAfterMs, Slots, spentMs } from './pacing.ts';
import { certificateFault } from './tls.ts';
import { FINAL_CODES } from './types.ts';

/** How the client reaches the service. */
export interface ClientOptions {
  /** Address of the service, such as `https://documents.bank.example`. */
  readonly url: string;
  readonly apiKey: string;
  /** Requests at a time, and so connections; further ones wait. 16 when omitted. */
  readonly concurrencyMax?: number;
  /** A try that hears nothing for this long counts as not answered. 60,000 when omitted. */
  readonly silenceMsMax?: number;
  /**
   * How often a request is sent, at most, apart from tries that the key's rate limit refused. 10 when
   * omitted; 1: nothing is repeated.
   */
  readonly triesMax?: number;
  /**
   * No try begins later than this after the call; waits for windows of the key's rate limit do not
   * count, of which each must end within this. 120,000 when omitted; 0: nothing is repeated.
   */
  readonly retryMsMax?: number;
  /** Sends the requests; the global `fetch` when omitted. */
  readonly fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, its waits too; `AbortSignal.timeout(ms)` is a time limit of the whole call. */
  readonly signal?: AbortSignal | undefined;
}

/** A request, before it has an address. */
export interface Sending extends CallOptions {
  readonly operation: OperationId;
  /** Fill the path. */
  readonly places?: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown;
  /** An address that needs no key takes the place of the operation's path. */
  readonly link?: string;
  /** The body is read after the call; its connection is then beyond `concurrencyMax`. */
  readonly isStreamed?: boolean;
}

/** A request whose body has been written. */
interface Written extends Sending {
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A successful answer whose body is still to be read. */
export interface Answer {
  readonly headers: Headers;
  /** Rejects when the service is silent for too long. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  /** The whole body; null: it has more bytes. */
  text(bytesMax: number): Promise<string | null>;
  /** Why the body broke off; null: the error is of another kind. */
  reasonOf(error: unknown): Reason | null;
}

const DEFAULTS = { concurrencyMax: 16, silenceMsMax: 60_000, triesMax: 10, retryMsMax: 120_000 };
/** Longest JSON body: no answer of the service is as long. */
const JSON_BYTES_MAX = 64 * 1024 ** 2;
/** Longest body of a refusal; the service's own have a few KB. */
const REFUSAL_BYTES_MAX = 1024 ** 2;
/** Longest line of a text, in UTF-16 units: a row of 1 MB has some 6 MB when all of it is escaped. */
const LINE_LENGTH_MAX = 16 * 1024 ** 2;
/** Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came. */
const REPEATED = new Set([429, 502, 503, 504]);

/** Try that failed and may be made again. */
interface Failed {
  readonly error: ServiceError | Lost;
  readonly waitMs: number;
}

/** No whole answer came. */
class Lost {
  readonly why: string;
  readonly cause: unknown;
  /** Whether a repetition would end in the same way. */
  readonly isFinal: boolean;

  constructor({ why, isFinal }: Reason, cause: unknown) {
    this.why = why;
    this.cause = cause;
    this.isFinal = isFinal;
  }
}

/**
 * Sends requests and repeats them where that is safe, which it is for every operation: what is not
 * idempotent by itself carries an Idempotency-Key.
 */
export class Transport {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #options: typeof DEFAULTS;
  readonly #fetch: typeof fetch;
  readonly #slots: Slots;
  /** The limit is the key's, so one refusal holds every counted call. */
  #heldUntilMs = 0;

  constructor({ url, apiKey, fetch: send = globalThis.fetch, ...options }: ClientOptions) {
    if (!/^https?:/.test(url) || !URL.canParse(url)) {
      throw new TypeError('url must begin with http:// or https://');
    }
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey is not an API key');
    this.#url = url.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#options = { ...DEFAULTS, ...options };
    this.#fetch = send;
    this.#slots = new Slots(this.#options.concurrencyMax);
  }

  /** The body of a JSON answer; the type is that of the operation's schema. */
  async json<T>(sending: Sending): Promise<T> {
    const text = await this.send(sending, async (answer) => answer.text(JSON_BYTES_MAX));
    if (text === null) throw new BadAnswerError('the answer is longer than any of the service');
    return parseJson(text) as T;
  }

  /** The lines of a text as they come. A body that breaks off is not asked for again. */
  async *lines(sending: Sending): AsyncGenerator<string, void, undefined> {
    const answer = await this.send({ ...sending, isStreamed: true }, async (opened) => opened);
    const decoder = new TextDecoder();
    const line = new Line();
    try {
      for await (const chunk of answer.chunks()) {
        const parts = decoder.decode(chunk, { stream: true }).split('\n');
        const rest = parts.pop() ?? '';
        for (const part of parts) yield line.endWith(part);
        line.add(rest);
      }
    } catch (error) {
      sending.signal?.throwIfAborted();
      const why = answer.reasonOf(error);
      throw why === null ? error : this.#given(new Lost(why, error), 1);
    }
    const rest = line.endWith('');
    if (rest !== '') yield rest;
  }

  /**
   * What `read` makes of the answer. When the body breaks off, the request is sent again and `read`
   * begins anew. Calls of `generateDocument` wait for as many windows of the key's rate limit as they
   * need: thousands of calls at once pass one window after the other. Throws ServiceError,
   * NoAnswerError, NotFiniteError before anything is sent, what `read` throws, or the signal's reason.
   */
  async send<T>(asked: Sending, read: (answer: Answer) => Promise<T>): Promise<T> {
    const sending = written(asked);
    const { signal } = sending;
    const { triesMax, retryMsMax } = this.#options;
    let endMs = performance.now() + retryMsMax;
    const isCounted = sending.operation === 'generateDocument';
    const isPaced = isCounted && triesMax > 1 && retryMsMax > 0;
    // A window that ends later than that is not waited for: the service may refuse the call itself.
    const isHeld = (): boolean => isPaced && this.#heldMs > 0 && this.#heldMs <= retryMsMax;
    for (let tries = 1; ;) {
      if (isHeld()) endMs += await this.#waitUntil(this.#heldUntilMs, signal);
      const giveBack = await this.#slots.take(signal);
      // The window may have been used up while the call waited for a slot.
      if (isHeld()) {
        giveBack();
        continue;
      }
      const outcome = await this.#try(sending, isCounted, giveBack, read);
      if ('value' in outcome) return outcome.value;
      const { error, waitMs } = outcome.failed;
      // Its own window: the loop waits for its end, and a call that waits cannot be too late for it.
      if (isPaced && isOwnLimit(error, retryMsMax)) continue;
      const untilMs = performance.now() + Math.max(waitMs, backOffMs(tries - 1));
      const isFinal = error instanceof Lost && error.isFinal;
      if (isFinal || tries >= triesMax || untilMs > endMs) throw this.#given(error, tries);
      await this.#waitUntil(untilMs, signal);
      tries += 1;
    }
  }

  /** Waits until then, and returns how many milliseconds it took. */
  async #waitUntil(untilMs: number, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted();
    const ms = untilMs - performance.now();
    if (ms <= 0) return 0;
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
      return ms;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  #given(error: ServiceError | Lost, tries: number): Error {
    if (!(error instanceof Lost)) {
      error.message += `; given up after ${tries} tries: triesMax and retryMsMax allow more`;
      return error;
    }
    return new NoAnswerError(new URL(this.#url).origin, error.why, tries, error.cause);
  }

  async #try<T>(
    sending: Written,
    isCounted: boolean,
    giveBack: () => void,
    read: (answer: Answer) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly failed: Failed }> {
    const { signal } = sending;
    const silence = new Silence(this.#options.silenceMsMax, signal);
    try {
      const response = await silence.during(this.#fetch(...this.#request(sending, silence.signal)));
      if (isCounted) this.#hold(spentMs(response.headers));
      if (response.ok) return { value: await read(new Reading(response, silence)) };
      const { status, headers } = response;
      const asked = retryAfterMs(headers);
      const text = await new Reading(response, silence).text(REFUSAL_BYTES_MAX);
      const error = serviceError(status, text ?? '', asked);
      if (!REPEATED.has(status) || FINAL_CODES.has(error.code)) throw error;
      if (isCounted && status === 429) this.#hold(asked ?? 0);
      return { failed: { error, waitMs: asked ?? 0 } };
    } catch (error) {
      signal?.throwIfAborted();
      const why = reasonOf(error, silence);
      if (why === null) throw error;
      return { failed: { error: new Lost(why, error), waitMs: 0 } };
    } finally {
      if (sending.isStreamed !== true) silence.end();
      giveBack();
    }
  }

  /** How long counted calls are to wait from now on. */
  get #heldMs(): number {
    return this.#heldUntilMs - performance.now();
  }

  #hold(ms: number): void {
    if (ms > 0) this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + ms);
  }

  #request(sending: Written, signal: AbortSignal): [string, RequestInit] {
    const { operation, places = [], query = {}, body, link } = sending;
    const { method, path } = addressOf(operation, ...places);
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const asked = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const headers = {
      ...(link === undefined ? { 'X-Api-Key': this.#apiKey } : {}),
      ...sending.headers,
    };
    const sent = body === undefined ? {} : { body };
    // A redirect would hand the key to another host: it is an answer, and a final one.
    const init: RequestInit = { method, headers, signal, redirect: 'manual', ...sent };
    return [link ?? this.#url + path + asked, init];
  }
}

/** Writes the body once, for all tries. Throws NotFiniteError. */
function written({ body, ...sending }: Sending): Written {
  if (body === undefined) return sending;
  // The bytes are those of callers, who have no shared memory there: fetch would refuse it.
  if (body instanceof Uint8Array) return { ...sending, body: body as Uint8Array<ArrayBuffer> };
  if (typeof body === 'string') return { ...sending, body };
  const headers = { 'Content-Type': 'application/json', ...sending.headers };
  return { ...sending, headers, body: writeJson(body) };
}

/** A record of the service. Throws BadAnswerError, whose message repeats nothing of the text. */
export function parseJson(text: string): object {
  const value = jsonOf(text);
  // All bodies of the service are objects.
  if (typeof value === 'object' && value !== null) return value;
  throw new BadAnswerError('the answer is no JSON of the service; does a proxy answer?');
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

/** A line that comes in pieces. */
class Line {
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

/** Whether the key has used up its calls of a window that ends soon enough. */
function isOwnLimit(error: ServiceError | Lost, waitMsMax: number): boolean {
  if (error instanceof Lost || error.code !== 'rate_limited') return false;
  return error.retryAfterMs !== null && error.retryAfterMs <= waitMsMax;
}

interface Reason {
  readonly why: string;
  readonly isFinal: boolean;
}

/** Why no whole answer came; null: the error is of another kind. */
function reasonOf(error: unknown, silence: Silence): Reason | null {
  if (silence.isOver) return { why: 'the service was silent for too long', isFinal: false };
  if (error instanceof IntaglioError || !(error instanceof Error)) return null;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // Names of errors with which fetch rejects and a broken body ends.
  if (
    error instanceof TypeError &&
    (code !== '' || /fetch failed|terminated/.test(error.message))
  ) {
    const fault = certificateFault(code);
    if (fault !== null) return { why: fault, isFinal: true };
    return { why: code === '' ? 'the connection was cut' : code, isFinal: false };
  }
  return null;
}

/** Aborts a try that hears nothing for too long, or whose caller aborts it. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);
  isOver = false;

  constructor(ms: number, caller: AbortSignal | undefined) {
    this.#ms = ms;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#abort, { once: true });
    if (caller?.aborted === true) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The clock runs while something is awaited, not while its receiver works. */
  async during<T>(awaited: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, this.#ms);
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}

class Reading implements Answer {
  readonly headers: Headers;
  readonly #response: Response;
  readonly #silence: Silence;

  constructor(response: Response, silence: Silence) {
    this.headers = response.headers;
    this.#response = response;
    this.#silence = silence;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const { body } = this.#response;
    if (body === null) return;
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#silence.during(reader.read());
        if (done) return;
        // fetch gives bytes; the type of a stream in general says less.
        yield value as Uint8Array;
      }
    } finally {
      // Does nothing for a body that was read to its end; otherwise it ends the request.
      await reader.cancel().catch(() => undefined);
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

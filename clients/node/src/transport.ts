import { setMaxListeners } from 'node:events';

import { checkAddress, checkNumber, checkOptions, checkSignal, checkText } from './arguments.ts';
import {
  BadAnswerError,
  CancelledError,
  IntaglioError,
  InvalidArgumentError,
  NoAnswerError,
  serviceError,
  type ServiceError,
  triesIn,
} from './errors.ts';
import { httpWire } from './http-wire.ts';
import { writeJson } from './json-body.ts';
import { addressOf, type OperationId } from './operations.ts';
import type { CallOptions, ClientOptions, Clock, KeyRate, Refusals } from './options.ts';
import { Reachability } from './outage.ts';
import { backOffMs, RateLimit, retryAfterMs, SYSTEM_CLOCK, Window } from './pacing.ts';
import {
  type Answer,
  cutOff,
  Lines,
  NDJSON,
  parseJson,
  Reading,
  type Reason,
  reasonOf,
  refusalText,
  Silence,
} from './reading.ts';
import { FINAL_CODES } from './types.ts';
import { dispatcherWire, fetchWire, isHttp, type Wire } from './wire.ts';

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
  /** The request is sent once. */
  readonly isSentOnce?: boolean;
}

/** A request that can be sent as often as is needed. */
interface Written {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal | undefined;
  readonly isStreamed: boolean;
  /** Whether it counts against the rate limit of the key. */
  readonly isCounted: boolean;
}

const DEFAULTS = {
  concurrencyMax: 16,
  silenceMsMax: 60_000,
  triesMax: 10,
  retryMsMax: 120_000,
  unansweredMsMax: Infinity,
};
/** Statuses of records. */
const RECORDED: ReadonlySet<number> = new Set([200, 201, 202]);
/** Longest JSON body: no answer of the service is as long. */
const JSON_BYTES_MAX = 64 * 1024 ** 2;
/** Longest body of a refusal; the service's own have a few KB. */
const REFUSAL_BYTES_MAX = 1024 ** 2;
/** Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came. */
const REPEATED = new Set([429, 502, 503, 504]);

/** Operations that count against the rate limit of the key. */
const COUNTED: ReadonlySet<OperationId> = new Set(['generateDocument', 'createRun', 'startRun']);

/** What is told of an answer that is no HTTP although Node takes it. */
const NO_HTTP: Reason = { why: 'the answer is no HTTP', code: '', isFinal: false };

/** What a call has behind it. */
interface Progress {
  /** How often it was sent, and of these how often the rate limit of the key refused it. */
  sent: number;
  refused: number;
  /** No try begins later. */
  endMs: number;
  readonly triesMax: number;
}

/** No whole answer came. */
class Lost {
  readonly reason: Reason;
  readonly cause: unknown;

  constructor(reason: Reason, cause: unknown) {
    this.reason = reason;
    this.cause = cause;
  }
}

/**
 * Sends requests and repeats them where that is safe, which it is for every operation: what is not
 * idempotent by itself carries an Idempotency-Key.
 */
export class Transport {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #limits: typeof DEFAULTS;
  readonly #clock: Clock;
  readonly #wire: Wire;
  readonly #window: Window;
  /** The limit is the key's, so all counted calls share it. */
  readonly #rateLimit = new RateLimit();
  readonly #reach: Reachability;
  readonly #closing = new AbortController();
  /** Tries under way, and bodies that are being read. */
  readonly #live = new Set<Silence>();
  #onIdle: () => void = () => undefined;
  readonly #refusals = { overLimit: 0, busy: 0 };

  constructor(options: ClientOptions) {
    checkOptions('options', options, CLIENT_OPTIONS);
    const { url, apiKey, clock = SYSTEM_CLOCK } = options;
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new InvalidArgumentError('apiKey', 'is not an API key');
    }
    this.#url = checkAddress('url', url).replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#limits = limitsOf(options);
    this.#clock = clock;
    this.#wire = wireOf(options);
    this.#window = new Window(this.#limits.concurrencyMax);
    const { onOutage, onOutageEnd } = options;
    const { unansweredMsMax } = this.#limits;
    this.#reach = new Reachability({ clock, unansweredMsMax, onOutage, onOutageEnd });
    // Each call that waits listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  /** How often a request was refused because the key sent too many, or the service was busy. */
  get refusals(): Refusals {
    return { ...this.#refusals };
  }

  /** The rate limit of the key, which the service names with each document. */
  get rate(): KeyRate | null {
    return this.#rateLimit.rate(this.#clock.nowMs());
  }

  /** How long a call that the limit counts would wait for it now. */
  get rateWaitMs(): number {
    return this.#rateLimit.waitMs(this.#clock.nowMs(), this.#limits.retryMsMax);
  }

  /** Waits; throws CancelledError. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#waitUntil(this.#clock.nowMs() + ms, this.#stopOf(signal), signal);
  }

  /** Ends waiting calls at once, those under way after `graceMs`, and connections that are open. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort(new Error('the client was closed'));
    if (this.#live.size > 0) {
      const timer = setTimeout(() => {
        for (const one of this.#live) one.abort();
      }, graceMs);
      await new Promise<void>((resolve) => (this.#onIdle = resolve));
      clearTimeout(timer);
    }
    this.#wire.close();
  }

  /** The body of a JSON answer; the type is that of the operation's schema. */
  async json<T>(sending: Sending): Promise<T> {
    const text = await this.send(sending, async (answer) => {
      if (RECORDED.has(answer.status)) return answer.text(JSON_BYTES_MAX);
      answer.leave();
      throw new BadAnswerError(`the answer is no record: status ${answer.status}`);
    });
    if (text === null) throw new BadAnswerError('the answer is longer than any of the service');
    return parseJson(text) as T;
  }

  /**
   * The lines of a text as they come. A body that breaks off is not asked for again. Those of a list are
   * NDJSON, whose last line has an end; events that have none are left out.
   */
  async *lines(sending: Sending, isList: boolean): AsyncGenerator<string, void, undefined> {
    const answer = await this.send({ ...sending, isStreamed: true }, async (opened) => opened);
    const lines = new Lines();
    try {
      if (isList) checkList(answer);
      for await (const chunk of answer.chunks()) yield* lines.of(chunk);
    } catch (error) {
      this.#refuseCancelled(sending.signal);
      const reason = answer.reasonOf(error);
      throw reason === null ? error : this.#given(new Lost(reason, error), 1, '', '');
    }
    if (isList && !lines.isEnded) throw cutOff();
  }

  /**
   * What `read` makes of the answer. When the body breaks off, the request is sent again and `read`
   * begins anew. Calls that the rate limit of the key counts wait for as many of its windows as they
   * need: thousands of calls at once pass one window after the other. Throws InvalidArgumentError before
   * anything is sent, ServiceError, NoAnswerError, CancelledError, or what `read` throws.
   */
  async send<T>(asked: Sending, read: (answer: Answer) => Promise<T>): Promise<T> {
    const sending = this.#written(asked);
    const { retryMsMax } = this.#limits;
    const triesMax = asked.isSentOnce === true ? 1 : this.#limits.triesMax;
    const isPaced = sending.isCounted && triesMax > 1 && retryMsMax > 0;
    const stop = this.#stopOf(sending.signal);
    const endMs = this.#clock.nowMs() + retryMsMax;
    const progress: Progress = { sent: 0, refused: 0, endMs, triesMax };
    for (;;) {
      progress.endMs += await this.#begin(isPaced, stop, sending.signal);
      const outcome = await this.#try(sending, read);
      if ('value' in outcome) return outcome.value;
      const { error } = outcome;
      progress.sent += 1;
      const untilMs = this.#nextTryMs(error, progress, isPaced);
      if (error instanceof Lost) this.#reach.lost({ origin: this.#origin, ...error.reason });
      // The last try before the client gives up an address that never answered.
      await this.#waitUntil(Math.min(untilMs, this.#reach.endMs), stop, sending.signal);
    }
  }

  /**
   * When the next try begins: not before the service asked for, and never without a back-off, so that
   * `Retry-After: 0` starts no storm. Throws the error if there is none.
   */
  #nextTryMs(error: ServiceError | Lost, progress: Progress, isPaced: boolean): number {
    const { retryMsMax } = this.#limits;
    const nowMs = this.#clock.nowMs();
    const askedMs = error instanceof Lost ? 0 : (error.retryAfterMs ?? 0);
    // Waits for windows of the key's limit do not count, and are counted apart.
    const isOwn = isPaced && isOwnLimit(error) && askedMs <= retryMsMax;
    if (isOwn) {
      progress.refused += 1;
      progress.endMs += askedMs;
    }
    const { sent, refused, endMs, triesMax } = progress;
    const tries = isOwn ? refused : sent - refused;
    const waitMs = Math.max(askedMs, backOffMs(tries - 1));
    if (this.#isHopeless(error)) throw this.#given(error, sent, '', '');
    if (askedMs > Math.max(0, endMs - nowMs)) {
      const leftS = Math.floor(Math.max(0, endMs - nowMs) / 1_000);
      const asks = `the service asks to wait ${Math.ceil(askedMs / 1_000)} s`;
      throw this.#given(error, sent, `${asks}; retryMsMax allows ${leftS} s`, '');
    }
    const isLast = tries >= triesMax;
    if (!isLast && nowMs + waitMs <= endMs) return nowMs + waitMs;
    const option = triesMax < this.#limits.triesMax ? '' : isLast ? 'triesMax' : 'retryMsMax';
    const advice = option === '' ? '' : `: a larger ${option} allows more`;
    throw this.#given(error, sent, `given up after ${triesIn(sent)}${advice}`, option);
  }

  /** Waits until the call may be sent, and returns for how long it waited for the rate limit. */
  async #begin(
    isPaced: boolean,
    stop: AbortSignal,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { retryMsMax } = this.#limits;
    const startMs = this.#clock.nowMs();
    let waitedMs = 0;
    for (;;) {
      const heldMs = isPaced ? this.#rateLimit.waitMs(this.#clock.nowMs(), retryMsMax) : 0;
      if (heldMs > 0) {
        await this.#waitUntil(this.#clock.nowMs() + heldMs, stop, signal);
        waitedMs = this.#clock.nowMs() - startMs;
        continue;
      }
      await this.#window.enter(stop).catch((error: unknown) => {
        this.#refuseCancelled(signal);
        throw error;
      });
      // The limit may have been used up while the call waited for room.
      if (!isPaced || this.#rateLimit.begin(this.#clock.nowMs(), retryMsMax)) return waitedMs;
      this.#window.leave();
    }
  }

  /** Ends the waits of a call. */
  #stopOf(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closing;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  #refuseCancelled(signal: AbortSignal | undefined): void {
    if (signal?.aborted === true) throw new CancelledError(signal.reason);
    const { signal: closing } = this.#closing;
    if (closing.aborted) throw new CancelledError(closing.reason);
  }

  async #waitUntil(
    untilMs: number,
    stop: AbortSignal,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (;;) {
      this.#refuseCancelled(signal);
      const ms = untilMs - this.#clock.nowMs();
      if (ms <= 0) return;
      await this.#clock.wait(ms, stop);
    }
  }

  /** Whether a repetition would fail, too. */
  #isHopeless(error: ServiceError | Lost): boolean {
    if (!(error instanceof Lost)) return false;
    return error.reason.isFinal || this.#clock.nowMs() >= this.#reach.endMs;
  }

  get #origin(): string {
    return new URL(this.#url).origin;
  }

  /** The error that ends a call; `end` is what ended it, and `option` allows more. */
  #given(error: ServiceError | Lost, tries: number, end: string, option: string): Error {
    if (error instanceof Lost) {
      const { reason, cause } = error;
      const { wasAnswered } = this.#reach;
      const known = { origin: this.#origin, tries, wasAnswered, option, ...reason };
      return new NoAnswerError(known, cause);
    }
    error.message += `; ${end}`;
    return Object.assign(error, { givenUpAfter: tries });
  }

  async #try<T>(
    sending: Written,
    read: (answer: Answer) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly error: ServiceError | Lost }> {
    const { isCounted } = sending;
    const { decreases } = this.#window;
    const silence = this.#listen(sending.signal);
    try {
      const request = { ...sending, signal: silence.signal, silenceMs: silence.ms };
      const answer = await silence.during(this.#wire.request(request));
      this.#reach.answered();
      const { status, header } = answer;
      if (!isHttp(answer)) {
        silence.abort();
        return { error: new Lost(NO_HTTP, null) };
      }
      if (isCounted) this.#rateLimit.learn(header, this.#clock.nowMs());
      if (status >= 200 && status < 300) {
        this.#window.grow();
        return { value: await read(new Reading(answer, silence)) };
      }
      const askedMs = retryAfterMs(header);
      const text = await refusalText(answer, silence, REFUSAL_BYTES_MAX);
      this.#refuseCancelled(sending.signal);
      const error = serviceError(status, text ?? '', askedMs, this.#apiKey);
      if (!REPEATED.has(status) || FINAL_CODES.has(error.code)) throw error;
      this.#refusals[status === 429 ? 'overLimit' : 'busy'] += 1;
      this.#window.shrink(decreases);
      if (isCounted && status === 429) this.#hold(askedMs ?? 0);
      return { error };
    } catch (error) {
      if (!(error instanceof IntaglioError)) this.#refuseCancelled(sending.signal);
      const reason = reasonOf(error, silence);
      if (reason === null) throw error;
      return { error: new Lost(reason, error) };
    } finally {
      if (!sending.isStreamed) silence.end();
      this.#window.leave();
    }
  }

  /** Other calls wait for the window, too, unless its end is farther away than any of them may wait. */
  #hold(ms: number): void {
    if (ms <= this.#limits.retryMsMax) this.#rateLimit.hold(ms, this.#clock.nowMs());
  }

  /** Watches a try that begins now. */
  #listen(signal: AbortSignal | undefined): Silence {
    this.#reach.begin();
    const onEnd = (): void => {
      this.#live.delete(silence);
      if (this.#live.size === 0) this.#onIdle();
    };
    const isWatched = this.#wire.watchesSilence;
    const silence = new Silence({ ms: this.#silenceMs, isWatched, caller: signal, onEnd });
    this.#live.add(silence);
    return silence;
  }

  get #silenceMs(): number {
    const { silenceMsMax, unansweredMsMax } = this.#limits;
    return this.#reach.wasAnswered ? silenceMsMax : Math.min(silenceMsMax, unansweredMsMax);
  }

  /** Writes address, headers and body once, for all tries. Throws InvalidArgumentError. */
  #written(sending: Sending): Written {
    const { operation, places = [], query = {}, link, signal, isStreamed = false } = sending;
    checkSignal(signal);
    const { method, path } = addressOf(operation, places);
    const url = link === undefined ? this.#url + path + queryOf(query) : checkAddress('link', link);
    const own = link === undefined ? { 'X-Api-Key': this.#apiKey } : {};
    const { body, headers } = bodyOf(sending);
    const isCounted = COUNTED.has(operation);
    return { url, method, headers: { ...own, ...headers }, body, signal, isStreamed, isCounted };
  }
}

function checkList(answer: Answer): void {
  const { status } = answer;
  const type = answer.header('content-type').split(';', 1)[0]?.trim().toLowerCase();
  if (status === 200 && type === NDJSON) return;
  answer.leave();
  const what = status === 200 ? 'of another type' : `of status ${status}`;
  throw new BadAnswerError(`the answer is no list, but ${what}; does a proxy answer?`);
}

function queryOf(query: NonNullable<Sending['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value === 'number') checkNumber(name, value, 0, true);
    return [[name, typeof value === 'number' ? String(value) : checkText(name, value)]];
  });
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

const CLIENT_OPTIONS = [
  'apiKey',
  'clock',
  'concurrencyMax',
  'dispatcher',
  'fetch',
  'noProxy',
  'onOutage',
  'onOutageEnd',
  'proxy',
  'retryMsMax',
  'silenceMsMax',
  'tls',
  'triesMax',
  'unansweredMsMax',
  'url',
] as const satisfies readonly (keyof ClientOptions)[];

function limitsOf(options: ClientOptions): typeof DEFAULTS {
  const { concurrencyMax, silenceMsMax, triesMax, retryMsMax, unansweredMsMax } = options;
  const limits = {
    concurrencyMax: concurrencyMax ?? DEFAULTS.concurrencyMax,
    silenceMsMax: silenceMsMax ?? DEFAULTS.silenceMsMax,
    triesMax: triesMax ?? DEFAULTS.triesMax,
    retryMsMax: retryMsMax ?? DEFAULTS.retryMsMax,
    unansweredMsMax: unansweredMsMax ?? DEFAULTS.unansweredMsMax,
  };
  checkNumber('concurrencyMax', limits.concurrencyMax, 1, true);
  checkNumber('triesMax', limits.triesMax, 1, true);
  checkNumber('silenceMsMax', limits.silenceMsMax, 1, false);
  checkNumber('retryMsMax', limits.retryMsMax, 0, false);
  checkNumber('unansweredMsMax', limits.unansweredMsMax, 0, false);
  return limits;
}

function wireOf({ fetch: send, dispatcher, ...options }: ClientOptions): Wire {
  if (send !== undefined) return fetchWire(send);
  return dispatcher === undefined ? httpWire(options) : dispatcherWire(dispatcher);
}

function bodyOf({ body, headers = {} }: Sending): Pick<Written, 'body' | 'headers'> {
  if (body === undefined) return { body: null, headers };
  // The bytes are those of callers, who have no shared memory there: fetch would refuse it.
  if (body instanceof Uint8Array) return { body: body as Uint8Array<ArrayBuffer>, headers };
  const text = typeof body === 'string' ? body : writeJson(body);
  return { body: text, headers: { 'Content-Type': 'application/json', ...headers } };
}

/** Whether the key has used up its calls of a window. */
function isOwnLimit(error: ServiceError | Lost): boolean {
  return !(error instanceof Lost) && error.code === 'rate_limited' && error.retryAfterMs !== null;
}

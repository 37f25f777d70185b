import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';

import { FINAL_CODES } from '../../errors.ts';
import { CommandFailed } from '../console/failure.ts';
import { tlsFaultOf } from '../console/tls-fault.ts';
import type { Refusals } from './refusals.ts';

/** A reply that is final: success, or a refusal that trying again would not change. */
export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** The error body of the service. */
export interface ServiceError {
  readonly code: string;
  readonly error: string;
  readonly fields: readonly { readonly field: string; readonly reason: string }[];
}

/** Time as the client sees it; tests bring their own. */
export interface ClientClock {
  readonly nowMs: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const SYSTEM_CLOCK: ClientClock = { nowMs: () => performance.now(), wait: pause };

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}

/** The batch was stopped; a request that has no response by then counts as not sent. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const TRIES_MAX = 20;
/** The first delay before a retry; each further one is twice as long. */
const BACK_OFF_MS = 250;
const BACK_OFF_MS_MAX = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
const REPLY_MS_MAX = 120_000;
const CONNECT_MS_MAX = 4_000;
/** Until something answers, no attempt starts later than this: the batch gives up within 15 s. */
const SILENT_MS_MAX = 10_000;
/** Timeout of the very first request: a service that accepts it and stays silent is unavailable. */
const FIRST_REPLY_MS_MAX = 10_000;
/** Grace period of the requests under way when the batch is stopped. */
const STOP_MS_MAX = 3_000;

/**
 * Adapts the number of requests at a time to what the service takes: additive increase,
 * multiplicative decrease, as TCP does (RFC 5681 §3.1).
 */
class Window {
  readonly #max: number;
  #size: number;
  #underWay = 0;
  /** Counts decreases: refusals of requests that were sent before the last one change nothing. */
  #decreases = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  get decreases(): number {
    return this.#decreases;
  }

  async enter(): Promise<void> {
    while (this.#underWay >= Math.floor(this.#size)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#underWay += 1;
  }

  leave(): void {
    this.#underWay -= 1;
    this.wake();
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  grow(): void {
    this.#size = Math.min(this.#max, this.#size + 1 / this.#size);
  }

  shrink(decreasesWhenSent: number): void {
    if (decreasesWhenSent !== this.#decreases) return;
    this.#decreases += 1;
    this.#size = Math.max(1, this.#size / 2);
  }
}

/**
 * An HTTP client with bounded concurrency and one back-off for all calls. A 429 or 503 delays every
 * call, not only the refused one: all of them share the rate limit of the key and the renderers.
 */
export class Client {
  readonly #agent: Agent;
  readonly #clock: ClientClock;
  readonly #warn: (message: string) => void;
  readonly #firstReplyMs: number;
  readonly #stop = new AbortController();
  readonly #window: Window;
  #heldUntilMs = 0;
  #overLimit = 0;
  #busy = 0;
  /** Start of the first attempt; null before. */
  #silentSinceMs: number | null = null;
  #wasAnswered = false;
  #isWarned = false;

  /** Calls `warn` when the service cannot be reached, once per outage. */
  constructor(
    connections: number,
    warn: (message: string) => void,
    clock: ClientClock = SYSTEM_CLOCK,
    firstReplyMs = FIRST_REPLY_MS_MAX,
  ) {
    this.#warn = warn;
    this.#firstReplyMs = firstReplyMs;
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      connect: { timeout: CONNECT_MS_MAX },
      bodyTimeout: REPLY_MS_MAX,
    });
    this.#clock = clock;
    this.#window = new Window(connections);
  }

  /** How often a request was refused because the key sent too many, or the service was busy. */
  get refusals(): Refusals {
    return { overLimit: this.#overLimit, busy: this.#busy };
  }

  /** Throws `CommandFailed` when the service cannot be reached or stays too busy. */
  async call(
    url: string,
    options: {
      readonly method: 'GET' | 'POST' | 'PUT';
      readonly headers?: Record<string, string>;
      readonly body?: string | Uint8Array;
    },
  ): Promise<Reply> {
    const { origin } = new URL(url);
    let reason = '';
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { sent, decreases } = await this.#sendInTurn(url, options);
      if (sent.reply === null) {
        if (this.#stop.signal.aborted) throw new Interrupted();
        this.#recordSilence(sent.reason, origin);
        reason = sent.reason;
        this.#hold(backOffMs(tries));
      } else {
        this.#wasAnswered = true;
        this.#isWarned = false;
        if (!isBusy(sent.reply)) {
          this.#window.grow();
          return sent.reply;
        }
        if (sent.reply.status === 429) this.#overLimit += 1;
        else this.#busy += 1;
        this.#window.shrink(decreases);
        reason = `status ${sent.reply.status}`;
        // The window spreads the load, so the pause that the service asks for is enough.
        this.#hold(sent.retryAfterMs > 0 ? sent.retryAfterMs : backOffMs(tries));
      }
    }
    throw new CommandFailed(`gave up after ${TRIES_MAX} tries at ${origin}: ${reason}`);
  }

  /** Sends the request once the window has room and no pause is due. */
  async #sendInTurn(
    url: string,
    options: Parameters<Client['call']>[1],
  ): Promise<{ readonly sent: Sent; readonly decreases: number }> {
    await this.#window.enter();
    try {
      await this.#waitWhileHeld();
      if (this.#stop.signal.aborted) throw new Interrupted();
      this.#silentSinceMs ??= this.#clock.nowMs();
      const { decreases } = this.#window;
      return { sent: await this.#send(url, options), decreases };
    } finally {
      this.#window.leave();
    }
  }

  /** Waiting calls throw `Interrupted` at once; requests under way have a grace period. */
  stop(): void {
    this.#stop.abort();
    const timer = setTimeout(() => void this.#agent.destroy(), STOP_MS_MAX);
    timer.unref();
  }

  /** Warns once per outage; throws when nothing has ever answered and the time for that is over. */
  #recordSilence(reason: string, origin: string): void {
    const silentMs = this.#clock.nowMs() - (this.#silentSinceMs ?? 0);
    const isRefused = tlsFaultOf(codeOf(reason)) !== null;
    const isLong = silentMs >= Math.min(SILENT_MS_MAX, this.#firstReplyMs);
    // A certificate that was refused once is refused again.
    if (!this.#wasAnswered && (isLong || isRefused)) {
      const what = isRefused ? 'no connection to' : 'nothing answered at';
      throw new CommandFailed(`${what} ${origin}: ${reason}; ${remedyOf(reason)}`);
    }
    if (!this.#isWarned) this.#warn(`no answer from ${origin}: ${reason}; trying again`);
    this.#isWarned = true;
  }

  async close(): Promise<void> {
    if (!this.#agent.destroyed) await this.#agent.close();
  }

  /** Delays all calls by at least `ms`, unless nothing has answered yet and the time is almost over. */
  #hold(ms: number): void {
    const untilMs = this.#clock.nowMs() + ms;
    const lastMs = this.#wasAnswered ? Infinity : (this.#silentSinceMs ?? Infinity) + SILENT_MS_MAX;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, Math.min(untilMs, lastMs));
  }

  async #waitWhileHeld(): Promise<void> {
    for (;;) {
      const leftMs = this.#heldUntilMs - this.#clock.nowMs();
      if (leftMs <= 0 || this.#stop.signal.aborted) return;
      await this.#clock.wait(leftMs, this.#stop.signal);
    }
  }

  /** Sends the request once. */
  async #send(url: string, options: Parameters<Client['call']>[1]): Promise<Sent> {
    const replyMs = this.#wasAnswered ? REPLY_MS_MAX : this.#firstReplyMs;
    try {
      const response = await request(url, {
        ...options,
        dispatcher: this.#agent,
        headersTimeout: replyMs,
      });
      const body = Buffer.from(await response.body.arrayBuffer());
      const reply = { status: response.statusCode, body, headers: response.headers };
      return { reply, retryAfterMs: retryAfterMs(response) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      if (error.code !== 'UND_ERR_HEADERS_TIMEOUT') {
        return { reply: null, reason: reasonOf(String(error.code)) };
      }
      return { reply: null, reason: `no answer within ${replyMs / 1000} s (${error.code})` };
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${CONNECT_MS_MAX / 1000} s`,
  UND_ERR_BODY_TIMEOUT: `the response stalled for ${REPLY_MS_MAX / 1000} s`,
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_DESTROYED: 'the connection was closed',
};

/** The reason in words, then the error code, which can be searched for. */
function reasonOf(code: string): string {
  const words = REASONS[code] ?? tlsFaultOf(code)?.words ?? 'the request could not be sent';
  return `${words} (${code})`;
}

/** Exponential back-off with up to 50 % jitter, so that callers do not retry in step. */
function backOffMs(tries: number): number {
  const longestMs = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** tries);
  return longestMs * (0.5 + Math.random() / 2);
}

/** What became of a request; without a reply, `reason` says why: refused, reset or too slow. */
type Sent =
  | { readonly reply: Reply; readonly retryAfterMs: number }
  | { readonly reply: null; readonly reason: string };

/** Seconds, as the service sends it (RFC 9110 §10.2.3). */
function retryAfterMs({ headers }: Dispatcher.ResponseData): number {
  const value = headers['retry-after'];
  const seconds = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return Math.min(seconds * 1000, RETRY_AFTER_MS_MAX);
}

/** Whether to retry. A 503 without a code of the service comes from something between. */
function isBusy(reply: Reply): boolean {
  if (reply.status === 429 || reply.status === 502 || reply.status === 504) return true;
  return reply.status === 503 && !isFinal(readError(reply).code);
}

function isFinal(code: string): boolean {
  return FINAL_CODES.some((final) => final === code);
}

/** Parses an error body; the code is `unknown` when the body did not come from the service. */
export function readError({ status, body }: Pick<Reply, 'status' | 'body'>): ServiceError {
  const unknown = { code: 'unknown', error: `status ${status}`, fields: [] };
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || !('code' in value)) return unknown;
    const error = 'error' in value ? String(value.error) : '';
    const fields = 'fields' in value && Array.isArray(value.fields) ? value.fields : [];
    // A body with a code comes from the service, which sends this shape (the spec, "Errors").
    return { code: String(value.code), error, fields: fields as ServiceError['fields'] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unknown;
  }
}

/** Gives advice for a service that does not answer. The reason ends with an error code. */
function remedyOf(reason: string): string {
  return tlsFaultOf(codeOf(reason))?.remedy ?? 'is the service running, and is --url right?';
}

function codeOf(reason: string): string {
  return /\((\w+)\)$/.exec(reason)?.[1] ?? '';
}

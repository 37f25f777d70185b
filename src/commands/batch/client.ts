import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';

import { CommandFailed } from '../failure.ts';

/** A reply that is final: success, or a refusal that trying again would not change. */
export interface Reply {
  readonly status: number;
  readonly body: Buffer;
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
  readonly wait: (ms: number) => Promise<unknown>;
}

const SYSTEM_CLOCK: ClientClock = { nowMs: () => performance.now(), wait: (ms) => delay(ms) };

const TRIES_MAX = 20;
const BACK_OFF_MS = 250;
const BACK_OFF_MS_MAX = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
const REPLY_MS_MAX = 120_000;

/**
 * Calls with bounded concurrency that wait when the service says so. A 429 or 503 holds every call
 * back, not only the refused one: the limit is the key's, and the renderers are everyone's.
 */
export class Client {
  readonly #agent: Agent;
  readonly #clock: ClientClock;
  #heldUntilMs = 0;

  constructor(connections: number, clock: ClientClock = SYSTEM_CLOCK) {
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      headersTimeout: REPLY_MS_MAX,
      bodyTimeout: REPLY_MS_MAX,
    });
    this.#clock = clock;
  }

  /** Throws `CommandFailed` when the service cannot be reached or stays too busy. */
  async call(
    url: string,
    options: {
      readonly method: 'GET' | 'POST';
      readonly headers?: Record<string, string>;
      readonly body?: string;
    },
  ): Promise<Reply> {
    let why = '';
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      await this.#held();
      const sent = await this.#send(url, options);
      if (typeof sent !== 'string' && !isBusy(sent)) return sent.reply;
      why = typeof sent === 'string' ? sent : `status ${sent.reply.status}`;
      const asked = typeof sent === 'string' ? 0 : sent.retryAfterMs;
      this.#hold(Math.max(asked, backOffMs(tries)));
    }
    throw new CommandFailed(`gave up after ${TRIES_MAX} tries at ${new URL(url).origin}: ${why}`);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #hold(ms: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#clock.nowMs() + ms);
  }

  async #held(): Promise<void> {
    for (;;) {
      const leftMs = this.#heldUntilMs - this.#clock.nowMs();
      if (leftMs <= 0) return;
      await this.#clock.wait(leftMs);
    }
  }

  /** A string tells why there was no reply: a connection refused, reset or too slow. */
  async #send(
    url: string,
    options: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<Sent | string> {
    try {
      const response = await request(url, { ...options, dispatcher: this.#agent });
      const body = Buffer.from(await response.body.arrayBuffer());
      const reply = { status: response.statusCode, body };
      return { reply, retryAfterMs: retryAfterMs(response) };
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code);
      throw error;
    }
  }
}

/** Doubling, with up to a half left out by chance so that callers do not come back together. */
function backOffMs(tries: number): number {
  const most = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** tries);
  return most * (0.5 + Math.random() / 2);
}

interface Sent {
  readonly reply: Reply;
  readonly retryAfterMs: number;
}

/** Seconds, as the service sends it (RFC 9110 §10.2.3). */
function retryAfterMs({ headers }: Dispatcher.ResponseData): number {
  const value = headers['retry-after'];
  const seconds = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return Math.min(seconds * 1000, RETRY_AFTER_MS_MAX);
}

/** Worth trying again: the spec's 503 for a missing tool is permanent. */
function isBusy({ reply }: Sent): boolean {
  if (reply.status === 429 || reply.status === 502 || reply.status === 504) return true;
  return reply.status === 503 && readError(reply).code !== 'protection_unavailable';
}

/** The error a reply tells; `unknown` for one that is not of the service. */
export function readError({ status, body }: Reply): ServiceError {
  const unknown = { code: 'unknown', error: `status ${status}`, fields: [] };
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || !('code' in value)) return unknown;
    const error = 'error' in value ? String(value.error) : '';
    const fields = 'fields' in value && Array.isArray(value.fields) ? value.fields : [];
    // The service's own shape (the spec, "Errors").
    return { code: String(value.code), error, fields: fields as ServiceError['fields'] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unknown;
  }
}

import { Agent } from 'undici';

import {
  BadAnswerError,
  type Clock,
  Intaglio,
  IntaglioError,
  NoAnswerError,
  type KeyRate,
  type Refusals,
  ServiceError,
} from '#client';
import type { Caller } from './api-key.ts';
import { CommandFailed } from './failure.ts';
import { writeErr } from './terminal.ts';

const TRIES_MAX = 20;
/** A command waits for no longer, whatever the service asks for. Windows of the key's limit are shorter. */
const RETRY_MS_MAX = 3_600_000;
const REPLY_MS_MAX = 120_000;
const CONNECT_MS_MAX = 4_000;
/** Until something answers, no attempt starts later than this: a command gives up within 15 s. */
const UNANSWERED_MS_MAX = 10_000;
/** Grace period of the requests under way when a command is stopped. */
const STOP_MS_MAX = 3_000;

/** What a command wants of its client; tests bring their own clock. */
interface ServiceOptions {
  readonly concurrency: number;
  /** Called when the service cannot be reached, once per outage. */
  readonly warn: (message: string) => void;
  readonly clock?: Clock;
  readonly unansweredMsMax?: number;
}

/** The service as commands call it: with their patience, over undici, and with failures in words. */
export class Service {
  readonly client: Intaglio;
  readonly #origin: string;
  readonly #agent: Agent;
  #isStopped = false;

  constructor({ url, apiKey }: Caller, options: ServiceOptions) {
    const { concurrency, warn, clock, unansweredMsMax = UNANSWERED_MS_MAX } = options;
    this.#origin = new URL(url).origin;
    this.#agent = new Agent({
      pipelining: 1,
      connect: { timeout: CONNECT_MS_MAX },
    });
    this.client = new Intaglio({
      url,
      apiKey,
      clock,
      unansweredMsMax,
      dispatcher: this.#agent,
      concurrencyMax: concurrency,
      silenceMsMax: REPLY_MS_MAX,
      triesMax: TRIES_MAX,
      retryMsMax: RETRY_MS_MAX,
      onOutage: ({ origin, why }) => warn(`no answer from ${origin}: ${why}; trying again`),
    });
  }

  get refusals(): Refusals {
    return this.client.refusals;
  }

  /** The rate limit of the key; null: it is not known yet. */
  get rate(): KeyRate | null {
    return this.client.rate;
  }

  /** How long a document begun now would wait for that limit. */
  get rateWaitMs(): number {
    return this.client.rateWaitMs;
  }

  /** The result of calls. Throws `CommandFailed` when the service cannot be reached or stays busy. */
  async ask<T>(call: (client: Intaglio) => Promise<T>): Promise<T> {
    try {
      return await call(this.client);
    } catch (error) {
      throw this.#inWords(error);
    }
  }

  /** Waiting calls throw `CancelledError` at once; requests under way have a grace period. */
  stop(): void {
    this.#isStopped = true;
    void this.client.close({ graceMs: STOP_MS_MAX });
  }

  async close(): Promise<void> {
    if (!this.#isStopped) await this.client.close();
    await this.#agent.destroy();
  }

  #inWords(error: unknown): unknown {
    if (error instanceof NoAnswerError) return new CommandFailed(this.#tellLoss(error));
    if (error instanceof ServiceError && error.givenUpAfter !== null) {
      const { givenUpAfter, status, retryAfterMs } = error;
      const isLong = retryAfterMs !== null && retryAfterMs > RETRY_MS_MAX;
      const asks = isLong ? `; the service asks to wait ${Math.ceil(retryAfterMs / 1_000)} s` : '';
      return new CommandFailed(
        this.#tellEnd(givenUpAfter, `status ${status}, ${refusalOf(error)}${asks}`),
      );
    }
    return error;
  }

  #tellLoss({ tries, why, isFinal, wasAnswered }: NoAnswerError): string {
    if (isFinal) return `no connection to ${this.#origin}: ${why}`;
    if (wasAnswered) return this.#tellEnd(tries, why);
    const advice = 'is the service running, and is --url right?';
    return `nothing answered at ${this.#origin}: ${why}; ${advice}`;
  }

  #tellEnd(tries: number, why: string): string {
    return `gave up after ${tries === 1 ? '1 try' : `${tries} tries`} at ${this.#origin}: ${why}`;
  }
}

/** Calls the service, and closes its connections. Errors of the client become `CommandFailed`. */
export async function withService(
  caller: Caller,
  use: (client: Intaglio) => Promise<void>,
): Promise<void> {
  const service = new Service(caller, { concurrency: 1, warn: warnOnTerminal });
  try {
    await service.ask(use);
  } catch (error) {
    if (error instanceof ServiceError) throw new CommandFailed(refusalOf(error));
    // Another program answers at this address, so the message must show the address.
    if (error instanceof BadAnswerError) throw new CommandFailed(`${caller.url}: ${error.message}`);
    throw error instanceof IntaglioError ? new CommandFailed(error.message) : error;
  } finally {
    await service.close();
  }
}

function warnOnTerminal(message: string): void {
  writeErr(`intaglio: ${message}\n`);
}

/** A refusal, with what the user can do about it where the words of the service do not say it. */
export function refusalOf({ code, detail, fields }: ServiceError): string {
  const defects = fields.map(({ field, reason }) => `\n  ${field}: ${reason}`).join('');
  return `${detail} (${code})${adviceFor(code, detail)}${defects}`;
}

function adviceFor(code: string, detail: string): string {
  if (code === 'unauthenticated') {
    return ': check --key or INTAGLIO_API_KEY, and whether --url is the service that gave out the key';
  }
  if (code === 'insufficient_scope') {
    const scope = /scope ([a-z:]+)/.exec(detail)?.[1] ?? '';
    return `: an operator makes a key that has it with ./intaglio keys add --scope ${scope}`.trimEnd();
  }
  const isRun = code === 'not_found' && detail === 'There is no such run.';
  return isRun ? ": ./intaglio runs list names those of the key's team" : '';
}

import type { ErrorCode, Failure } from '../../errors.ts';
import { ERRORS, fail } from '../../errors.ts';
import { statusLine } from '../http/response.ts';
import type { RateVerdict } from '../types.ts';
import { failureReply, headOf } from './reply.ts';

/** What differs between two refusals with the same code. */
export interface RefusalFigures {
  readonly requestId: string;
  /** `total` of Server-Timing; null: the response has no such header. */
  readonly totalMs: number | null;
  readonly rate: RateVerdict | null;
  /** `Retry-After`; 0: that of the code, if it has any. */
  readonly retryAfterSeconds: number;
}

const ID_CHARACTERS = 36;
const NO_ID = '0'.repeat(ID_CHARACTERS);
const NONE = -1;
/** The headers with figures, with 16 digits each. */
const FIGURES_BYTES_MAX = 256;
const ZERO = 0x30;
const POINT = 0x2e;

const TIMING = Buffer.from('\r\nServer-Timing: total;dur=');
const POLICY = Buffer.from('\r\nRateLimit-Policy: "minute";q=');
const REMAINING = Buffer.from(';w=60\r\nRateLimit: "minute";r=');
const RESET = Buffer.from(';t=');
const RETRY_AFTER = Buffer.from('\r\nRetry-After: ');

/**
 * The bytes of the refusals with one code, made once: for each refusal, its id and figures are
 * written over those of the one before. Joining, flattening and encoding the texts of a refusal took
 * 0.6 µs and left 1.3 KB of garbage, which counts when a flood is refused.
 */
export class PlainRefusal {
  readonly status: number;
  /** Whether the code comes with `Retry-After`. */
  readonly hasRetryAfter: boolean;
  /** Valid until the next `write`. */
  readonly body: Uint8Array;
  /** The body, then the head. */
  readonly #bytes: Buffer;
  readonly #headAt: number;
  readonly #idInHead: number;
  readonly #idInBody: number;
  /** The head by its length, so that no view is made for each refusal. */
  readonly #heads: Uint8Array[] = [];
  /** The limit whose policy stands in the head, and where `remaining` follows it. */
  #limit = NONE;
  #remainingAt = 0;
  #at = 0;

  constructor(code: ErrorCode) {
    const reply = failureReply(fail(code), NO_ID, 0);
    const { status, fields } = headOf(reply, NO_ID, '', null, false);
    const { body } = reply;
    const head = `${statusLine(status)}\r\n${fields}`;
    this.status = status;
    this.hasRetryAfter = 'Retry-After' in reply.headers;
    // No text of the table and no name of a header has characters beyond ASCII.
    this.#bytes = Buffer.from(body + head + ' '.repeat(FIGURES_BYTES_MAX), 'latin1');
    this.#headAt = body.length;
    this.#idInHead = body.length + head.lastIndexOf(NO_ID);
    this.#idInBody = body.indexOf(NO_ID);
    this.body = this.#bytes.subarray(0, body.length);
  }

  /** Writes the id into `body` and returns the head, valid until the next call. */
  write({ requestId, totalMs, rate, retryAfterSeconds }: RefusalFigures): Uint8Array {
    this.#writeId(requestId);
    if (rate === null) this.#limit = NONE;
    else this.#writeRate(rate);
    if (retryAfterSeconds > 0) {
      this.#put(RETRY_AFTER);
      this.#putInteger(retryAfterSeconds);
    }
    if (totalMs !== null) this.#writeTotal(totalMs);
    const length = this.#at - this.#headAt;
    return (this.#heads[length] ??= this.#bytes.subarray(this.#headAt, this.#at));
  }

  #writeId(requestId: string): void {
    this.#at = this.#idInHead + ID_CHARACTERS;
    this.#bytes.write(requestId, this.#idInHead, ID_CHARACTERS, 'latin1');
    this.#bytes.copyWithin(this.#idInBody, this.#idInHead, this.#at);
  }

  /** Calls of one caller come in rows, so the limit mostly stays. */
  #writeRate({ limit, remaining, retryAfterMs }: RateVerdict): void {
    if (limit === this.#limit) this.#at = this.#remainingAt;
    else {
      this.#put(POLICY);
      this.#putInteger(limit);
      this.#put(REMAINING);
      this.#limit = limit;
      this.#remainingAt = this.#at;
    }
    this.#putInteger(remaining);
    this.#put(RESET);
    this.#putInteger(Math.max(0, Math.ceil(retryAfterMs / 1000)));
  }

  /** Writes at most three decimals, without zeros at the end. */
  #writeTotal(ms: number): void {
    this.#put(TIMING);
    const microseconds = Math.round(ms * 1000);
    this.#putInteger(Math.floor(microseconds / 1000));
    let rest = microseconds % 1000;
    if (rest === 0) return;
    this.#bytes[this.#at++] = POINT;
    for (let unit = 100; rest > 0; unit /= 10) {
      this.#bytes[this.#at++] = ZERO + Math.floor(rest / unit);
      rest %= unit;
    }
  }

  #put(text: Uint8Array): void {
    this.#bytes.set(text, this.#at);
    this.#at += text.length;
  }

  /** Writes a number of 0 to 2,147,483,647, for which 32-bit division is enough. */
  #putInteger(value: number): void {
    const bytes = this.#bytes;
    let digits = 1;
    for (let rest = (value / 10) | 0; rest > 0; rest = (rest / 10) | 0) digits += 1;
    const end = this.#at + digits;
    this.#at = end;
    let rest = value | 0;
    for (let at = end - 1; at >= end - digits; at -= 1) {
      const next = (rest / 10) | 0;
      bytes[at] = ZERO + rest - 10 * next;
      rest = next;
    }
  }
}

const REFUSALS = new Map<ErrorCode, PlainRefusal>();

/** The refusals with the failure's code; null: this failure says more than its code does. */
export function plainRefusal({ code, message, fields }: Failure): PlainRefusal | null {
  if (fields !== undefined || message !== ERRORS[code].message) return null;
  let refusal = REFUSALS.get(code);
  if (refusal === undefined) {
    refusal = new PlainRefusal(code);
    REFUSALS.set(code, refusal);
  }
  return refusal;
}

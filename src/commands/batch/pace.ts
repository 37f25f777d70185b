import type { KeyRate } from '#client';

const MINUTE_MS = 60_000;
/** Shorter waits are not told. */
const WAIT_TOLD_MS = 3_000;
const LOOK_MS = 1_000;

/** The documents of a batch that are to be made. */
export interface ToMake {
  readonly count: number;
  /** Those among them that have been made, or failed, so far. */
  readonly done: () => number;
}

/**
 * Tells the pace once, when the service has named the limit. Returns what ends this. It looks each
 * second, so that the answers to the first calls have told how much of the running window is left.
 */
export function startPaceTeller(
  rateOf: () => KeyRate | null,
  documents: ToMake,
  warn: (message: string) => void,
): () => void {
  return lookEachSecond(paceTeller(rateOf, documents, warn));
}

/** Returns what tells the pace once, as soon as the limit is known. */
export function paceTeller(
  rateOf: () => KeyRate | null,
  { count, done }: ToMake,
  warn: (message: string) => void,
): () => void {
  let isTold = false;
  return () => {
    const rate = isTold ? null : rateOf();
    if (rate === null) return;
    isTold = true;
    const pace = paceOf(rate, count, count - done());
    if (pace !== null) warn(pace);
  };
}

/**
 * Says how long a batch of `count` documents, of which `open` are not made yet, takes under the rate
 * limit of the key; null: it does not wait for it.
 */
export function paceOf(
  { calls, windowMs, left, endsInMs }: KeyRate,
  count: number,
  open = count,
): string | null {
  // Other calls of the key may have begun the window. It is about: further ones may come.
  const later = open - left;
  if (later <= 0) return null;
  const ms = endsInMs + (Math.ceil(later / calls) - 1) * windowMs;
  const limit = `${calls} calls ${windowMs === MINUTE_MS ? 'a minute' : `in ${windowMs / 1000} s`}`;
  return (
    `the key may make ${limit}, so ${count} documents take about ${durationOf(ms)}; a key with a` +
    ' higher limit: ./intaglio keys add --rate-limit'
  );
}

/** Tells of each wait for the key's limit, once it has lasted a few seconds. Returns what ends this. */
export function startWaitTeller(
  waitMsOf: () => number,
  warn: (message: string) => void,
): () => void {
  return lookEachSecond(waitTeller(waitMsOf, warn));
}

function lookEachSecond(look: (nowMs: number) => void): () => void {
  const timer = setInterval(() => look(performance.now()), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns what looks for a wait at a time in ms. */
export function waitTeller(
  waitMsOf: () => number,
  warn: (message: string) => void,
): (nowMs: number) => void {
  let lastMs = 0;
  let sinceMs = 0;
  let isTold = false;
  return (nowMs) => {
    const ms = waitMsOf();
    // A wait that has grown is another one: its window began and was used up between two looks.
    if (ms > lastMs) [sinceMs, isTold] = [nowMs, false];
    lastMs = ms;
    if (ms === 0 || isTold || nowMs - sinceMs < WAIT_TOLD_MS) return;
    isTold = true;
    warn(`waiting ${Math.ceil(ms / 1000)} s for the key's limit`);
  };
}

function durationOf(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts = [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest} min`];
  return parts.filter((part) => part !== '').join(' ');
}

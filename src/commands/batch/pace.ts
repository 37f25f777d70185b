import type { KeyRate } from '#client';

const MINUTE_MS = 60_000;
/** Shorter waits are not told. */
const WAIT_TOLD_MS = 3_000;
const LOOK_MS = 1_000;

/** Returns what tells the pace once, as soon as the service has named the limit: with the first document. */
export function paceTeller(
  rateOf: () => KeyRate | null,
  count: number,
  warn: (message: string) => void,
): () => void {
  let isTold = false;
  return () => {
    const rate = isTold ? null : rateOf();
    if (rate === null) return;
    isTold = true;
    const pace = paceOf(rate, count);
    if (pace !== null) warn(pace);
  };
}

/** Says how long a batch takes under the rate limit of the key; null: less than a window. */
export function paceOf({ calls, windowMs }: KeyRate, count: number): string | null {
  // The calls of the first window may begin at once. It is about: other programs may share the key, and
  // a window that is running already ends sooner, with fewer calls left.
  const ms = (Math.ceil(count / calls) - 1) * windowMs;
  if (ms <= 0) return null;
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
  const look = waitTeller(waitMsOf, warn);
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

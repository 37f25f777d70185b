import type { KeyRate } from '#client';

const MINUTE_MS = 60_000;

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

function durationOf(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts = [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest} min`];
  return parts.filter((part) => part !== '').join(' ');
}

import { describeFile } from './files.ts';

/** How much is quoted of two texts that differ, in UTF-16 code units. */
export interface QuoteLimits {
  readonly lengthMax: number;
  /** Before the first difference, and after the last one. */
  readonly lead: number;
}

/** No cluster of a language is longer: the bounds of one are looked for within so many code units. */
const CLUSTER_LENGTH_MAX = 64;

/** So few code units are quoted: the words that stand for them are as long. */
const LEFT_OUT_MIN = 40;

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });

/** A JSON value as text; files, such as logos, are named instead. '' for undefined. */
export function valueText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, withoutFiles);
}

/**
 * Two texts as people compare them: long ones are quoted where they differ, so that the difference is
 * seen. No grapheme cluster is cut, so that no vowel or tone mark stands alone.
 */
export function quotes(
  old: string,
  now: string,
  limits: QuoteLimits,
): { readonly before: string; readonly after: string } {
  if (Math.max(old.length, now.length) <= limits.lengthMax) return { before: old, after: now };
  const length = Math.min(old.length, now.length);
  let head = 0;
  while (head < length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - limits.lead);
  const end = Math.max(0, tail - limits.lead);
  const { lengthMax } = limits;
  return {
    before: excerpt(old, from, end, lengthMax),
    after: excerpt(now, from, end, lengthMax),
  };
}

/** Names the content of a data URL, as of a logo, instead of quoting it (a replacer of JSON). */
function withoutFiles(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? (describeFile(value) ?? value) : value;
}

/** A text without its first `from` and its last `rest` characters; the middle of a long one is left out. */
function excerpt(text: string, from: number, rest: number, lengthMax: number): string {
  const start = clusterAt(text, from).start;
  const last = clusterAt(text, text.length - rest);
  const end = last.start === text.length - rest ? last.start : last.end;
  const half = Math.floor(lengthMax / 2);
  const isLong = end - start >= lengthMax + LEFT_OUT_MIN;
  const headEnd = isLong ? clusterAt(text, start + half).start : end;
  const tailStart = isLong ? clusterAt(text, end - half).start : end;
  const shown =
    tailStart <= headEnd
      ? text.slice(start, end)
      : `${text.slice(start, headEnd)} … ${tailStart - headEnd} characters are not shown … ${text.slice(tailStart, end)}`;
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}

/** The bounds of the grapheme cluster that has this code unit. */
function clusterAt(text: string, index: number): { readonly start: number; readonly end: number } {
  const from = Math.max(0, index - CLUSTER_LENGTH_MAX);
  const near = clusterer.segment(text.slice(from, index + CLUSTER_LENGTH_MAX));
  const cluster = near.containing(index - from);
  if (cluster === undefined) return { start: index, end: index };
  const start = from + cluster.index;
  return { start, end: start + cluster.segment.length };
}

import type { Revision } from './revision.ts';

/*
 * A reader that finds a fault in the cross-references of a file rebuilds them: it looks for `8 0 obj`
 * and `trailer` in all bytes, and takes the last ones. So an update must hold nothing but the objects
 * that its cross-references name, and its cross-references nothing that a reader could take for a
 * fault. Otherwise readers could show what the comparison of revisions does not see.
 */

const LATIN = 'latin1';
const OBJECT_HEAD = /^(\d+)[ \r\n\t]+(\d+)[ \r\n\t]+obj(?![A-Za-z0-9])/;
/** As lax as any reader. */
const ANY_OBJECT = /\d[\0\t\n\f\r ]*obj/g;
const ANY_TRAILER = /trailer|startxref|%%EOF/g;
const TABLE_HEAD = /^xref *(\r\n|\r|\n)/;
const TABLE_RANGE = /^(\d{1,10}) (\d{1,10}) *(\r\n|\r|\n)/;
const TABLE_ENTRY = /^\d{10} \d{5} [nf]( \r| \n|\r\n)/;
const ENDING = /^startxref[ \r\n]+\d+[ \r\n]+%%EOF(\r\n|\r|\n)?$/;
/** What may stand between objects: space, and a line in which a program names itself. */
const BETWEEN = /^([\0\t\n\f\r ]|%(?!%EOF|PDF)[ -~]{0,200}[\r\n])*$/;
/** Longer than the head of any object or the line of any table. */
const LINE_BYTES = 64;

/** A part of the file, from one offset to another. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Whether the bytes of the last update, which begins at `from`, are only what they must be. */
export function isAccountedFor(revision: Revision, from: number): boolean {
  const { bytes } = revision;
  const section = revision.sections[0];
  if (section === undefined || section.at < from) return false;
  const heads = new Set<number>();
  const spans: Span[] = [];
  for (const { number, at, generation } of revision.placesFrom(from)) {
    if (number >= revision.size || !revision.namesAllIn(number)) return false;
    const head = OBJECT_HEAD.exec(bytes.toString(LATIN, at, at + LINE_BYTES));
    if (head === null || Number(head[1]) !== number || Number(head[2]) !== generation) return false;
    heads.add(at + head[0].length);
    spans.push({ from: at, to: revision.endOfObject(at) });
  }
  const rest = sectionSpan(revision, section.at, heads);
  if (rest === null) return false;
  // A stream of cross-references may name itself.
  if (!spans.some((span) => span.from === rest.from)) spans.push(rest);
  const ending = bytes.toString(LATIN, rest.to).replace(/^[\0\t\n\f\r ]+/, '');
  if (!ENDING.test(ending)) return false;
  return hasNothingBetween(bytes, from, spans) && hasNoOther(bytes, from, heads, rest);
}

/** The table and its trailer, or the stream; null: a reader could stumble over it. */
function sectionSpan(revision: Revision, at: number, heads: Set<number>): Span | null {
  const { bytes } = revision;
  let to: number;
  let dictionary: string;
  if (TABLE_HEAD.test(bytes.toString(LATIN, at, at + LINE_BYTES))) {
    const trailer = endOfTable(bytes, at);
    if (trailer === null) return null;
    to = revision.endOfValue(trailer);
    dictionary = bytes.toString(LATIN, trailer, to);
    if (revision.trailer.has('XRefStm')) return null;
  } else {
    const head = OBJECT_HEAD.exec(bytes.toString(LATIN, at, at + LINE_BYTES));
    if (head === null) return null;
    heads.add(at + head[0].length);
    to = revision.endOfObject(at);
    dictionary = bytes.toString(LATIN, at, revision.endOfValue(at + head[0].length));
  }
  const isPlain = (['Size', 'Prev'] as const).every((key) => {
    return new RegExp(`/${key}[ \\r\\n]+\\d{1,12}(?=[ \\r\\n/>])`).test(dictionary);
  });
  return isPlain ? { from: at, to } : null;
}

/** Reads a table by the letter; the offset after `trailer`, or null. */
function endOfTable(bytes: Buffer, from: number): number | null {
  const line = (): string => bytes.toString(LATIN, at, at + LINE_BYTES);
  let at = from;
  at += TABLE_HEAD.exec(line())?.[0].length ?? 0;
  const numbers = new Set<number>();
  for (;;) {
    const range = TABLE_RANGE.exec(line());
    if (range === null) break;
    at += range[0].length;
    const [first = 0, count = 0] = range.slice(1, 3).map(Number);
    for (let number = first; number < first + count; number++) {
      const entry = TABLE_ENTRY.exec(line());
      if (entry === null || numbers.has(number)) return null;
      numbers.add(number);
      at += entry[0].length;
    }
  }
  return line().startsWith('trailer') ? at + 'trailer'.length : null;
}

function hasNothingBetween(bytes: Buffer, from: number, spans: readonly Span[]): boolean {
  let end = from;
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    if (span.from < end || !BETWEEN.test(bytes.toString(LATIN, end, span.from))) return false;
    end = span.to;
  }
  return true;
}

/** Whether no reader finds other objects or trailers, wherever they stand. */
function hasNoOther(
  bytes: Buffer,
  from: number,
  heads: ReadonlySet<number>,
  section: Span,
): boolean {
  const text = bytes.toString(LATIN, from);
  for (const { index, 0: found } of text.matchAll(ANY_OBJECT)) {
    if (!heads.has(from + index + found.length)) return false;
  }
  for (const { index } of text.matchAll(ANY_TRAILER)) {
    if (from + index < section.from) return false;
  }
  return true;
}

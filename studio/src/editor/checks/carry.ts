import type { Finding } from '../../api/types.ts';

/**
 * Findings of the text `before` at their places in the text `after`. A place before the change keeps
 * its line, one behind it moves along, and one inside it goes to its start.
 */
export function carryFindings(
  findings: readonly Finding[],
  before: string,
  after: string,
): readonly Finding[] {
  if (findings.length === 0 || before === after) return findings;
  const start = sharedStart(before, after);
  const end = sharedEnd(before, after, start);
  const moved = after.length - before.length;
  return findings.map((finding) => {
    const { line, column = 1 } = finding;
    if (line === undefined) return finding;
    const offset = offsetOfLine(before, line) + column - 1;
    if (offset < start) return finding;
    const place = offset >= before.length - end ? offset + moved : start;
    return { ...finding, ...positionAt(after, place) };
  });
}

/** How many characters both texts begin with. */
function sharedStart(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** How many characters both texts end with, apart from the `start` that they begin with. */
function sharedEnd(a: string, b: string, start: number): number {
  const length = Math.min(a.length, b.length) - start;
  let count = 0;
  while (
    count < length &&
    a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)
  ) {
    count += 1;
  }
  return count;
}

/** `line` is counted from 1. */
export function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let count = 1; count < line; count += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

/** Line and column of an offset, both from 1. */
export function positionAt(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  let line = 1;
  let from = 0;
  for (;;) {
    const next = text.indexOf('\n', from);
    if (next === -1 || next >= offset) return { line, column: offset - from + 1 };
    line += 1;
    from = next + 1;
  }
}

import type { Bracket, Odd } from './pairs.ts';
import { match, type MissingLine } from './slip.ts';

/** The rest of a line on which lists and objects end, and perhaps others begin. */
const CLOSES = /[ \t\r,[\]{}]*(?:\n|$)/y;
/** The rest of a line that has nothing but one bracket. */
const CLOSES_ONE = /[\]}][ \t\r]*,?[ \t\r]*(?:\n|$)/y;

/**
 * Where the indentation shows that the line with the partner of a bracket is missing; null if it
 * shows nothing.
 */
export function missingLine(text: string, odd: Odd): MissingLine | null {
  const { bracket } = odd;
  if (odd.kind === 'unclosed' && bracket.isLast) return lineFrom(text, odd.before);
  const { at, isFirst, lineAt, indent } = bracket;
  if (odd.kind !== 'alone' || !isFirst || match(CLOSES, text, at) === '') return null;
  const start = blockStart(text, lineAt, indent);
  return start === lineAt ? null : lineFrom(text, start);
}

function lineFrom(text: string, at: number): MissingLine {
  return { at, line: text.slice(0, at).split('\n').length };
}

/**
 * Whether a bracket is the only one of its line and ends lines that are indented further, as those
 * inside a list or an object are.
 */
export function endsDeeperLines(text: string, { isFirst, at, lineAt, indent }: Bracket): boolean {
  const isOnly = isFirst && match(CLOSES_ONE, text, at) !== '';
  return isOnly && blockStart(text, lineAt, indent) < lineAt;
}

/** Start of the block of lines above this one that are indented further. */
export function blockStart(text: string, lineAt: number, indent: number): number {
  let start = lineAt;
  while (start > 0) {
    const above = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(above, start - 1);
    if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break;
    start = above;
  }
  return start;
}

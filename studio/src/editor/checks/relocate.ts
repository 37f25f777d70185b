import type { Finding } from '../../api/types.ts';
import { offsetOfLine, positionAt } from './carry.ts';

/** A finding in `source`, at its place in a text that differs from it in white space only. */
export function relocate(finding: Finding, source: string, text: string): Finding {
  const { line, column = 1 } = finding;
  if (line === undefined || source === text) return finding;
  const offset = offsetOfLine(source, line) + column - 1;
  return { ...finding, ...positionAt(text, offsetOfInk(text, inkBefore(source, offset))) };
}

/** The number of characters before `offset` that are not white space. */
function inkBefore(text: string, offset: number): number {
  let count = 0;
  for (let at = 0; at < offset; at += 1) if (!isSpace(text, at)) count += 1;
  return count;
}

/** The offset of the character that is not white space and has `count` such characters before it. */
function offsetOfInk(text: string, count: number): number {
  let left = count;
  for (let at = 0; at < text.length; at += 1) {
    if (isSpace(text, at)) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return text.length;
}

/** White space of JSON (RFC 8259 §2). */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

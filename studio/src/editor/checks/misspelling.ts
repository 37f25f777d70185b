import type { Finding } from '../../api/types.ts';
import type { TextChange } from '../sample-edit.ts';
import { offsetOfLine } from './carry.ts';

/** The end of a message about a name that resembles a known one. */
const MEANT = /("(?:[^"\\]|\\.)*")[^"]*; did you mean ("(?:[^"\\]|\\.)*")\?$/;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const COLON = /\s*:\s*/y;

/**
 * Puts the name that a finding suggests in place of the misspelled one: a key, a whole value, or the
 * only such word of a value. null: it suggests none, or the text has that name elsewhere or twice.
 */
export function misspellingFix(
  text: string,
  { line, column = 1, message }: Finding,
): TextChange | null {
  const [, wrong, right] = MEANT.exec(message) ?? [];
  if (wrong === undefined || right === undefined || line === undefined) return null;
  const key = stringAt(text, offsetOfLine(text, line) + column - 1);
  if (key === null) return null;
  if (key.json === wrong) return { from: key.from, to: key.to, insert: right };
  const value = valueAfter(text, key.to);
  if (value?.json === wrong) return { from: value.from, to: value.to, insert: right };
  // A place in a list has no key before its text.
  return wordFix(value ?? key, inner(wrong), inner(right));
}

interface JsonString {
  readonly from: number;
  readonly to: number;
  /** With its quotation marks. */
  readonly json: string;
}

function stringAt(text: string, at: number): JsonString | null {
  STRING.lastIndex = at;
  const json = STRING.exec(text)?.[0];
  return json === undefined ? null : { from: at, to: at + json.length, json };
}

/** The text that is the value of the key that ends at `at`; null: no key ends there. */
function valueAfter(text: string, at: number): JsonString | null {
  COLON.lastIndex = at;
  const colon = COLON.exec(text)?.[0];
  return colon === undefined ? null : stringAt(text, at + colon.length);
}

/** What stands between the quotation marks. */
function inner(json: string): string {
  return json.slice(1, -1);
}

function wordFix({ from, json }: JsonString, wrong: string, right: string): TextChange | null {
  const literal = wrong.replaceAll(/[\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const word = new RegExp(
    String.raw`(?<![\p{L}\p{M}\p{N}_.])${literal}(?![\p{L}\p{M}\p{N}_])`,
    'gu',
  );
  const [first, ...others] = json.matchAll(word);
  if (first === undefined || others.length > 0) return null;
  const start = from + first.index;
  return { from: start, to: start + wrong.length, insert: right };
}

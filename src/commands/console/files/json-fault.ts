import { findSlip } from '../../../runtime/json-slips/find.ts';
import { slipWords } from '../../../runtime/json-slips/words.ts';

/** Place of the first fault in a text that is not JSON, counted from 1, and its cause. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly cause: string;
}

/** A longer text is not searched, because the search may try a change at each bracket. */
const SEARCHED_LENGTH_MAX = 1024 * 1024;

/**
 * The first fault of a text. Null if `JSON.parse` accepts the text, or if it is too long to be
 * searched.
 */
export function findJsonFault(text: string): JsonFault | null {
  if (text.length > SEARCHED_LENGTH_MAX) return null;
  const slip = findSlip(text);
  // A key that occurs twice is valid JSON.
  if (slip === null || slip.cause === 'key_repeated') return null;
  const before = text.slice(0, slip.from).split('\n');
  return {
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
    cause: slipWords(slip),
  };
}

/** The message that a file is not JSON, with place and cause if they are found. */
export function notJson(path: string, text: string): string {
  if (text.trim() === '') return `${path} is empty`;
  const fault = findJsonFault(text);
  if (fault === null) return `${path} is not valid JSON`;
  const { line, column, cause } = fault;
  return `${path} is not valid JSON (line ${line}, column ${column}). ${cause}`;
}

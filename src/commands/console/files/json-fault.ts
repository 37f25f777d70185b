import { findSlip } from '../../../runtime/json-slips/find.ts';
import { slipWords } from '../../../runtime/json-slips/words.ts';

/** Where a text is not JSON, counted from 1, and why. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly cause: string;
}

/** A longer text is not searched: the cause may be sought at each of its brackets. */
const SEARCHED_LENGTH_MAX = 1024 * 1024;

/** The first fault of a text that `JSON.parse` refuses; null: it takes the text, or it is too long. */
export function findJsonFault(text: string): JsonFault | null {
  if (text.length > SEARCHED_LENGTH_MAX) return null;
  const slip = findSlip(text);
  // A key that stands twice is JSON.
  if (slip === null || slip.cause === 'key_repeated') return null;
  const before = text.slice(0, slip.from).split('\n');
  return {
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
    cause: slipWords(slip),
  };
}

/** `PATH is not JSON`, with place and cause as far as they are found. */
export function notJson(path: string, text: string): string {
  if (text.trim() === '') return `${path} is empty`;
  const fault = findJsonFault(text);
  if (fault === null) return `${path} is not valid JSON`;
  const { line, column, cause } = fault;
  return `${path} is not valid JSON (line ${line}, column ${column}). ${cause}`;
}

import { LIMITS } from '../../limits.ts';
import { isObject } from './check.ts';
import type { JsonObject } from './check.ts';
import type { Findings } from './findings.ts';

/** The template file as JSON, or null with a finding that names line and column. */
export function parseSource(source: Uint8Array, findings: Findings): JsonObject | null {
  if (source.length > LIMITS.templateBytesMax) {
    const message = `The file has ${source.length} bytes; ${LIMITS.templateBytesMax} are allowed.`;
    findings.error('', message);
    return null;
  }
  const text = decode(source);
  if (text === null) {
    findings.error('', 'The file is not UTF-8.');
    return null;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    findings.error('', `The file is not JSON${placeOf(error.message, text)}.`);
    return null;
  }
  if (isObject(value)) return value;
  findings.error('', 'A template file is a JSON object with "fields" and "document".');
  return null;
}

function decode(source: Uint8Array): string | null {
  try {
    // A copy: the decoder takes no shared memory.
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(source));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** ` (line 3, column 7)` from the position that V8's message names, if it names one. */
function placeOf(message: string, text: string): string {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const end = Number.isNaN(position) ? (message.includes('end') ? text.length : -1) : position;
  if (end < 0) return '';
  const before = text.slice(0, end).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}

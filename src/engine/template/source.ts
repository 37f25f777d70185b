import { LIMITS } from '../../limits.ts';
import type { Finding, SharedTemplate } from '../job.ts';
import { isDeeper, isObject } from '../../runtime/json-object.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import type { Findings } from './vocabulary/findings.ts';
import { withPositions } from './source/positions.ts';
import { repeatedFindings } from './source/repeated-keys.ts';

/** A copy of a template's source, because TextDecoder does not accept shared memory. */
export function copySource({ source }: SharedTemplate): Uint8Array {
  return new Uint8Array(source).slice();
}

/** The template file as JSON, or null with a finding that names line and column. */
export function parseSource(source: Uint8Array, findings: Findings): JsonObject | null {
  if (source.length > LIMITS.templateBytesMax) {
    const message = `The file has ${source.length} bytes; ${LIMITS.templateBytesMax} are allowed.`;
    findings.error('', message);
    return null;
  }
  if (hasMoreValues(source)) {
    findings.error('', `The file holds more than ${LIMITS.templateValuesMax} values.`);
    return null;
  }
  const text = decode(source);
  if (text === null) {
    findings.error('', 'The file is not UTF-8: save it as UTF-8.');
    return null;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column } = placeOf(text);
    const message =
      text.trim() === ''
        ? 'The file is empty: a template begins with {"templateId": …}.'
        : `The file is not JSON (line ${line}, column ${column}).`;
    findings.errorAt(line, column, message);
    return null;
  }
  if (isDeeper(value, LIMITS.templateJsonDepthMax)) {
    findings.error('', `The file nests deeper than ${LIMITS.templateJsonDepthMax} levels.`);
    return null;
  }
  const mayHaveMany = source.length > LIMITS.layoutValuesMax;
  if (mayHaveMany && isObject(value) && countValues(value['document']) > LIMITS.layoutValuesMax) {
    const message = `The document holds more than ${LIMITS.layoutValuesMax} values; repeat rows and lists with "each".`;
    findings.error('document', message);
    return null;
  }
  if (isObject(value)) return value;
  findings.error('', 'A template file is a JSON object with "fields" and "document".');
  return null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Whether the JSON has more values than a template may have, counted without parsing: parsing 8 MB
 * of small members takes seconds. Each value but the first of a list follows a comma.
 */
export function hasMoreValues(source: Uint8Array): boolean {
  if (source.length <= LIMITS.templateValuesMax) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values += 1;
  }
  return values > LIMITS.templateValuesMax;
}

function countValues(root: unknown): number {
  let count = 0;
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    count += 1;
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) pending.push(member);
  }
  return count;
}

/**
 * The findings of a file that is JSON, and its repeated keys, with line and column, in the order of
 * the file.
 */
export function locate(source: Uint8Array, findings: readonly Finding[]): readonly Finding[] {
  const text = decode(source);
  if (text === null) return findings;
  const all = [...findings, ...repeatedFindings(text)];
  return all.length === 0 ? all : withPositions(text, all);
}

function decode(source: Uint8Array): string | null {
  try {
    // The decoder does not accept shared memory.
    const own = source.buffer instanceof SharedArrayBuffer ? new Uint8Array(source) : source;
    return new TextDecoder('utf-8', { fatal: true }).decode(own);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Where a text stops being JSON. */
function placeOf(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultOffset(text)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** One token of JSON (RFC 8259) after white space: a string, another scalar, or a sign. */
const TOKEN =
  /[ \t\n\r]*(?:(?<string>"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|(?<sign>[[\]{},:]))/uy;

/** The next thing that may stand in JSON; `first…`: in a list that may also end here. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'commaOrEnd';

/** The offset of the first thing that is not JSON. Only some messages of V8 name it. */
function faultOffset(text: string): number {
  /** The closing brackets of the lists and objects around. */
  const closers: string[] = [];
  let expected: Expected | null = 'value';
  let end = 0;
  while (expected !== null) {
    TOKEN.lastIndex = end;
    const token = TOKEN.exec(text);
    expected = token === null ? null : expectedAfter(token.groups ?? {}, expected, closers);
    if (expected !== null) end = TOKEN.lastIndex;
  }
  return skipBlanks(text, end);
}

/** The tokens that may follow this one; null if it is a fault itself. Keeps `closers` up to date. */
function expectedAfter(
  { string, scalar, sign }: Partial<Record<string, string>>,
  expected: Expected,
  closers: string[],
): Expected | null {
  const isFirst = expected === 'firstValue' || expected === 'firstKey';
  if ((isFirst || expected === 'commaOrEnd') && sign !== undefined && sign === closers.at(-1)) {
    closers.pop();
    return 'commaOrEnd';
  }
  switch (expected) {
    case 'key':
    case 'firstKey':
      return string === undefined ? null : 'colon';
    case 'colon':
      return sign === ':' ? 'value' : null;
    case 'value':
    case 'firstValue':
      if (string !== undefined || scalar !== undefined) return 'commaOrEnd';
      if (sign !== '[' && sign !== '{') return null;
      closers.push(sign === '[' ? ']' : '}');
      return sign === '[' ? 'firstValue' : 'firstKey';
    case 'commaOrEnd':
      if (sign !== ',' || closers.length === 0) return null;
      return closers.at(-1) === '}' ? 'key' : 'value';
  }
}

function skipBlanks(text: string, from: number): number {
  return from + (/^[ \t\n\r]*/.exec(text.slice(from))?.[0].length ?? 0);
}

import { LIMITS } from '../../../src/limits.ts';
import { isDeeper } from '../../../src/runtime/json-object.ts';
import {
  elementSpans,
  type JsonSpan,
  memberSpan,
  memberSpans,
} from '../../../src/runtime/json-spans.ts';
import type { Data } from './template-data.ts';

/** A number whose digits a double would not keep, such as 1.10 or 12345678901234567890. */
export class ExactNumber {
  /** The number as it stands in JSON. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** The text of a value that is a text or a number; null for any other. */
export function textOf(value: unknown): string | null {
  if (value instanceof ExactNumber) return value.source;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/**
 * JSON text of a value, with all digits of its numbers. `lineBreak` begins each of its lines, which are
 * laid out as by JSON.stringify with two blanks; '': the text is one line without blanks.
 */
export function toJson(value: unknown, lineBreak = ''): string {
  if (value instanceof ExactNumber) return value.source;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = lineBreak === '' ? '' : `${lineBreak}  `;
  const colon = lineBreak === '' ? ':' : ': ';
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((element: unknown) => toJson(element ?? null, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}${colon}${toJson(member, inner)}`);
  const text = parts.length === 0 ? '' : `${inner}${parts.join(`,${inner}`)}${lineBreak}`;
  return isList ? `[${text}]` : `{${text}}`;
}

/**
 * Returns a function that gives the data of a sample with the digits of its numbers, also of those in
 * records and lists. `text` is the template, and `position` the place of the sample in its list. The
 * text is searched for samples once, however many there are.
 */
export function exactSamples(text: string): (position: number, data: Data) => Data {
  let spans: readonly JsonSpan[] | null = null;
  return (position, data) => {
    if (!holdsNumber(data)) return data;
    spans ??= elementSpans(text, memberSpan(text, 0, 'samples').from);
    return exactMembers(text, memberSpan(text, spanOf(spans[position]).from, 'data'), data);
  };
}

/**
 * Whether a value nests deeper than a template may: the functions of this file, and others that walk
 * values by recursion, would exceed the stack.
 */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, LIMITS.templateJsonDepthMax);
}

/**
 * Parses JSON and keeps all digits of its numbers (`ExactNumber`).
 *
 * @throws SyntaxError if the text is not JSON or nests deeper than templates are allowed to.
 */
export function parseExact(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  if (isTooDeep(value)) throw new SyntaxError('the text nests too deep');
  return exactValue(text.trim(), { from: 0, to: text.trim().length }, value);
}

function exactMembers(text: string, { from }: JsonSpan, object: object): Data {
  const spans = memberSpans(text, from);
  const exact = Object.entries(object).map(([key, value]): [string, unknown] => [
    key,
    exactValue(text, spanOf(spans.get(key)), value),
  ]);
  return Object.fromEntries(exact);
}

function exactValue(text: string, span: JsonSpan, value: unknown): unknown {
  if (typeof value === 'number') {
    const source = text.slice(span.from, span.to);
    return source === String(value) ? value : new ExactNumber(source);
  }
  if (typeof value !== 'object' || value === null || !holdsNumber(value)) return value;
  if (!Array.isArray(value)) return exactMembers(text, span, value);
  const spans = elementSpans(text, span.from);
  return value.map((element: unknown, index) => exactValue(text, spanOf(spans[index]), element));
}

function holdsNumber(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNumber);
}

/** The place of a value that the text has, because the value was read from it. */
function spanOf(span: JsonSpan | undefined): JsonSpan {
  if (span === undefined) throw new Error('the text has another value');
  return span;
}

import { elementSpans, memberSpan } from '../../../src/runtime/json-spans.ts';
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

/** JSON text of a value, with all digits of its numbers. Lists hold no exact numbers. */
export function toJson(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`);
  return `{${members.join()}}`;
}

/**
 * The data of a sample with the digits of its numbers. `text` is the template, and `position` the
 * place of the sample in its list.
 */
export function exactData(text: string, position: number, data: Data): Data {
  // Only numbers at the top level are values of fields.
  if (!Object.values(data).some((value) => typeof value === 'number')) return data;
  const sample = elementSpans(text, memberSpan(text, 0, 'samples').from)[position];
  if (sample === undefined) throw new Error('the template has the sample');
  const object = memberSpan(text, sample.from, 'data');
  const exact = Object.entries(data).map(([key, value]): [string, unknown] => {
    if (typeof value !== 'number') return [key, value];
    const { from, to } = memberSpan(text, object.from, key);
    const source = text.slice(from, to);
    return [key, source === String(value) ? value : new ExactNumber(source)];
  });
  return Object.fromEntries(exact);
}

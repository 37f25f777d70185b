import { isObject } from '../../../runtime/json-object.ts';

/** Items are compared for similarity by this many of their first characters. */
const LEAD_LENGTH_MAX = 400;

/**
 * Numbers JSON values so that equal values, and only those, have the same number; the order of keys
 * has no meaning. Each object is visited once, however often it is asked for.
 */
export class Identities {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<object, number>();

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#number(JSON.stringify(value));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const number = this.#number(this.#content(value));
    this.#known.set(value, number);
    return number;
  }

  #content(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.of(item)).join()}`;
    const members = Object.entries(value).map(([key, item]) => [key, this.of(item)] as const);
    members.sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${JSON.stringify(members)}`;
  }

  #number(content: string): number {
    const known = this.#numbers.get(content);
    if (known !== undefined) return known;
    this.#numbers.set(content, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** The first characters of what a JSON value says, without its punctuation. */
export function leadOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, LEAD_LENGTH_MAX);
  if (typeof value !== 'object' || value === null) return String(value);
  let text = '';
  for (const [key, item] of Object.entries(value)) {
    if (text.length >= LEAD_LENGTH_MAX) break;
    text += isObject(value) ? `${key} ${leadOf(item)} ` : `${leadOf(item)} `;
  }
  return text.slice(0, LEAD_LENGTH_MAX);
}

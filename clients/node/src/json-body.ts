import { NotFiniteError } from './errors.ts';

/**
 * Writes a body as JSON. Throws NotFiniteError for NaN and Infinity, for which JSON.stringify writes
 * null: the document would lack the value, or be refused for a field that the caller had filled.
 */
export function writeJson(body: unknown): string {
  const text = JSON.stringify(body);
  // Every such number has become a null, so most bodies need no second look.
  if (text.includes('null')) refuseNotFinite(body);
  return text;
}

/** Throws for the first number that is not finite. What `toJSON` returns counts, as it is sent. */
function refuseNotFinite(body: unknown): void {
  /** The path of each object and array that has been written so far, such as `data.items[2]`. */
  const places = new WeakMap<object, string>();
  JSON.stringify(body, function place(this: object, key: string, value: unknown): unknown {
    const where = placeOf(this, key, places.get(this) ?? '');
    if (typeof value === 'number' && !Number.isFinite(value)) throw new NotFiniteError(where);
    if (typeof value === 'object' && value !== null) places.set(value, where);
    return value;
  });
}

function placeOf(holder: object, key: string, above: string): string {
  if (Array.isArray(holder)) return `${above}[${key}]`;
  return above === '' ? key : `${above}.${key}`;
}

import type { Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;
const VALUE_LENGTH_MAX = 255;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The checked query of a list that is paged by ids. */
export interface ListQuery<Name extends string> extends Paging {
  /** Filters that were given. */
  readonly filters: Readonly<Partial<Record<Name, string>>>;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** Reads `from`, `to`, `after`, `limit` and the filters by name; each may be given once. */
export function readListQuery<Name extends string>(
  query: string,
  names: readonly Name[],
  limitDefault = LIMIT_DEFAULT,
): Outcome<ListQuery<Name>> {
  const given = new Map<string, string>();
  const filterNames: readonly string[] = names;
  const known: readonly string[] = ['from', 'to', 'after', 'limit', ...names];
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) {
      return fail('bad_request', `The query knows only ${known.join(', ')}.`);
    }
    if (given.has(name)) return fail('bad_request', `${name} may be given once.`);
    if (value.length > VALUE_LENGTH_MAX) return fail('bad_request', `${name} is too long.`);
    // A filter whose value got lost in the caller must not list everything.
    if (value === '' && filterNames.includes(name)) {
      return fail('bad_request', `${name} is empty: give a value, or leave it out.`);
    }
    given.set(name, value);
  }
  const sinceMs = readTime(given.get('from'));
  const untilMs = readTime(given.get('to'));
  if (Number.isNaN(sinceMs) || Number.isNaN(untilMs)) {
    return fail('bad_request', 'from and to must be times such as 2026-01-31T00:00:00Z.');
  }
  const paging = readPaging(given.get('after'), given.get('limit') ?? String(limitDefault));
  if (!paging.ok) return paging;
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = given.get(name);
    if (value !== undefined) filters[name] = value;
  }
  return succeed({ filters, sinceMs, untilMs, ...paging.value });
}

/** Which page of a list is asked for. */
export interface Paging {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Checks the paging parameters of a list that is paged by ids. */
export function readPaging(after: string | undefined, limit: string): Outcome<Paging> {
  if (after !== undefined && !UUID.test(after)) {
    return fail('bad_request', 'after must be the value of next in the previous page.');
  }
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > LIMIT_MAX) {
    return fail('bad_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  return succeed({ after, limit: Number(limit) });
}

/** Parses a time; NaN: it is not a time. */
function readTime(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
  return isTime.test(text) ? Date.parse(text) : Number.NaN;
}

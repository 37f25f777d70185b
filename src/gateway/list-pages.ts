import { setImmediate } from 'node:timers/promises';
import { DOCUMENT_ID } from '../api/documents.ts';
import * as values from '../api/schema.ts';
import type { Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import type { ListPage } from '../store/store.ts';
import { parameter } from './openapi/operation.ts';
import { type JsonReply, writtenReply } from './reply/reply.ts';

const LIMIT_MAX = 200;
/** Entries of the longest answer to a query without a limit. */
const ENTRIES_MAX = 1_000;
const CURSOR_LENGTH_MAX = 255;
const BAD_CURSOR = 'after must be the value of next in the previous page.';

/** Describes the query parameters of such a list. */
export const LIST_PAGING = [
  parameter(
    'query',
    'after',
    { type: 'string' },
    DOCUMENT_ID,
    'The value of next in the previous page.',
  ),
  parameter('query', 'limit', values.limit, 50, `1 to ${LIMIT_MAX}; 1,000 when left out.`),
];

/** The body of a list of D. */
type ListBody<N extends string, D> = { readonly [K in N]: readonly D[] } & {
  readonly next: string | null;
};

/** Reads the page after `after`; null: the list has no such entry. */
type ReadPage<T> = (after: string, countMax: number) => Promise<ListPage<T> | null>;

/**
 * Answers with a list under `name` and `next`: one page if the query has `limit`, otherwise up
 * to `entriesMax` entries, so that most lists come whole. They are read and written page by page
 * with pauses for the event loop: a thousand rows at once would delay every other request.
 */
export async function listReply<T, N extends string, D extends object>(
  query: string,
  name: N,
  readPage: ReadPage<T>,
  describe: (item: T) => D,
  entriesMax = ENTRIES_MAX,
): Promise<Outcome<JsonReply<ListBody<N, D>>>> {
  const asked = new URLSearchParams(query);
  const limit = asked.get('limit');
  if (limit !== null && (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > LIMIT_MAX)) {
    return fail('bad_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  const after = asked.get('after') ?? '';
  if (after.length > CURSOR_LENGTH_MAX) return fail('bad_request', BAD_CURSOR);
  const pages = limit === null ? Math.ceil(entriesMax / LIMIT_MAX) : 1;
  const texts: string[] = [];
  let next: string | null = after;
  for (let read = 0; read < pages && next !== null; read += 1) {
    if (read > 0) await setImmediate();
    const page: ListPage<T> | null = await readPage(next, Number(limit ?? LIMIT_MAX));
    if (page === null) return fail('bad_request', BAD_CURSOR);
    for (const item of page.items) texts.push(JSON.stringify(describe(item)));
    ({ next } = page);
  }
  const body = `{"${name}":[${texts.join()}],"next":${JSON.stringify(next)}}`;
  return succeed(writtenReply<ListBody<N, D>>(body));
}

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Names } from '../naming/names.ts';
import { firstIdAt, isUuid } from '../ids.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { DocumentFilter } from './types.ts';

/** A row of `documents`, with the damage that is recorded for its file. */
export type DocumentRow = Schema['documents'] & { readonly damage: string | null };

/** A page of documents; `reference`: the one that was looked for, in the form that they have. */
interface ListedDocuments {
  readonly rows: readonly DocumentRow[];
  readonly next: string | null;
  readonly reference?: string;
}

const COUNT_MAX = 200;
/** Limit of the rows that one call scans, which bounds its time. */
const SCANNED_MAX = 5_000;

/** Selects documents with the damage that is recorded for their files. */
export function selectDocument(db: Kysely<Schema>) {
  return db
    .selectFrom('documents')
    .leftJoin('damages', 'damages.document_id', 'documents.document_id')
    .selectAll('documents')
    .select('damages.kind as damage');
}

/**
 * Lists a page of a team's documents, newest first. Ids begin with the time of creation, so bounds
 * in time become bounds on the index over team and id.
 */
export async function listDocuments(
  database: Database,
  names: Names,
  filter: DocumentFilter,
): Promise<ListedDocuments> {
  const countMax = Math.max(1, Math.min(Math.floor(filter.countMax), COUNT_MAX));
  const { teamId, reference, sameReferenceAs, after } = filter;
  if (reference !== undefined) {
    const found = await names.find(teamId, reference, countMax, after);
    const page = await amongIds(database, filter, found.ids, countMax);
    return { ...page, reference: found.reference };
  }
  if (sameReferenceAs !== undefined) {
    // The ids of another team's documents must not decide whether there is a next page.
    const isOwn = await hasDocument(database, teamId, sameReferenceAs);
    const ids = isOwn ? await names.findSame(sameReferenceAs, countMax, after) : [];
    return amongIds(database, filter, ids, countMax);
  }
  const oldest = filter.templateId === undefined ? null : await oldestScanned(database, filter);
  const rows = await database.read((db) => {
    let query = inBounds(selectDocument(db), filter).where('state', '!=', DOCUMENT_STATES.swept);
    const { templateId } = filter;
    if (templateId !== undefined) query = query.where('template_id', '=', templateId);
    if (oldest !== null) query = query.where('documents.document_id', '>=', oldest);
    return query.orderBy('documents.document_id', 'desc').limit(sql.lit(countMax)).execute();
  });
  const next = rows.length === countMax ? (rows.at(-1)?.document_id ?? null) : oldest;
  return { rows, next };
}

/** Documents whose ids the index of references gave: the other filters are applied to those. */
async function amongIds(
  database: Database,
  filter: DocumentFilter,
  ids: readonly string[],
  countMax: number,
): Promise<ListedDocuments> {
  const next = ids.length === countMax ? (ids.at(-1) ?? null) : null;
  if (ids.length === 0) return { rows: [], next };
  const { templateId } = filter;
  const rows = await database.read((db) =>
    inBounds(selectDocument(db), filter)
      .where('documents.document_id', 'in', ids)
      .where('state', '!=', DOCUMENT_STATES.swept)
      .$if(templateId !== undefined, (query) => query.where('template_id', '=', templateId ?? ''))
      .orderBy('documents.document_id', 'desc')
      .execute(),
  );
  return { rows, next };
}

async function hasDocument(
  database: Database,
  teamId: string,
  documentId: string,
): Promise<boolean> {
  const row = await database.readUncompared((db) =>
    db
      .selectFrom('documents')
      .select('document_id')
      .where('document_id', '=', documentId)
      .where('team_id', '=', teamId)
      .executeTakeFirst(),
  );
  return row !== undefined;
}

/** Id of the last row that one call scans; null when the team has fewer. */
async function oldestScanned(database: Database, filter: DocumentFilter): Promise<string | null> {
  const row = await database.readUncompared((db) =>
    inBounds(selectDocument(db), filter)
      .clearSelect()
      .select('documents.document_id')
      .orderBy('documents.document_id', 'desc')
      .limit(sql.lit(1))
      .offset(sql.lit(SCANNED_MAX - 1))
      .executeTakeFirst(),
  );
  return row?.document_id ?? null;
}

/** Restricts a query by what the index over team and id serves. */
function inBounds(query: ReturnType<typeof selectDocument>, filter: DocumentFilter) {
  const { teamId, after, sinceMs, untilMs } = filter;
  let bounded = query.where('team_id', '=', teamId);
  if (isUuid(after)) bounded = bounded.where('documents.document_id', '<', after);
  if (sinceMs !== undefined) {
    bounded = bounded.where('documents.document_id', '>=', firstIdAt(sinceMs));
  }
  if (untilMs !== undefined) {
    bounded = bounded.where('documents.document_id', '<', firstIdAt(untilMs));
  }
  return bounded;
}

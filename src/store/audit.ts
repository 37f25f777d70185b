import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Commits } from './database/commits.ts';
import { asUnavailable } from './database/database-fault.ts';
import type { Database } from './database/database.ts';
import { auditIdsOf } from './database/digests.ts';
import { clip, fromHex, hex, isUuid, uuidv7 } from './ids.ts';
import type { Schema } from './database/schema.ts';
import {
  type AuditFilter,
  type AuditOutcome,
  type AuditRecord,
  type NewAudit,
  type Store,
} from './store.ts';

/** Records of one page of `list`. */
const COUNT_MAX = 10_000;
/** Ids of one statement. */
const IDS_MAX = 500;
const ID_CHARACTERS = 128;
const TEXT_CHARACTERS = 255;

export function auditing(database: Database, commits: Commits): Store['audit'] {
  return {
    async add(record) {
      try {
        await commits.add({ audit: auditRow(record), document: null, claim: null });
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    async list(filter) {
      const rows = await database.read((db) => {
        let query = db.selectFrom('audit').selectAll();
        if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId);
        for (const [column, value] of equalities(filter)) query = query.where(column, '=', value);
        for (const [operator, id] of idBounds(filter))
          query = query.where('audit_id', operator, id);
        return query
          .orderBy('audit_id', filter.newestFirst === true ? 'desc' : 'asc')
          .limit(sql.lit(Math.max(0, Math.min(Math.floor(filter.countMax), COUNT_MAX))))
          .execute();
      });
      return rows.map(asRecord);
    },
    async findBySha256(teamId, sha256, countMax) {
      const bytes = fromHex(sha256);
      if (bytes === null) return [];
      const rows = await database.read((db) => {
        const made = db
          .selectFrom('audit')
          .selectAll()
          .where('sha256', '=', bytes)
          .where('mode', '=', 'sync')
          .where('team_id', '=', teamId)
          .where('outcome', '=', 'succeeded')
          .orderBy('audit_id')
          .limit(sql.lit(countMax));
        return database.dialect === 'mysql' ? made.execute() : firstOf(db, made, bytes, countMax);
      });
      return rows.map(asRecord);
    },
  };
}

/** SQLite has no index on digests: the first `countMax` of `made` by way of their ids. */
async function firstOf(
  db: Kysely<Schema>,
  made: SelectQueryBuilder<Schema, 'audit', Schema['audit']>,
  sha256: Uint8Array,
  countMax: number,
): Promise<Schema['audit'][]> {
  const ids = await auditIdsOf(db, sha256);
  const rows: Schema['audit'][] = [];
  for (let at = 0; at < ids.length && rows.length < countMax; at += IDS_MAX) {
    const some = ids.slice(at, at + IDS_MAX);
    rows.push(...(await made.where('audit_id', 'in', some).execute()));
  }
  return rows.slice(0, countMax);
}

type Equality = readonly [
  'outcome' | 'principal' | 'action' | 'template_id' | 'document_id' | 'request_id',
  string,
];

function equalities(filter: AuditFilter): readonly Equality[] {
  const asked = [
    ['outcome', filter.outcome],
    ['principal', filter.principal],
    ['action', filter.action],
    ['template_id', filter.templateId],
    ['document_id', filter.documentId],
    ['request_id', filter.requestId],
  ] as const;
  return asked.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]));
}

/** An id begins with its record's time, so bounds in time are bounds on the primary key. */
function idBounds(filter: AuditFilter): (readonly ['>' | '>=' | '<', string])[] {
  const bounds: (readonly ['>' | '>=' | '<', string])[] = [];
  if (isUuid(filter.after)) bounds.push([filter.newestFirst === true ? '<' : '>', filter.after]);
  if (filter.sinceMs !== undefined) bounds.push(['>=', firstIdOf(filter.sinceMs)]);
  if (filter.untilMs !== undefined) bounds.push(['<', firstIdOf(filter.untilMs)]);
  return bounds;
}

function firstIdOf(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/**
 * Texts that a caller had a hand in are cut to their column: a long one must not cost the record.
 */
export function auditRow(record: NewAudit): Schema['audit'] {
  const atMs = Math.floor(record.atMs);
  return {
    audit_id: uuidv7(atMs),
    at_ms: atMs,
    request_id: clip(record.requestId, TEXT_CHARACTERS),
    team_id: clip(record.teamId, ID_CHARACTERS),
    principal: clip(record.principal, TEXT_CHARACTERS),
    action: clip(record.action, TEXT_CHARACTERS),
    outcome: record.outcome,
    code: clip(record.code, TEXT_CHARACTERS),
    template_id: clip(record.templateId, TEXT_CHARACTERS),
    version: record.version,
    document_id: clip(record.documentId, TEXT_CHARACTERS),
    mode: record.mode,
    pages: record.pages,
    bytes: record.bytes,
    duration_ms: record.durationMs === null ? null : Math.round(record.durationMs),
    sha256: fromHex(record.sha256),
  };
}

function asRecord(row: Schema['audit']): AuditRecord {
  return {
    auditId: row.audit_id,
    atMs: row.at_ms,
    requestId: row.request_id,
    teamId: row.team_id,
    principal: row.principal,
    action: row.action,
    // Both written by auditRow from these very unions.
    outcome: row.outcome as AuditOutcome,
    code: row.code,
    templateId: row.template_id,
    version: row.version,
    documentId: row.document_id,
    mode: row.mode as AuditRecord['mode'],
    pages: row.pages,
    bytes: row.bytes,
    durationMs: row.duration_ms,
    sha256: row.sha256 === null ? '' : hex(row.sha256),
  };
}

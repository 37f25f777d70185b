import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { TimeSlice } from '../runtime/time-slice.ts';
import type { Commits } from './database/commits.ts';
import { asUnavailable } from './database/database-fault.ts';
import type { Database } from './database/database.ts';
import { auditIdsOf } from './database/digests.ts';
import { clip, firstIdAt, fromHex, hex, isUuid, uuidv7 } from './ids.ts';
import type { Schema } from './database/schema.ts';

/** How an audited action ended; `denied`: the caller may not do it. */
export type AuditOutcome = 'succeeded' | 'failed' | 'denied';

/** One action of a caller. A field that does not apply is '' or null. */
export interface AuditRecord {
  readonly auditId: string;
  readonly atMs: number;
  readonly requestId: string;
  readonly teamId: string;
  /** `key:<keyId>` or `user:<userId>`. */
  readonly principal: string;
  readonly action: string;
  readonly outcome: AuditOutcome;
  /** Error code, or '' on success. */
  readonly code: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly documentId: string;
  readonly mode: '' | 'sync' | 'async';
  readonly pages: number | null;
  readonly bytes: number | null;
  readonly durationMs: number | null;
  readonly sha256: string;
  /** Subject and serial number (in hexadecimal) of the certificate that signed, or ''. */
  readonly signer: string;
  readonly certificateSerial: string;
  /** The document was made from a draft, which is no published version. */
  readonly draft: boolean;
  /** Principals who changed the draft since the version before; empty unless it was published. */
  readonly contributors: readonly string[];
  /** What the action concerned beyond the columns above, such as a key and its scopes; or ''. */
  readonly detail: string;
}

/** A record without its id, which the store adds. */
export type NewAudit = Omit<AuditRecord, 'auditId'>;

/** Selects audit records. */
export interface AuditFilter {
  readonly teamId?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly outcome?: AuditOutcome;
  /** `key:<keyId>` or `user:<userId>`. */
  readonly principal?: string;
  /** A user or key, as a principal: what it did, and what was done to it. */
  readonly involves?: string;
  readonly action?: string;
  /** Only other actions than this one. */
  readonly without?: string;
  readonly templateId?: string;
  readonly documentId?: string;
  /** Selects the records of these documents, at most 500. */
  readonly documentIds?: readonly string[];
  readonly requestId?: string;
  /** Without requests for something of another team: they are the operator's to see. */
  readonly hidesForeign?: boolean;
  /** Absent or false: the oldest first. */
  readonly newestFirst?: boolean;
  /** For paging: only records after this id in the requested order. */
  readonly after?: string;
  readonly countMax: number;
}

/** Some records; `next` is the `after` of the next page, null at the end. */
interface AuditPage {
  readonly records: readonly AuditRecord[];
  readonly next: string | null;
}

/** The audit records of all teams. */
export interface AuditLog {
  /** Resolves when durable. Concurrent calls share a commit. */
  add(record: NewAudit): Promise<void>;
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>;
  /**
   * Lists records, newest first. A page may be short though more follow: a call scans a bounded number.
   */
  page(filter: Omit<AuditFilter, 'newestFirst'>): Promise<AuditPage>;
  /**
   * Records of requests in mode sync that returned these bytes: at most `countMax` from versions and
   * then as many from drafts, the oldest first.
   */
  findBySha256(teamId: string, sha256: string, countMax: number): Promise<readonly AuditRecord[]>;
}

/** Actions on a user or key, which their detail begins with. */
const DONE_TO: readonly string[] = [
  'keys.create',
  'keys.revoke',
  'sessions.open',
  'sessions.link',
  'users.create',
  'users.role',
  'users.deactivate',
  'users.reactivate',
  'users.sign-out',
];
/** Limit of the records that `list` returns. */
const COUNT_MAX = 10_000;
/** Limit of the ids in one statement. */
const IDS_MAX = 500;
/** Records that one call of `page` scans at most, which bounds its time. */
const SCANNED_MAX = 20_000;
/** Records of them that SQLite scans in one turn of the event loop, on the main thread. */
const TURN_RECORDS_MAX = 1_000;
const ID_CHARACTERS = 128;
const TEXT_CHARACTERS = 255;

/** The audit log of the store. */
export function auditing(database: Database, commits: Commits): AuditLog {
  return {
    async add(record) {
      try {
        await commits.add({ audit: auditRow(database, record), document: null, claim: null });
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    list: (filter) => list(database, filter, null),
    async page(filter) {
      // Without conditions beside time and team, every scanned record is returned.
      const isScan =
        conditionsOf(filter).length > 0 ||
        filter.without !== undefined ||
        filter.involves !== undefined ||
        filter.hidesForeign === true;
      if (isScan) return scan(database, filter);
      const records = await list(database, { ...filter, newestFirst: true }, null);
      const isFull = records.length === filter.countMax;
      return { records, next: isFull ? (records.at(-1)?.auditId ?? null) : null };
    },
    async findBySha256(teamId, sha256, countMax) {
      const bytes = fromHex(sha256);
      if (bytes === null) return [];
      const found = { teamId, sha256: bytes, countMax };
      const rows = await database.read(async (db) => [
        ...(await rowsOfDigest(database, db, { ...found, draft: null })),
        ...(await rowsOfDigest(database, db, { ...found, draft: 1 })),
      ]);
      return rows.map(asRecord);
    },
  };
}

/** A page of records that fulfil conditions without an index, found by a bounded scan. */
async function scan(
  database: Database,
  filter: Omit<AuditFilter, 'newestFirst'>,
): Promise<AuditPage> {
  // The server of MySQL scans, while this thread waits.
  const stepRecords = database.dialect === 'mysql' ? SCANNED_MAX : TURN_RECORDS_MAX;
  const slice = new TimeSlice();
  const records: AuditRecord[] = [];
  let step: AuditFilter = { ...filter, newestFirst: true };
  for (let scanned = stepRecords; ; scanned += stepRecords) {
    const oldest = await oldestOf(database, step, stepRecords);
    records.push(...(await list(database, step, oldest)));
    const isFull = records.length === filter.countMax;
    if (isFull) return { records, next: records.at(-1)?.auditId ?? null };
    if (oldest === null || scanned >= SCANNED_MAX) return { records, next: oldest };
    step = { ...step, after: oldest, countMax: filter.countMax - records.length };
    await slice.next();
  }
}

/** What `rowsOfDigest` looks for. */
interface DigestSearch {
  readonly teamId: string;
  readonly sha256: Uint8Array;
  readonly countMax: number;
  /** As the column: 1 for records of drafts, else null. */
  readonly draft: 1 | null;
}

async function rowsOfDigest(
  { dialect }: Database,
  db: Kysely<Schema>,
  { teamId, sha256, countMax, draft }: DigestSearch,
): Promise<readonly Schema['audit'][]> {
  const query = db
    .selectFrom('audit')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('mode', '=', 'sync')
    .where('team_id', '=', teamId)
    .where('outcome', '=', 'succeeded')
    .where('draft', draft === null ? 'is' : '=', draft)
    .orderBy('audit_id')
    .limit(sql.lit(countMax));
  // MySQL has an index on digests; for SQLite digests.ts keeps a table instead.
  return dialect === 'mysql' ? query.execute() : firstByDigest(db, query, sha256, countMax);
}

/** Returns the first `countMax` rows of the query, which is restricted to the ids of the digest. */
async function firstByDigest(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, 'audit', Schema['audit']>,
  sha256: Uint8Array,
  countMax: number,
): Promise<Schema['audit'][]> {
  const ids = await auditIdsOf(db, sha256);
  const rows: Schema['audit'][] = [];
  for (let at = 0; at < ids.length && rows.length < countMax; at += IDS_MAX) {
    const batch = ids.slice(at, at + IDS_MAX);
    rows.push(...(await query.where('audit_id', 'in', batch).execute()));
  }
  return rows.slice(0, countMax);
}

/** Lists records, none older than `oldest` if that is given. */
async function list(
  database: Database,
  filter: AuditFilter,
  oldest: string | null,
): Promise<readonly AuditRecord[]> {
  const rows = await database.read((db) => {
    let query = selectInBounds(db, filter).selectAll();
    for (const [column, value] of conditionsOf(filter)) query = query.where(column, '=', value);
    if (filter.without !== undefined) query = query.where('action', '!=', filter.without);
    if (filter.involves !== undefined) query = query.where(involving(filter.involves));
    if (filter.hidesForeign === true) query = query.where(isNotForeign);
    const { documentIds } = filter;
    if (documentIds !== undefined) query = query.where('document_id', 'in', documentIds);
    if (oldest !== null) query = query.where('audit_id', '>=', oldest);
    return query
      .orderBy('audit_id', filter.newestFirst === true ? 'desc' : 'asc')
      .limit(sql.lit(Math.max(0, Math.min(Math.floor(filter.countMax), COUNT_MAX))))
      .execute();
  });
  return rows.map(asRecord);
}

/** Records by this user or key, and those whose detail begins with it: `user anong, Editor`. */
function involving(principal: string) {
  const named = principal.replace(/^(user|key):/, '$1 ');
  return (where: ExpressionBuilder<Schema, 'audit'>) => {
    const own = where('principal', '=', principal);
    // Details of other actions, such as notes, are what people typed.
    if (named === principal) return own;
    const beginsWith = (text: string) =>
      // Databases count characters, not UTF-16 units.
      where(sql`substr(detail, 1, ${sql.lit(Array.from(text).length)})`, '=', text);
    return where.or([
      own,
      where.and([
        where('action', 'in', DONE_TO),
        where.or([
          where('detail', '=', named),
          ...[',', ';'].map((end) => beginsWith(named + end)),
        ]),
      ]),
    ]);
  };
}

/** Only a request for something of another team is denied with this code (gateway/route.ts). */
const isNotForeign = (where: ExpressionBuilder<Schema, 'audit'>) =>
  where.or([where('outcome', '!=', 'denied'), where('code', '!=', 'not_found')]);

/** Id of the oldest of the next `count` records that the filter bounds; null: there are fewer. */
async function oldestOf(
  database: Database,
  filter: AuditFilter,
  count: number,
): Promise<string | null> {
  const row = await database.readUncompared((db) =>
    selectInBounds(db, filter)
      .select('audit_id')
      .orderBy('audit_id', 'desc')
      .limit(sql.lit(1))
      .offset(sql.lit(count - 1))
      .executeTakeFirst(),
  );
  return row?.audit_id ?? null;
}

/** Selects by what an index serves: the team, and bounds of the id. */
function selectInBounds(db: Kysely<Schema>, filter: AuditFilter) {
  let query = db.selectFrom('audit');
  if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId);
  for (const [operator, id] of idBounds(filter)) query = query.where('audit_id', operator, id);
  return query;
}

/** A column and the value that it must have. */
type Condition = readonly [
  'outcome' | 'principal' | 'action' | 'template_id' | 'document_id' | 'request_id',
  string,
];

/** The conditions that no index serves: a scan checks them. */
function conditionsOf(filter: AuditFilter): readonly Condition[] {
  const conditions = [
    ['outcome', filter.outcome],
    ['principal', filter.principal],
    ['action', filter.action],
    ['template_id', filter.templateId],
    ['document_id', filter.documentId],
    ['request_id', filter.requestId],
  ] as const;
  return conditions.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]));
}

/** An id begins with its record's time, so bounds in time are bounds on the primary key. */
function idBounds(filter: AuditFilter): (readonly ['>' | '>=' | '<', string])[] {
  const bounds: (readonly ['>' | '>=' | '<', string])[] = [];
  if (isUuid(filter.after)) bounds.push([filter.newestFirst === true ? '<' : '>', filter.after]);
  if (filter.sinceMs !== undefined) bounds.push(['>=', firstIdAt(filter.sinceMs)]);
  if (filter.untilMs !== undefined) bounds.push(['<', firstIdAt(filter.untilMs)]);
  return bounds;
}

/**
 * The row of an audit record. Its id begins with the time of the record, or with a later one when
 * that time may be sealed already. Texts that callers influence are clipped to the width of their
 * column: a long text must not make the insert fail.
 */
export function auditRow(
  { auditFloorMs }: Pick<Database, 'auditFloorMs'>,
  record: NewAudit,
): Schema['audit'] {
  const atMs = Math.floor(record.atMs);
  return {
    audit_id: uuidv7(Math.max(atMs, auditFloorMs)),
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
    signer: record.signer === '' ? null : clip(record.signer, TEXT_CHARACTERS),
    certificate_serial: record.certificateSerial === '' ? null : record.certificateSerial,
    draft: record.draft ? 1 : null,
    contributors: contributorsCell(record.contributors),
    detail: record.detail === '' ? null : clip(record.detail, TEXT_CHARACTERS),
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
    // `auditRow` wrote outcome and mode from these unions.
    outcome: row.outcome as AuditOutcome,
    code: row.code,
    templateId: row.template_id,
    version: row.version,
    documentId: row.document_id,
    mode: row.mode as AuditRecord['mode'],
    pages: row.pages,
    bytes: row.bytes,
    durationMs: row.duration_ms,
    sha256: shownDigest(row.sha256),
    signer: row.signer ?? '',
    certificateSerial: row.certificate_serial ?? '',
    draft: row.draft === 1,
    contributors: readContributors(row.contributors),
    detail: row.detail ?? '',
  };
}

/** Text where a digest should be was put there by somebody else; it must not hide other records. */
function shownDigest(cell: Uint8Array | string | null): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? cell : hex(cell);
}

function contributorsCell(contributors: readonly string[]): Uint8Array | null {
  return contributors.length === 0 ? null : Buffer.from(JSON.stringify(contributors));
}

function readContributors(cell: Uint8Array | null): readonly string[] {
  if (cell === null) return [];
  try {
    // `contributorsCell` wrote it.
    return JSON.parse(Buffer.from(cell).toString()) as readonly string[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Somebody else wrote the cell, which `audit verify` names: other records are shown all the same.
    return [];
  }
}

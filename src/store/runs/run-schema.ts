import { type Kysely, sql } from 'kysely';
import { addColumn, addIndex, columnTypes, type DialectName } from '../database/columns.ts';

/** Rows of runs. Blobs are JSON in UTF-8; `results` is deflated. */
export interface RunSchema {
  runs: {
    run_id: string;
    team_id: string;
    /** `key:<keyId>` or `user:<userId>`. */
    principal: string;
    name: string;
    template_id: string;
    version: number;
    /** Id field, options, expected totals, stop rule. */
    spec: Uint8Array;
    /** See RUN_STATES in runs/types.ts. */
    state: string;
    /** The state in which a paused run resumes; '' for other runs. */
    paused_from: string;
    dry_run: number;
    /** Why the run stopped: a list of RunReason. */
    reasons: Uint8Array;
    received: number;
    stored: number;
    invalid: number;
    failed: number;
    pages: number;
    bytes: number;
    /** Size of all parts, and how many of these bytes were checked. */
    bytes_received: number;
    bytes_checked: number;
    created_at_ms: number;
    /** Creation time of its documents; null: never started. */
    started_at_ms: number | null;
    ended_at_ms: number | null;
  };
  run_parts: {
    run_id: string;
    part: number;
    /** SHA-256 of the rows, unpacked. */
    sha256: Uint8Array;
    format: string;
    file_id: string;
    bytes: number;
    /** Where the rows of a CSV part begin. */
    header_bytes: number;
    /** Rows before this offset are checked. */
    checked_to: number;
    owner: string | null;
    lease_until_ms: number;
  };
  run_chunks: {
    chunk_id: string;
    run_id: string;
    part: number;
    from_byte: number;
    to_byte: number;
    /** SHA-256 of its rows. */
    sha256: Uint8Array;
    /** See CHUNK_STATES. */
    state: number;
    owner: string | null;
    lease_until_ms: number;
    /** Sums of the valid rows after the check, then of the stored rows. */
    sums: Uint8Array;
    stored: number;
    results: Uint8Array;
    pack_id: string | null;
  };
  /** The row that has an id in its run. */
  run_rows: {
    run_id: string;
    row_id: string;
    digest: Uint8Array;
    part: number;
    from_byte: number;
    position: number;
    /** See ROW_STATES. */
    open: number;
  };
  /** Rows that a later row has replaced. */
  run_superseded: { run_id: string; part: number; from_byte: number; position: number };
  /** Merged print files; `segments` and `entries` are lists. */
  run_prints: {
    run_id: string;
    number: number;
    /** See PRINT_STATES. */
    state: number;
    owner: string | null;
    lease_until_ms: number;
    documents: number;
    pages: number;
    bytes: number;
    segments: Uint8Array;
    entries: Uint8Array;
  };
  /** How far the file of a run was read; no row: reading has not begun. */
  run_sources: {
    run_id: string;
    /** See SOURCE_STATES. */
    state: number;
    owner: string | null;
    lease_until_ms: number;
    /** Number of parts that were made of the file. */
    parts: number;
    /** Size and digest of the whole file; 0 and null until all of it is read. */
    bytes: number;
    sha256: Uint8Array | null;
  };
  run_files: {
    file_id: string;
    run_id: string;
    /** 'part', 'pack' or 'print'; '' for an orphan that the sweep claimed. */
    kind: string;
    bytes: number;
    expires_at_ms: number;
    /** The states of documents: available, deleting, deleted, swept. */
    state: number;
    /** As in `documents`. */
    wrapped_key: Uint8Array | null;
  };
}

/** A row that is `invalid` or `failed` may be replaced by another with its id. */
export const ROW_STATES = { kept: 0, invalid: 1, failed: 2 } as const;

export const PRINT_STATES = { open: 0, done: 1 } as const;

export const SOURCE_STATES = { open: 0, read: 1 } as const;

export const CHUNK_STATES = { ready: 0, leased: 1, done: 2 } as const;

/** Creates the table of merged print files. */
export async function createRunPrints<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const { uuid, ms, count, source } = columnTypes(dialect);
  await db.schema
    .createTable('run_prints')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('number', count, (c) => c.notNull())
    .addColumn('state', count, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('documents', count, (c) => c.notNull())
    .addColumn('pages', count, (c) => c.notNull())
    .addColumn('bytes', ms, (c) => c.notNull())
    .addColumn('segments', source, (c) => c.notNull())
    .addColumn('entries', source, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_prints_key', ['run_id', 'number'])
    .execute();
}

/** Creates the table of the files that runs read their rows from. */
export async function createRunSources<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const { uuid, ms, count, digest } = columnTypes(dialect);
  await db.schema
    .createTable('run_sources')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('state', count, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('parts', count, (c) => c.notNull())
    .addColumn('bytes', ms, (c) => c.notNull())
    .addColumn('sha256', digest)
    .execute();
}

/** Creates the tables of runs and adds the place of a document's file in a pack. */
export async function createRuns<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await addColumn(db, dialect, 'documents', 'pack_id', types.uuid);
  await addColumn(db, dialect, 'documents', 'pack_offset', types.ms);
  await createRunTables(db, dialect);
  await createRowTables(db, dialect);
  await addIndex(db, dialect, 'runs', 'runs_team', ['team_id', 'run_id']);
  await addIndex(db, dialect, 'runs', 'runs_state', ['state']);
  await addIndex(db, dialect, 'run_chunks', 'run_chunks_place', ['run_id', 'part', 'from_byte']);
  await addIndex(db, dialect, 'run_chunks', 'run_chunks_state', ['run_id', 'state']);
  await addIndex(db, dialect, 'run_chunks', 'run_chunks_pack', ['pack_id']);
  await addIndex(db, dialect, 'run_files', 'run_files_expiry', ['state', 'expires_at_ms']);
  await addIndex(db, dialect, 'run_files', 'run_files_run', ['run_id']);
}

async function createRunTables<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const { uuid, id, text, ms, count, source, digest } = columnTypes(dialect);
  await db.schema
    .createTable('runs')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('team_id', id, (c) => c.notNull())
    .addColumn('principal', text, (c) => c.notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('template_id', id, (c) => c.notNull())
    .addColumn('version', count, (c) => c.notNull())
    .addColumn('spec', source, (c) => c.notNull())
    .addColumn('state', sql`varchar(16)`, (c) => c.notNull())
    .addColumn('paused_from', sql`varchar(16)`, (c) => c.notNull())
    .addColumn('dry_run', count, (c) => c.notNull())
    .addColumn('reasons', source, (c) => c.notNull())
    .addColumn('received', ms, (c) => c.notNull())
    .addColumn('stored', ms, (c) => c.notNull())
    .addColumn('invalid', ms, (c) => c.notNull())
    .addColumn('failed', ms, (c) => c.notNull())
    .addColumn('pages', ms, (c) => c.notNull())
    .addColumn('bytes', ms, (c) => c.notNull())
    .addColumn('bytes_received', ms, (c) => c.notNull())
    .addColumn('bytes_checked', ms, (c) => c.notNull())
    .addColumn('created_at_ms', ms, (c) => c.notNull())
    .addColumn('started_at_ms', ms)
    .addColumn('ended_at_ms', ms)
    .execute();
  await db.schema
    .createTable('run_parts')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', count, (c) => c.notNull())
    .addColumn('sha256', digest, (c) => c.notNull())
    .addColumn('format', text, (c) => c.notNull())
    .addColumn('file_id', uuid, (c) => c.notNull())
    .addColumn('bytes', ms, (c) => c.notNull())
    .addColumn('header_bytes', ms, (c) => c.notNull())
    .addColumn('checked_to', ms, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_parts_key', ['run_id', 'part'])
    .execute();
  await db.schema
    .createTable('run_chunks')
    .ifNotExists()
    .addColumn('chunk_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', count, (c) => c.notNull())
    .addColumn('from_byte', ms, (c) => c.notNull())
    .addColumn('to_byte', ms, (c) => c.notNull())
    .addColumn('sha256', digest, (c) => c.notNull())
    .addColumn('state', count, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('sums', source, (c) => c.notNull())
    .addColumn('stored', count, (c) => c.notNull())
    .addColumn('results', source, (c) => c.notNull())
    .addColumn('pack_id', uuid)
    .execute();
}

async function createRowTables<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const { uuid, id, text, ms, count, half } = columnTypes(dialect);
  const rows = db.schema
    .createTable('run_rows')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('row_id', id, (c) => c.notNull())
    .addColumn('digest', half, (c) => c.notNull())
    .addColumn('part', count, (c) => c.notNull())
    .addColumn('from_byte', ms, (c) => c.notNull())
    .addColumn('position', count, (c) => c.notNull())
    .addColumn('open', count, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_rows_key', ['run_id', 'row_id']);
  // Otherwise SQLite would store each row twice: in the table and in the index of its key.
  await (dialect === 'sqlite' ? rows.modifyEnd(sql`without rowid`) : rows).execute();
  await db.schema
    .createTable('run_superseded')
    .ifNotExists()
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', count, (c) => c.notNull())
    .addColumn('from_byte', ms, (c) => c.notNull())
    .addColumn('position', count, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_superseded_key', ['run_id', 'part', 'from_byte', 'position'])
    .execute();
  await db.schema
    .createTable('run_files')
    .ifNotExists()
    .addColumn('file_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('bytes', ms, (c) => c.notNull())
    .addColumn('expires_at_ms', ms, (c) => c.notNull())
    .addColumn('state', count, (c) => c.notNull())
    .execute();
}

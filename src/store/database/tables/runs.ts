import { sql } from 'kysely';
import type { SchemaEditor } from '../schema-editor.ts';

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
    /** null: an earlier version made the run. Like the next two. `received` counts none of them. */
    identical: number | null;
    withdrawn: number | null;
    refused: number | null;
    /** When the last part came of a run that was never started; null for other runs. */
    part_at_ms: number | null;
    /** null: an earlier version made the run. */
    part_count: number | null;
    /** See `RunRecord.starts`; null: none since an earlier version made the run. */
    starts: number | null;
    /** Its control sums when they were last added (sums/totals.ts); null: they were not. */
    totals: Uint8Array | null;
  };
  /** Parts of teams whose files are stored (bounds.ts). */
  run_usage: { team_id: string; bytes: number; parts: number };
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
    /** The line of the file on which `checked_to` lies; null: not known. */
    checked_line: number | null;
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
  /** Rows by their ids, each of which is unique in its run. */
  run_rows: {
    run_id: string;
    row_id: string;
    digest: Uint8Array;
    part: number;
    from_byte: number;
    position: number;
    /** See ROW_STATES; other than 0: another row with this id may replace the row. */
    open: number;
  };
  /** Rows that a later row has replaced. */
  run_superseded: { run_id: string; part: number; from_byte: number; position: number };
  /** Rows that need a person's eye, by the part and line of their files. */
  run_exceptions: {
    run_id: string;
    part: number;
    line: number;
    /** See EXCEPTION_STATES. */
    state: number;
    /** Its id, if the row holds that id in `run_rows`; otherwise ''. */
    row_id: string;
    /** Where its data lie: in its part, or in that of its last correction. */
    held_part: number;
    from_byte: number;
    position: number;
    /** Amounts of the summed fields: a list; '' is one that cannot be read. */
    amounts: Uint8Array;
  };
  /** Merged print files; `segments` is a list. */
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
    /** Its documents, a list, if an earlier version wrote it. Otherwise see `index_id`. */
    entries: Uint8Array;
    /**
     * The chunk with its first document, how many documents of the chunk are before that one, and how
     * many it holds; null: an earlier version planned it.
     */
    first_part: number | null;
    first_byte: number | null;
    first_skip: number | null;
    planned: number | null;
    /** Digest of the whole file; null: not made yet, or by an earlier version. */
    sha256: Uint8Array | null;
    /** Its rows in `run_print_index`; null: not made yet, or its documents are in `entries`. */
    index_id: string | null;
  };
  /** Documents of print files: some hundred a row, from `position` on (prints/print-index.ts). */
  run_print_index: { run_id: string; index_id: string; position: number; entries: Uint8Array };
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
    /** How the text of the file was read; null until all of it is read. */
    encoding: string | null;
  };
  run_files: {
    file_id: string;
    /** '' for a pack with documents of requests, and for an orphan. */
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

/** `corrected`: another row takes its place, and is valid or an exception at its own address. */
export const EXCEPTION_STATES = {
  invalid: 0,
  failed: 1,
  identical: 2,
  refused: 3,
  withdrawn: 4,
  corrected: 5,
} as const;

export const PRINT_STATES = { open: 0, done: 1 } as const;

export const SOURCE_STATES = { open: 0, read: 1 } as const;

export const CHUNK_STATES = { ready: 0, leased: 1, done: 2 } as const;

/** Creates the tables of runs and adds the place of a document's file in a pack. */
export async function createRuns(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema.addColumn('documents', 'pack_id', types.uuid);
  await schema.addColumn('documents', 'pack_offset', types.bigNumber);
  await createRunTables(schema);
  await createRowTables(schema);
  await schema.addIndex('runs', 'runs_team', ['team_id', 'run_id']);
  await schema.addIndex('runs', 'runs_state', ['state']);
  await schema.addIndex('run_chunks', 'run_chunks_place', ['run_id', 'part', 'from_byte']);
  await schema.addIndex('run_chunks', 'run_chunks_state', ['run_id', 'state']);
  await schema.addIndex('run_chunks', 'run_chunks_pack', ['pack_id']);
  await schema.addIndex('run_files', 'run_files_expiry', ['state', 'expires_at_ms']);
  await schema.addIndex('run_files', 'run_files_run', ['run_id']);
}

async function createRunTables(schema: SchemaEditor): Promise<void> {
  const { uuid, id, text, ms, number, bigNumber, blob, digest } = schema.types;
  await schema
    .createTable('runs')
    .addColumn('run_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('team_id', id, (c) => c.notNull())
    .addColumn('principal', text, (c) => c.notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('template_id', id, (c) => c.notNull())
    .addColumn('version', number, (c) => c.notNull())
    .addColumn('spec', blob, (c) => c.notNull())
    .addColumn('state', sql`varchar(16)`, (c) => c.notNull())
    .addColumn('paused_from', sql`varchar(16)`, (c) => c.notNull())
    .addColumn('dry_run', number, (c) => c.notNull())
    .addColumn('reasons', blob, (c) => c.notNull())
    .addColumn('received', bigNumber, (c) => c.notNull())
    .addColumn('stored', bigNumber, (c) => c.notNull())
    .addColumn('invalid', bigNumber, (c) => c.notNull())
    .addColumn('failed', bigNumber, (c) => c.notNull())
    .addColumn('pages', bigNumber, (c) => c.notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('bytes_received', bigNumber, (c) => c.notNull())
    .addColumn('bytes_checked', bigNumber, (c) => c.notNull())
    .addColumn('created_at_ms', ms, (c) => c.notNull())
    .addColumn('started_at_ms', ms)
    .addColumn('ended_at_ms', ms)
    .execute();
  await schema
    .createTable('run_parts')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', number, (c) => c.notNull())
    .addColumn('sha256', digest, (c) => c.notNull())
    .addColumn('format', text, (c) => c.notNull())
    .addColumn('file_id', uuid, (c) => c.notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('header_bytes', bigNumber, (c) => c.notNull())
    .addColumn('checked_to', bigNumber, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_parts_key', ['run_id', 'part'])
    .execute();
  await schema
    .createTable('run_chunks')
    .addColumn('chunk_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', number, (c) => c.notNull())
    .addColumn('from_byte', bigNumber, (c) => c.notNull())
    .addColumn('to_byte', bigNumber, (c) => c.notNull())
    .addColumn('sha256', digest, (c) => c.notNull())
    .addColumn('state', number, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('sums', blob, (c) => c.notNull())
    .addColumn('stored', number, (c) => c.notNull())
    .addColumn('results', blob, (c) => c.notNull())
    .addColumn('pack_id', uuid)
    .execute();
}

async function createRowTables(schema: SchemaEditor): Promise<void> {
  const { uuid, id, text, ms, number, bigNumber, halfDigest } = schema.types;
  const rows = schema
    .createTable('run_rows')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('row_id', id, (c) => c.notNull())
    .addColumn('digest', halfDigest, (c) => c.notNull())
    .addColumn('part', number, (c) => c.notNull())
    .addColumn('from_byte', bigNumber, (c) => c.notNull())
    .addColumn('position', number, (c) => c.notNull())
    .addColumn('open', number, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_rows_key', ['run_id', 'row_id']);
  // Otherwise SQLite would store each row twice: in the table and in the index of its key.
  await (schema.dialect === 'sqlite' ? rows.modifyEnd(sql`without rowid`) : rows).execute();
  await schema
    .createTable('run_superseded')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', number, (c) => c.notNull())
    .addColumn('from_byte', bigNumber, (c) => c.notNull())
    .addColumn('position', number, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_superseded_key', ['run_id', 'part', 'from_byte', 'position'])
    .execute();
  await schema
    .createTable('run_files')
    .addColumn('file_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('expires_at_ms', ms, (c) => c.notNull())
    .addColumn('state', number, (c) => c.notNull())
    .execute();
}

/** Creates the table of merged print files. */
export async function createRunPrints(schema: SchemaEditor): Promise<void> {
  const { uuid, ms, number, bigNumber, blob } = schema.types;
  await schema
    .createTable('run_prints')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('number', number, (c) => c.notNull())
    .addColumn('state', number, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('documents', number, (c) => c.notNull())
    .addColumn('pages', number, (c) => c.notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('segments', blob, (c) => c.notNull())
    .addColumn('entries', blob, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_prints_key', ['run_id', 'number'])
    .execute();
}

/** Creates the table of the files that runs read their rows from. */
export async function createRunSources(schema: SchemaEditor): Promise<void> {
  const { uuid, ms, number, bigNumber, digest } = schema.types;
  await schema
    .createTable('run_sources')
    .addColumn('run_id', uuid, (c) => c.primaryKey().notNull())
    .addColumn('state', number, (c) => c.notNull())
    .addColumn('owner', uuid)
    .addColumn('lease_until_ms', ms, (c) => c.notNull())
    .addColumn('parts', number, (c) => c.notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('sha256', digest)
    .execute();
}

/** Keeps how the file of a run was read. An instance of the previous version leaves it null. */
export async function addSourceEncoding(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('run_sources', 'encoding', schema.types.text);
}

/** Creates the table of exceptions, and what counts them. */
export async function createRunExceptions(schema: SchemaEditor): Promise<void> {
  const { uuid, id, number, bigNumber, blob } = schema.types;
  await schema
    .createTable('run_exceptions')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('part', number, (c) => c.notNull())
    .addColumn('line', bigNumber, (c) => c.notNull())
    .addColumn('state', number, (c) => c.notNull())
    .addColumn('row_id', id, (c) => c.notNull())
    .addColumn('held_part', number, (c) => c.notNull())
    .addColumn('from_byte', bigNumber, (c) => c.notNull())
    .addColumn('position', number, (c) => c.notNull())
    .addColumn('amounts', blob, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_exceptions_key', ['run_id', 'part', 'line'])
    .execute();
  const place = ['run_id', 'held_part', 'from_byte', 'position'];
  await schema.addIndex('run_exceptions', 'run_exceptions_place', place);
  const listing = ['run_id', 'state', 'part', 'line'];
  await schema.addIndex('run_exceptions', 'run_exceptions_state', listing);
  await schema.addColumn('run_parts', 'checked_line', bigNumber);
  for (const column of ['identical', 'withdrawn', 'refused']) {
    await schema.addColumn('runs', column, bigNumber);
  }
}

/**
 * Keeps where each print file begins, and indexes what is left to make; and the exceptions by the
 * lines of their files. An instance of the previous version plans print files without their begins.
 */
export async function addPrintPlans(schema: SchemaEditor): Promise<void> {
  const { number, bigNumber } = schema.types;
  await schema.addColumn('run_prints', 'first_part', number);
  await schema.addColumn('run_prints', 'first_byte', bigNumber);
  await schema.addColumn('run_prints', 'first_skip', number);
  await schema.addColumn('run_prints', 'planned', number);
  await schema.addIndex('run_prints', 'run_prints_state', ['run_id', 'state', 'number']);
  await schema.addIndex('run_exceptions', 'run_exceptions_line', ['run_id', 'line']);
}

/** Keeps the digest of each whole print file. An instance of the previous version leaves it null. */
export async function addPrintDigests(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('run_prints', 'sha256', schema.types.digest);
}

/** Counts the starts of runs. An instance of the previous version does not count its own. */
export async function addRunStarts(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('runs', 'starts', schema.types.number);
}

/**
 * Creates the table of the documents of print files, which were one cell of a print file's row. That
 * cell is read until the run expires: an instance of the previous version goes on writing it. It does
 * not know this table, and cannot tell the documents of print files made from now on.
 */
export async function addPrintIndex(schema: SchemaEditor): Promise<void> {
  const { uuid, number, blob } = schema.types;
  await schema
    .createTable('run_print_index')
    .addColumn('run_id', uuid, (c) => c.notNull())
    .addColumn('index_id', uuid, (c) => c.notNull())
    .addColumn('position', number, (c) => c.notNull())
    .addColumn('entries', blob, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_print_index_key', ['run_id', 'index_id', 'position'])
    .execute();
  await schema.addColumn('run_prints', 'index_id', uuid);
}

/** Keeps the control sums of runs. An instance of the previous version adds them at each request. */
export async function addRunTotals(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('runs', 'totals', schema.types.blob);
}

/** Indexes runs by template. Without it, a template with few runs is sought among all of the team. */
export async function addRunTemplates(schema: SchemaEditor): Promise<void> {
  await schema.addIndex('runs', 'runs_template', ['team_id', 'template_id', 'run_id']);
}

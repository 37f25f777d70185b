import { type Kysely, sql } from 'kysely';
import {
  addColumn,
  addIndex,
  columnTypes,
  type DialectName,
  dropIndex,
  hasIndex,
} from './columns.ts';
import { createDigestBlocks } from './digests.ts';
import {
  createRunPrints,
  createRuns,
  createRunSources,
  type RunSchema,
} from '../runs/run-schema.ts';
import { createAuditSeals, type SealSchema } from '../seals/seal-schema.ts';

/** Rows as the database holds them: times in ms since the epoch, digests as 32 bytes. */
export interface Schema extends RunSchema, SealSchema {
  schema_version: { version: number };
  teams: { team_id: string; name: string; active: number; created_at_ms: number };
  api_keys: {
    key_id: string;
    digest: Uint8Array;
    team_id: string;
    name: string;
    scopes: string;
    rate_limit_per_minute: number | null;
    created_at_ms: number;
    revoked_at_ms: number | null;
    /** Null: the key does not expire. */
    expires_at_ms: number | null;
    /** Written at most once a minute; null: not used yet. */
    last_used_at_ms: number | null;
  };
  users: {
    user_id: string;
    team_id: string;
    role: string;
    display_name: string;
    email: string;
    active: number;
  };
  sessions: { digest: Uint8Array; user_id: string; expires_at_ms: number };
  /** One-time links for signing in: a row is removed when its link is used. */
  sign_in_links: { digest: Uint8Array; user_id: string; expires_at_ms: number };
  templates: {
    team_id: string;
    template_id: string;
    name: string;
    /** 0: nothing published yet. */
    latest_version: number;
    draft_hash: Uint8Array | null;
    draft_source: Uint8Array | null;
    /** The `user:<userId>` that saved the draft last; null: not recorded. */
    draft_by: string | null;
    updated_at_ms: number;
  };
  template_versions: {
    team_id: string;
    template_id: string;
    version: number;
    hash: Uint8Array;
    source: Uint8Array;
    published_at_ms: number;
    /** `user:<userId>` or `command:<account>`; null: published before this was recorded. */
    published_by: string | null;
    /** Since then the version is not used for new documents; null: it is published. */
    unpublished_at_ms: number | null;
  };
  /** Field descriptors, a JSON array, by the hash of the template's source. */
  template_fields: { hash: Uint8Array; fields: Uint8Array; stored_at_ms: number };
  documents: {
    document_id: string;
    team_id: string;
    template_id: string;
    version: number;
    sha256: Uint8Array;
    bytes: number;
    pages: number;
    protected: number;
    created_at_ms: number;
    expires_at_ms: number;
    /** See DOCUMENT_STATES. */
    state: number;
    /** The pack that holds its file, and the offset in it; null: the document has a separate file. */
    pack_id: string | null;
    pack_offset: number | null;
    /** The key of its file (encryption/key-ring.ts); null: the file is not encrypted, or gone. */
    wrapped_key: Uint8Array | null;
  };
  /** Documents whose file was found damaged or missing; usually empty. */
  damages: { document_id: string; kind: string; found_at_ms: number };
  audit: {
    audit_id: string;
    at_ms: number;
    request_id: string;
    team_id: string;
    principal: string;
    action: string;
    outcome: string;
    code: string;
    template_id: string;
    version: number | null;
    document_id: string;
    mode: string;
    pages: number | null;
    bytes: number | null;
    duration_ms: number | null;
    sha256: Uint8Array | null;
    /** The document's signer; null: it is not signed. */
    signer: string | null;
    certificate_serial: string | null;
  };
  idempotency: {
    team_id: string;
    key_digest: Uint8Array;
    body_hash: Uint8Array;
    /** Set in the transaction that adds the document. */
    document_id: string | null;
    /** Owner of the claim; a new value for each claim. */
    owner: string;
    lease_until_ms: number;
    claimed_at_ms: number;
  };
  /** Each key that has wrapped the key of a file. Its id is derived from the key. */
  encryption_keys: { key_id: string; first_used_at_ms: number };
  /** One row that the readiness check writes. */
  probes: { probe_id: number; at_ms: number };
}

/**
 * available → deleting (the row changes first, so that a crash never leaves an available row
 * without its file) → deleted. `swept`: the sweep removed an orphan file of this id; its row makes
 * a late commit fail. `packed`: its file is in a pack of a run; the document stays in this state and
 * ends with its pack.
 */
export const DOCUMENT_STATES = {
  available: 0,
  deleting: 1,
  deleted: 2,
  swept: 3,
  packed: 4,
} as const;

/** States in which a document has its file until it expires. */
export const LIVING_STATES: readonly number[] = [DOCUMENT_STATES.available, DOCUMENT_STATES.packed];

type Migration = (db: Kysely<Schema>, dialect: DialectName) => Promise<void>;

/**
 * Migrations in their order. Each must tolerate its own earlier results: MySQL commits every DDL
 * statement by itself, so a migration that was interrupted runs again from its start.
 */
export const MIGRATIONS: readonly Migration[] = [
  createFirstSchema,
  addLifecycle,
  createDamages,
  createTemplateFields,
  addDigestIndex,
  addStudio,
  createRuns,
  createRunPrints,
  addKeyIndex,
  createAuditSeals,
  addKeyOrder,
  addSigner,
  addEncryption,
  createRunSources,
  addDueOrder,
];

/**
 * Indexes documents in the order in which the sweep destroys them. Without it, SQLite sorts all
 * documents that expire in the same millisecond again for each batch. The index replaces the one
 * without `document_id`, whose queries it serves as well.
 */
async function addDueOrder(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const columns = ['state', 'expires_at_ms', 'document_id'];
  await addIndex(db, dialect, 'documents', 'documents_due', columns);
  await dropIndex(db, dialect, 'documents', 'documents_expiry');
}

/**
 * Adds which certificate signed a document. Both columns may be null, so an instance of the
 * previous version can keep writing records while this one starts.
 */
async function addSigner(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await addColumn(db, dialect, 'audit', 'signer', types.text);
  await addColumn(db, dialect, 'audit', 'certificate_serial', types.text);
}

/**
 * Adds the wrapped keys of encrypted files to the rows of the files. An instance of the previous
 * version reports encrypted files as damaged, because their sizes and digests differ from their rows.
 */
async function addEncryption(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await addColumn(db, dialect, 'documents', 'wrapped_key', types.wrapped);
  await addColumn(db, dialect, 'run_files', 'wrapped_key', types.wrapped);
  await db.schema
    .createTable('encryption_keys')
    .ifNotExists()
    .addColumn('key_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('first_used_at_ms', types.ms, (c) => c.notNull())
    .execute();
}

/** Indexes keys by team. Without it, listing a team's keys reads the keys of all teams. */
async function addKeyIndex(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  await addIndex(db, dialect, 'api_keys', 'api_keys_team', ['team_id', 'key_id']);
}

/** Indexes the keys of a team in the order of their list, so that a page reads only its keys. */
async function addKeyOrder(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const columns = ['team_id', 'created_at_ms', 'key_id'];
  await addIndex(db, dialect, 'api_keys', 'api_keys_order', columns);
}

/**
 * Adds what the Studio needs: one-time links, the last editor of a draft, and an index of a team's
 * documents by id, which is their order of creation.
 */
async function addStudio(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await db.schema
    .createTable('sign_in_links')
    .ifNotExists()
    .addColumn('digest', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('user_id', types.id, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await addIndex(db, dialect, 'sign_in_links', 'sign_in_links_user', ['user_id']);
  await addColumn(db, dialect, 'templates', 'draft_by', types.text);
  await addIndex(db, dialect, 'documents', 'documents_team', ['team_id', 'document_id']);
}

/**
 * Adds expiry and last use of keys, who published a version, and when it was unpublished. Every new
 * column may be null, so an instance of the previous version can keep writing rows while this one
 * starts.
 */
async function addLifecycle(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await addColumn(db, dialect, 'api_keys', 'expires_at_ms', types.ms);
  await addColumn(db, dialect, 'api_keys', 'last_used_at_ms', types.ms);
  await addColumn(db, dialect, 'template_versions', 'published_by', types.text);
  await addColumn(db, dialect, 'template_versions', 'unpublished_at_ms', types.ms);
}

/** Indexes audit records by the digest of their sync response; for SQLite see digests.ts. */
async function addDigestIndex(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  if (dialect === 'sqlite') {
    await createDigestBlocks(db);
    return;
  }
  if (await hasIndex(db, 'audit', 'audit_digest')) return;
  // The first 6 bytes of the digest are enough for an index.
  await sql`create index audit_digest on audit (sha256(6))`.execute(db);
}

/**
 * Creates the cache of field descriptors by template hash; missing entries are computed on demand.
 */
async function createTemplateFields(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await db.schema
    .createTable('template_fields')
    .ifNotExists()
    .addColumn('hash', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('fields', types.source, (c) => c.notNull())
    .addColumn('stored_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await addIndex(db, dialect, 'template_fields', 'template_fields_age', ['stored_at_ms']);
}

/**
 * Creates the table of damaged or missing files; a column of `documents` would be null nearly
 * always.
 */
async function createDamages(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await db.schema
    .createTable('damages')
    .ifNotExists()
    .addColumn('document_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('kind', types.text, (c) => c.notNull())
    .addColumn('found_at_ms', types.ms, (c) => c.notNull())
    .execute();
}

async function createFirstSchema(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  await createIdentities(db, dialect);
  await createTemplates(db, dialect);
  await createDocuments(db, dialect);
}

async function createIdentities(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  const create = (name: string) => db.schema.createTable(name).ifNotExists();
  await create('teams')
    .addColumn('team_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('active', types.count, (c) => c.notNull())
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await create('api_keys')
    .addColumn('key_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('digest', types.digest, (c) => c.notNull().unique())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('scopes', types.text, (c) => c.notNull())
    .addColumn('rate_limit_per_minute', types.count)
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .addColumn('revoked_at_ms', types.ms)
    .execute();
  await create('users')
    .addColumn('user_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('role', types.text, (c) => c.notNull())
    .addColumn('display_name', types.text, (c) => c.notNull())
    .addColumn('email', types.text, (c) => c.notNull())
    .addColumn('active', types.count, (c) => c.notNull())
    .execute();
  await create('sessions')
    .addColumn('digest', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('user_id', types.id, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await addIndex(db, dialect, 'users', 'users_team', ['team_id']);
  await addIndex(db, dialect, 'sessions', 'sessions_user', ['user_id']);
  await addIndex(db, dialect, 'sessions', 'sessions_expiry', ['expires_at_ms']);
}

async function createTemplates(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  const create = (name: string) => db.schema.createTable(name).ifNotExists();
  await create('templates')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('latest_version', types.count, (c) => c.notNull())
    .addColumn('draft_hash', types.digest)
    .addColumn('draft_source', types.source)
    .addColumn('updated_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('templates_key', ['team_id', 'template_id'])
    .execute();
  await create('template_versions')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('version', types.count, (c) => c.notNull())
    .addColumn('hash', types.digest, (c) => c.notNull())
    .addColumn('source', types.source, (c) => c.notNull())
    .addColumn('published_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('template_versions_key', ['team_id', 'template_id', 'version'])
    .execute();
  await addIndex(db, dialect, 'templates', 'templates_id', ['template_id']);
}

async function createDocuments(db: Kysely<Schema>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  const create = (name: string) => db.schema.createTable(name).ifNotExists();
  await create('documents')
    .addColumn('document_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('version', types.count, (c) => c.notNull())
    .addColumn('sha256', types.digest, (c) => c.notNull())
    .addColumn('bytes', types.ms, (c) => c.notNull())
    .addColumn('pages', types.count, (c) => c.notNull())
    .addColumn('protected', types.count, (c) => c.notNull())
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .addColumn('state', types.count, (c) => c.notNull())
    .execute();
  await create('audit')
    .addColumn('audit_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('at_ms', types.ms, (c) => c.notNull())
    .addColumn('request_id', types.text, (c) => c.notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('principal', types.text, (c) => c.notNull())
    .addColumn('action', types.text, (c) => c.notNull())
    .addColumn('outcome', types.text, (c) => c.notNull())
    .addColumn('code', types.text, (c) => c.notNull())
    .addColumn('template_id', types.text, (c) => c.notNull())
    .addColumn('version', types.count)
    .addColumn('document_id', types.text, (c) => c.notNull())
    .addColumn('mode', types.text, (c) => c.notNull())
    .addColumn('pages', types.count)
    .addColumn('bytes', types.ms)
    .addColumn('duration_ms', types.ms)
    .addColumn('sha256', types.digest)
    .execute();
  await create('idempotency')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('key_digest', types.digest, (c) => c.notNull())
    .addColumn('body_hash', types.digest, (c) => c.notNull())
    .addColumn('document_id', types.uuid)
    .addColumn('owner', types.uuid, (c) => c.notNull())
    .addColumn('lease_until_ms', types.ms, (c) => c.notNull())
    .addColumn('claimed_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_key', ['team_id', 'key_digest'])
    .execute();
  await create('probes')
    .addColumn('probe_id', types.count, (c) => c.primaryKey().notNull())
    .addColumn('at_ms', types.ms, (c) => c.notNull())
    .execute();
  await addIndex(db, dialect, 'documents', 'documents_digest', ['team_id', 'sha256']);
  await addIndex(db, dialect, 'documents', 'documents_expiry', ['state', 'expires_at_ms']);
  await addIndex(db, dialect, 'audit', 'audit_team', ['team_id', 'audit_id']);
  await addIndex(db, dialect, 'idempotency', 'idempotency_age', ['claimed_at_ms']);
  await addIndex(db, dialect, 'idempotency', 'idempotency_owner', ['owner']);
}

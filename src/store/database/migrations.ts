import { sql } from 'kysely';
import { createApprovals } from './tables/approvals.ts';
import { createDigestBlocks } from './digests.ts';
import { createInstallation } from './tables/installation.ts';
import { createNaming } from './tables/naming.ts';
import {
  addPrintDigests,
  addPrintIndex,
  addPrintPlans,
  addRunStarts,
  addRunTemplates,
  addRunTotals,
  addSourceEncoding,
  createRunExceptions,
  createRunPrints,
  createRuns,
  createRunSources,
} from './tables/runs.ts';
import { addRunBounds, fillRunBounds } from './tables/run-usage.ts';
import type { SchemaEditor } from './schema-editor.ts';
import { createRateWindows } from './tables/rate.ts';

import { createAuditChain, createAuditSeals } from './tables/seals.ts';

/**
 * Brings the schema from the previous version to its version, and may be repeated: MySQL commits
 * every DDL statement by itself, so a migration that was interrupted runs again from its start.
 */
type Migration = (schema: SchemaEditor) => Promise<void>;

/** All migrations, in order. The first one makes version 1 of the schema. */
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
  addVersionNames,
  addDraftMark,
  createAuditChain,
  addContributors,
  addSourceEncoding,
  addAuditDetail,
  createRunExceptions,
  addPrintPlans,
  createInstallation,
  addRunBounds,
  addPrintDigests,
  addRunStarts,
  createNaming,
  addPrintIndex,
  addRunTotals,
  createApprovals,
  addArchive,
  addRunTemplates,
  createLastSignIns,
  createRateWindows,
];

/**
 * Fill what some migrations add from the rows that are there. A restore puts the rows of an earlier
 * schema into a database of this one, and fills them then.
 */
const FILLS: ReadonlyMap<Migration, Migration> = new Map([
  [addContributors, fillContributors],
  [addRunBounds, fillRunBounds],
]);

/** Brings the schema to `version` from the one before. */
export async function applyMigration(schema: SchemaEditor, version: number): Promise<void> {
  const migrate = MIGRATIONS[version - 1];
  if (migrate === undefined) throw new Error(`there is no schema ${version}`);
  await migrate(schema);
  await FILLS.get(migrate)?.(schema);
}

/** Fills what the migrations after `version` add, for rows of that version. */
export async function fillSince(schema: SchemaEditor, version: number): Promise<void> {
  for (const migrate of MIGRATIONS.slice(version)) await FILLS.get(migrate)?.(schema);
}

async function createFirstSchema(schema: SchemaEditor): Promise<void> {
  await createIdentities(schema);
  await createTemplates(schema);
  await createDocuments(schema);
}

async function createIdentities(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('teams')
    .addColumn('team_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('active', types.number, (c) => c.notNull())
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema
    .createTable('api_keys')
    .addColumn('key_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('digest', types.digest, (c) => c.notNull().unique())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('scopes', types.text, (c) => c.notNull())
    .addColumn('rate_limit_per_minute', types.number)
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .addColumn('revoked_at_ms', types.ms)
    .execute();
  await schema
    .createTable('users')
    .addColumn('user_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('role', types.text, (c) => c.notNull())
    .addColumn('display_name', types.text, (c) => c.notNull())
    .addColumn('email', types.text, (c) => c.notNull())
    .addColumn('active', types.number, (c) => c.notNull())
    .execute();
  await schema
    .createTable('sessions')
    .addColumn('digest', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('user_id', types.id, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema.addIndex('users', 'users_team', ['team_id']);
  await schema.addIndex('sessions', 'sessions_user', ['user_id']);
  await schema.addIndex('sessions', 'sessions_expiry', ['expires_at_ms']);
}

async function createTemplates(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('templates')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('name', types.text, (c) => c.notNull())
    .addColumn('latest_version', types.number, (c) => c.notNull())
    .addColumn('draft_hash', types.digest)
    .addColumn('draft_source', types.blob)
    .addColumn('updated_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('templates_key', ['team_id', 'template_id'])
    .execute();
  await schema
    .createTable('template_versions')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('version', types.number, (c) => c.notNull())
    .addColumn('hash', types.digest, (c) => c.notNull())
    .addColumn('source', types.blob, (c) => c.notNull())
    .addColumn('published_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('template_versions_key', ['team_id', 'template_id', 'version'])
    .execute();
  await schema.addIndex('templates', 'templates_id', ['template_id']);
}

async function createDocuments(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('documents')
    .addColumn('document_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('version', types.number, (c) => c.notNull())
    .addColumn('sha256', types.digest, (c) => c.notNull())
    .addColumn('bytes', types.bigNumber, (c) => c.notNull())
    .addColumn('pages', types.number, (c) => c.notNull())
    .addColumn('protected', types.number, (c) => c.notNull())
    .addColumn('created_at_ms', types.ms, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .addColumn('state', types.number, (c) => c.notNull())
    .execute();
  await schema
    .createTable('audit')
    .addColumn('audit_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('at_ms', types.ms, (c) => c.notNull())
    .addColumn('request_id', types.text, (c) => c.notNull())
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('principal', types.text, (c) => c.notNull())
    .addColumn('action', types.text, (c) => c.notNull())
    .addColumn('outcome', types.text, (c) => c.notNull())
    .addColumn('code', types.text, (c) => c.notNull())
    .addColumn('template_id', types.text, (c) => c.notNull())
    .addColumn('version', types.number)
    .addColumn('document_id', types.text, (c) => c.notNull())
    .addColumn('mode', types.text, (c) => c.notNull())
    .addColumn('pages', types.number)
    .addColumn('bytes', types.bigNumber)
    .addColumn('duration_ms', types.ms)
    .addColumn('sha256', types.digest)
    .execute();
  await schema
    .createTable('idempotency')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('key_digest', types.digest, (c) => c.notNull())
    .addColumn('body_hash', types.digest, (c) => c.notNull())
    .addColumn('document_id', types.uuid)
    .addColumn('owner', types.uuid, (c) => c.notNull())
    .addColumn('lease_until_ms', types.ms, (c) => c.notNull())
    .addColumn('claimed_at_ms', types.ms, (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_key', ['team_id', 'key_digest'])
    .execute();
  await schema
    .createTable('probes')
    .addColumn('probe_id', types.number, (c) => c.primaryKey().notNull())
    .addColumn('at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema.addIndex('documents', 'documents_digest', ['team_id', 'sha256']);
  await schema.addIndex('documents', 'documents_expiry', ['state', 'expires_at_ms']);
  await schema.addIndex('audit', 'audit_team', ['team_id', 'audit_id']);
  await schema.addIndex('idempotency', 'idempotency_age', ['claimed_at_ms']);
  await schema.addIndex('idempotency', 'idempotency_owner', ['owner']);
}

/**
 * Adds expiry and last use of keys, who published a version, and when it was unpublished. Every new
 * column may be null, so an instance of the previous version can keep writing rows while this one
 * starts.
 */
async function addLifecycle(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema.addColumn('api_keys', 'expires_at_ms', types.ms);
  await schema.addColumn('api_keys', 'last_used_at_ms', types.ms);
  await schema.addColumn('template_versions', 'published_by', types.text);
  await schema.addColumn('template_versions', 'unpublished_at_ms', types.ms);
}

/**
 * Creates the table of damaged or missing files; a column of `documents` would be null nearly
 * always.
 */
async function createDamages(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('damages')
    .addColumn('document_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('kind', types.text, (c) => c.notNull())
    .addColumn('found_at_ms', types.ms, (c) => c.notNull())
    .execute();
}

/**
 * Creates the cache of field descriptors by template hash; missing entries are computed on demand.
 */
async function createTemplateFields(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('template_fields')
    .addColumn('hash', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('fields', types.blob, (c) => c.notNull())
    .addColumn('stored_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema.addIndex('template_fields', 'template_fields_age', ['stored_at_ms']);
}

/** Indexes audit records by the digest of their sync response; for SQLite see digests.ts. */
async function addDigestIndex(schema: SchemaEditor): Promise<void> {
  if (schema.dialect === 'sqlite') {
    await createDigestBlocks(schema.db);
    return;
  }
  if (await schema.mysqlHasIndex('audit', 'audit_digest')) return;
  // The first 6 bytes of the digest are enough for an index.
  await sql`create index audit_digest on audit (sha256(6))`.execute(schema.db);
}

/**
 * Adds what the Studio needs: one-time links, the last editor of a draft, and an index of a team's
 * documents by id, which is their order of creation.
 */
async function addStudio(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('sign_in_links')
    .addColumn('digest', types.digest, (c) => c.primaryKey().notNull())
    .addColumn('user_id', types.id, (c) => c.notNull())
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema.addIndex('sign_in_links', 'sign_in_links_user', ['user_id']);
  await schema.addColumn('templates', 'draft_by', types.text);
  await schema.addIndex('documents', 'documents_team', ['team_id', 'document_id']);
}

/** Indexes keys by team. Without it, listing a team's keys reads the keys of all teams. */
async function addKeyIndex(schema: SchemaEditor): Promise<void> {
  await schema.addIndex('api_keys', 'api_keys_team', ['team_id', 'key_id']);
}

/** Indexes the keys of a team in the order of their list, so that a page reads only its keys. */
async function addKeyOrder(schema: SchemaEditor): Promise<void> {
  const columns = ['team_id', 'created_at_ms', 'key_id'];
  await schema.addIndex('api_keys', 'api_keys_order', columns);
}

/**
 * Adds which certificate signed a document. Both columns may be null, so an instance of the
 * previous version can keep writing records while this one starts.
 */
async function addSigner(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema.addColumn('audit', 'signer', types.text);
  await schema.addColumn('audit', 'certificate_serial', types.text);
}

/**
 * Adds the wrapped keys of encrypted files to the rows of the files. An instance of the previous
 * version reports encrypted files as damaged, because their sizes and digests differ from their rows.
 */
async function addEncryption(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema.addColumn('documents', 'wrapped_key', types.wrappedKey);
  await schema.addColumn('run_files', 'wrapped_key', types.wrappedKey);
  await schema
    .createTable('encryption_keys')
    .addColumn('key_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('first_used_at_ms', types.ms, (c) => c.notNull())
    .execute();
}

/**
 * Indexes documents in the order in which the sweep destroys them. Without it, SQLite sorts all
 * documents that expire in the same millisecond again for each batch. The index replaces the one
 * without `document_id`, whose queries it serves as well.
 */
async function addDueOrder(schema: SchemaEditor): Promise<void> {
  const columns = ['state', 'expires_at_ms', 'document_id'];
  await schema.addIndex('documents', 'documents_due', columns);
  await schema.dropIndex('documents', 'documents_expiry');
}

/** Keeps the name that a version was published under, for rollbacks to it. */
async function addVersionNames(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('template_versions', 'name', schema.types.text);
}

/** Marks the audit records of documents that were made from drafts. */
async function addDraftMark(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('audit', 'draft', schema.types.number);
}

/** Records who contributed to a draft. */
async function addContributors(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema.addColumn('audit', 'contributors', types.blob);
  await schema
    .createTable('draft_contributors')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('contributor', types.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('draft_contributors_key', ['team_id', 'template_id', 'contributor'])
    .execute();
}

/** Adds a contributor for each existing draft: its last editor, since no other was recorded. */
async function fillContributors(schema: SchemaEditor): Promise<void> {
  const ignore = sql.raw(schema.dialect === 'mysql' ? 'ignore' : 'or ignore');
  await sql`
    insert ${ignore} into draft_contributors (team_id, template_id, contributor)
    select team_id, template_id, draft_by from templates
    where draft_hash is not null and draft_by is not null`.execute(schema.db);
}

/** Adds what a record concerns beyond its other columns: a key with its scopes, a user's new role. */
async function addAuditDetail(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('audit', 'detail', schema.types.text);
}

/** Adds when a user last signed in. A separate table: an identity sync replaces rows of users. */
async function createLastSignIns(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('last_sign_ins')
    .addColumn('user_id', types.id, (c) => c.primaryKey().notNull())
    .addColumn('at_ms', types.ms, (c) => c.notNull())
    .execute();
}

/** A migration: adds since when a template is archived. Both databases add such a column at once. */
async function addArchive(schema: SchemaEditor): Promise<void> {
  await schema.addColumn('templates', 'archived_at_ms', schema.types.ms);
}

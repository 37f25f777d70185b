import { hash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Test } from 'tap';
import { MIGRATIONS } from '../../src/store/database/migrations.ts';
import { SchemaEditor } from '../../src/store/database/schema-editor.ts';
import type { Schema } from '../../src/store/database/schema.ts';
import { sqliteInMemory } from '../../src/store/database/sqlite.ts';
import { DEFAULT_BOUNDS } from '../../src/store/runs/bounds.ts';
import { uuidv7 } from '../../src/store/ids.ts';
import { backUpStore, openStore, restoreStore } from '../../src/store/open.ts';
import { overDialects, temporaryFolder } from './dialects.ts';

/** Before contributors of drafts, exceptions of runs, and bounds of what teams store. */
const OLD_SCHEMA = 16;
const ROWS = new Uint8Array(Buffer.from('{"refNo":"A"}\n'));
const HOUR_MS = 3_600_000;

/** Backs up a database of an earlier version: a draft, and a run that was never started. */
async function oldBackup(t: Test): Promise<string> {
  const folder = await temporaryFolder(t);
  const databaseUrl = `sqlite:${join(folder, 'old.db')}`;
  const file = new DatabaseSync(join(folder, 'old.db'), { timeout: 60_000 });
  file.exec('pragma journal_mode = wal');
  const db = new Kysely<Schema>({ dialect: sqliteInMemory(file) });
  const editor = new SchemaEditor(db, 'sqlite');
  for (const migrate of MIGRATIONS.slice(0, OLD_SCHEMA)) await migrate(editor);
  file.exec('create table schema_version (version integer primary key not null)');
  for (let version = 1; version <= OLD_SCHEMA; version += 1) {
    file.exec(`insert into schema_version (version) values (${version})`);
  }
  const nowMs = Date.now();
  const [runId, fileId] = [uuidv7(nowMs), uuidv7(nowMs)];
  file.exec(
    `insert into teams (team_id, name, active, created_at_ms) values ('bank', 'Bank', 1, 0)`,
  );
  file
    .prepare(
      `insert into templates (team_id, template_id, name, latest_version, draft_hash, draft_source,
       updated_at_ms, draft_by) values ('bank', 'note', 'Note', 0, ?, ?, 0, 'user:anong')`,
    )
    .run(hash('sha256', '{}', 'buffer'), Buffer.from('{}'));
  file
    .prepare(
      `insert into runs (run_id, team_id, principal, name, template_id, version, spec, state,
       paused_from, dry_run, reasons, received, stored, invalid, failed, pages, bytes, bytes_received,
       bytes_checked, created_at_ms) values (?, 'bank', 'key:k', '', 'note', 1, ?, 'receiving', '', 0,
       ?, 0, 0, 0, 0, 0, 0, ?, 0, 0)`,
    )
    .run(runId, Buffer.from('{}'), Buffer.from('[]'), ROWS.byteLength);
  file
    .prepare(
      `insert into run_files (file_id, run_id, kind, bytes, expires_at_ms, state)
       values (?, ?, 'part', ?, ?, 0)`,
    )
    .run(fileId, runId, ROWS.byteLength, nowMs + HOUR_MS);
  file
    .prepare(
      `insert into run_parts (run_id, part, sha256, format, file_id, bytes, header_bytes, checked_to,
       lease_until_ms) values (?, 1, ?, 'ndjson', ?, ?, 0, 0, 0)`,
    )
    .run(runId, hash('sha256', ROWS, 'buffer'), fileId, ROWS.byteLength);
  await db.destroy();
  file.close();
  mkdirSync(join(folder, 'files'));
  const backup = join(folder, `backup-${randomUUID()}`);
  // The part's file is missing, as of one that was removed meanwhile: its row matters here.
  await backUpStore({ databaseUrl, filesUrl: `file:${join(folder, 'files')}` }, backup);
  return backup;
}

await overDialects('restoring a backup of an earlier version', async (t, newPlace) => {
  await t.test('its rows get what the migrations since would have filled in', async (t) => {
    const backup = await oldBackup(t);
    const { databaseUrl, folder } = await newPlace();
    const runBounds = { ...DEFAULT_BOUNDS, teamPartsMax: 1 };
    const settings = { databaseUrl, filesUrl: `file:${join(folder, 'files')}`, runBounds };
    await restoreStore(settings, backup);
    const store = await openStore(settings);
    t.teardown(() => store.close());
    await store.migrate();

    const found = await store.templates.find('bank', 'note');
    const draft = { contributors: ['user:anong'] };
    t.match(found, { value: { draft } }, 'who may not publish alone');
    const { items } = await store.runs.list({ teamId: 'bank', countMax: 9 });
    t.match(items, [{ state: 'receiving', counts: { bytesReceived: ROWS.byteLength } }]);
    const [run] = items;
    if (run === undefined) return t.fail('no run');
    const part = {
      part: 2,
      sha256: '0'.repeat(64),
      format: 'ndjson',
      headerBytes: 0,
      firstLine: 1,
    } as const;
    t.equal(await store.runs.addPart(run, part, new Uint8Array(ROWS)), 'team_parts', 'it has one');
    await store.documents.sweep(Date.now() + 48 * HOUR_MS);
    const later = await store.runs.list({ teamId: 'bank', countMax: 9 });
    t.match(later.items, [{ state: 'cancelled', reasons: [{ name: 'not_started' }] }]);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { ScrubResult } from '../documents/integrity.ts';
import type { Vault } from '../encryption/vault.ts';
import { CheckedFile } from '../files/checked-file.ts';
import { hex } from '../ids.ts';
import { FileDamaged, FileKeyMissing, FileMissing, StorageUnavailable } from '../store.ts';
import { decodeSegments } from './codec.ts';
import { PRINT_STATES } from './run-schema.ts';
import type { RunFinding, RunScrub } from './types.ts';

/** Parts or print files that are listed at a time. */
const PAGE = 100;
const PIECE_BYTES = 64 * 1024;

/** A stored file of a run; without a digest, only its size is compared. */
interface RunFile extends Omit<RunFinding, 'finding'> {
  readonly fileId: string;
  readonly bytes: number;
  readonly sha256: string | null;
}

/** Reads all uploaded parts and print files that exist. */
export async function scrubRuns(
  database: Database,
  vault: Vault,
  { bytesPerSecond, onFinding }: RunScrub,
): Promise<ScrubResult> {
  const result = { checked: 0, bytes: 0, damaged: 0, missing: 0, unread: 0 };
  const startMs = performance.now();
  for (const list of [listParts, listPrints]) {
    for await (const file of list(database)) {
      const verdict = await verdictOf(database, vault, file);
      if (verdict === 'gone') continue;
      result.checked += 1;
      result.bytes += file.bytes;
      if (verdict !== 'intact') {
        result[verdict] += 1;
        onFinding({ runId: file.runId, file: file.file, number: file.number, finding: verdict });
      }
      const dueMs = (result.bytes / bytesPerSecond) * 1_000;
      const aheadMs = dueMs - (performance.now() - startMs);
      if (aheadMs > 0) await pause(aheadMs);
    }
  }
  return result;
}

/** `gone`: the sweep has removed the file, as is right. */
async function verdictOf(
  database: Database,
  vault: Vault,
  file: RunFile,
): Promise<RunFinding['finding'] | 'intact' | 'gone'> {
  if (!(await isLiving(database, file.fileId))) return 'gone';
  try {
    await readWhole(vault, file);
    return 'intact';
  } catch (error) {
    if (error instanceof FileDamaged) return 'damaged';
    if (error instanceof StorageUnavailable || error instanceof FileKeyMissing) return 'unread';
    if (!(error instanceof FileMissing)) throw error;
    return (await isLiving(database, file.fileId)) ? 'missing' : 'gone';
  }
}

async function readWhole(vault: Vault, { fileId, bytes, sha256 }: RunFile): Promise<void> {
  const file = await vault.openRunFile(fileId);
  try {
    const damaged = new FileDamaged(fileId);
    if (file.bytes !== bytes) throw damaged;
    const whole =
      sha256 === null ? file : new CheckedFile(file, sha256, () => Promise.resolve(damaged));
    for (let at = 0; at < bytes;) {
      const piece = await whole.read(at, PIECE_BYTES);
      if (piece.byteLength === 0) throw damaged;
      at += piece.byteLength;
    }
  } finally {
    await file.close();
  }
}

async function isLiving(database: Database, fileId: string): Promise<boolean> {
  const row = await database.readUncompared((db) =>
    db
      .selectFrom('run_files')
      .select('state')
      .where('file_id', '=', fileId)
      .where('state', '=', DOCUMENT_STATES.available)
      .executeTakeFirst(),
  );
  return row !== undefined;
}

async function* listParts(database: Database): AsyncGenerator<RunFile> {
  let after = { runId: '', number: 0 };
  for (;;) {
    const rows = await database.readUncompared((db) =>
      db
        .selectFrom('run_parts')
        .select(['run_id', 'part', 'file_id', 'bytes', 'sha256'])
        .where(sql<boolean>`(run_id, part) > (${after.runId}, ${after.number})`)
        .orderBy('run_id')
        .orderBy('part')
        .limit(sql.lit(PAGE))
        .execute(),
    );
    for (const { run_id: runId, part: number, file_id: fileId, bytes, sha256 } of rows) {
      yield { runId, file: 'part', number, fileId, bytes, sha256: hex(sha256) };
      after = { runId, number };
    }
    if (rows.length < PAGE) return;
  }
}

async function* listPrints(database: Database): AsyncGenerator<RunFile> {
  let after = { runId: '', number: 0 };
  for (;;) {
    const rows = await database.readUncompared((db) =>
      db
        .selectFrom('run_prints')
        .select(['run_id', 'number', 'segments'])
        .where(sql<boolean>`(run_id, number) > (${after.runId}, ${after.number})`)
        .where(sql<boolean>`+state = ${PRINT_STATES.done}`)
        .orderBy('run_id')
        .orderBy('number')
        .limit(sql.lit(PAGE))
        .execute(),
    );
    for (const { run_id: runId, number, segments } of rows) {
      for (const segment of decodeSegments(segments)) {
        yield { runId, file: 'print', number, ...segment };
      }
      after = { runId, number };
    }
    if (rows.length < PAGE) return;
  }
}

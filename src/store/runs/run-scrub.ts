import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ScrubResult } from '../documents/types.ts';
import { hex } from '../ids.ts';
import { wholeOf } from './codec.ts';
import type { RunExamination, RunFile } from './run-examination.ts';
import { PRINT_STATES } from '../database/tables/runs.ts';
import type { RunScrub } from './types.ts';

/** Parts or print files that are listed at a time. */
const PAGE = 100;

/** Reads all uploaded parts and print files that exist. */
export async function scrubRuns(
  database: Database,
  examination: RunExamination,
  { bytesPerSecond, onFinding }: RunScrub,
): Promise<ScrubResult> {
  const result = { checked: 0, bytes: 0, damaged: 0, missing: 0, unread: 0 };
  const startMs = performance.now();
  const recorded = await examination.recorded();
  for (const list of [listParts, listPrints]) {
    for await (const file of list(database)) {
      const verdict = await examination.examine(file);
      if (verdict === 'gone') continue;
      result.checked += 1;
      for (const { bytes } of file.segments) result.bytes += bytes;
      if (verdict !== 'intact') {
        result[verdict] += 1;
        onFinding({ runId: file.runId, file: file.file, number: file.number, finding: verdict });
      } else if (file.segments.some(({ fileId }) => recorded.has(fileId))) {
        await examination.forget(file);
      }
      const dueMs = (result.bytes / bytesPerSecond) * 1_000;
      const aheadMs = dueMs - (performance.now() - startMs);
      if (aheadMs > 0) await pause(aheadMs);
    }
  }
  return result;
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
      const segments = [{ fileId, bytes, sha256: hex(sha256) }];
      yield { runId, file: 'part', number, segments, sha256: null };
      after = { runId, number };
    }
    if (rows.length < PAGE) return;
    // SQLite answers without leaving the turn, and files that are gone are not read.
    await setImmediate();
  }
}

async function* listPrints(database: Database): AsyncGenerator<RunFile> {
  let after = { runId: '', number: 0 };
  for (;;) {
    const rows = await database.readUncompared((db) =>
      db
        .selectFrom('run_prints')
        .select(['run_id', 'number', 'segments', 'sha256'])
        .where(sql<boolean>`(run_id, number) > (${after.runId}, ${after.number})`)
        .where(sql<boolean>`+state = ${PRINT_STATES.done}`)
        .orderBy('run_id')
        .orderBy('number')
        .limit(sql.lit(PAGE))
        .execute(),
    );
    for (const { run_id: runId, number, segments, sha256 } of rows) {
      yield { runId, file: 'print', number, ...wholeOf(segments, sha256) };
      after = { runId, number };
    }
    if (rows.length < PAGE) return;
    // SQLite answers without leaving the turn, and files that are gone are not read.
    await setImmediate();
  }
}

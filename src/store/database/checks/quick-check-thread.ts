/** A thread that examines the structure of an SQLite file, which takes seconds for a large one. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckOrder } from './database-health.ts';

/** Longest list of defects. */
const DEFECTS_MAX = 20;
const BUSY_MS_MAX = 5_000;

parentPort?.postMessage(defectsOf(workerData as CheckOrder)); // database-health.ts sends it.

/** Returns what is wrong, without any content of rows; an empty list: the file is sound. */
function defectsOf({ path, extent }: CheckOrder): readonly string[] {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: BUSY_MS_MAX });
    database.exec('pragma query_only = 1');
    const pragma = extent === 'pages' ? 'quick_check' : 'integrity_check';
    const rows = database.prepare(`pragma ${pragma}(${DEFECTS_MAX})`).all();
    return rows.map((row) => String(row[pragma])).filter((text) => text !== 'ok');
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error;
    return [`SQLite answered with result code ${String(error.errcode)}`];
  } finally {
    database?.close();
  }
}

import type { Kysely } from 'kysely';
import { DOCUMENT_STATES, type Schema } from '../../database/schema.ts';
import type { Vault } from '../../encryption/vault.ts';
import type { RunSpec } from '../types.ts';

/**
 * Rows of runs whose documents are protected hold passwords. Each part of them is a file with a key of
 * its own, which stands, wrapped by a key of the installation, in the row of the file and nowhere
 * else.
 */

/** Stores the rows of a part; in clear only if the documents of the run have no passwords. */
export function putRows(
  vault: Vault,
  { protection }: RunSpec,
  fileId: string,
  rows: Uint8Array,
): Promise<Uint8Array | null> {
  return protection === null
    ? vault.put(fileId, rows, 'run')
    : vault.putSecret(fileId, rows, 'run');
}

/**
 * Destroys the keys of all parts of a run that has ended, in the transaction that ends it; the sweep
 * removes the files, which nobody can read any more.
 */
export async function destroyKeys(
  trx: Kysely<Schema>,
  runId: string,
  nowMs: number,
): Promise<void> {
  const { available, deleting } = DOCUMENT_STATES;
  await trx
    .updateTable('run_files')
    .set({ wrapped_key: null, state: deleting, expires_at_ms: nowMs })
    .where('run_id', '=', runId)
    .where('kind', '=', 'part')
    .where('state', '=', available)
    .execute();
}

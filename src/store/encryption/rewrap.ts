import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/database-fault.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { ScriptStatement } from '../database/script.ts';
import { keyIdOf, type KeyRing } from './key-ring.ts';
import type { FileKeys, KeyUse, RewrapResult } from './types.ts';
import type { Vault } from './vault.ts';

const PAGE_ROWS = 500;

/** Tables whose rows hold wrapped keys, with the columns of id and state. */
const TABLES = [
  { table: 'documents', id: 'document_id', state: 'state' },
  { table: 'run_files', id: 'file_id', state: 'state' },
  // A naming key belongs to no file. Like a document in a pack, it is not counted as one.
  { table: 'naming_keys', id: 'key_id', state: null },
] as const;
type Table = (typeof TABLES)[number];

interface KeyRow {
  readonly id: string;
  readonly wrapped_key: Uint8Array | null;
  readonly state: number;
}

/** The keys of stored files, for the operator. */
export function fileKeys(database: Database, ring: KeyRing, vault: Vault): FileKeys {
  return {
    listed: () => ring.ids,
    missing: () => vault.findMissingKeys(),
    count: () => countFiles(database),
    rewrap: (rowsPerSecond) => rewrapAll(database, ring, vault, rowsPerSecond),
  };
}

async function countFiles(database: Database): Promise<readonly KeyUse[]> {
  const counts = new Map<string, number>();
  for await (const { rows } of pagesOf(database)) {
    for (const { wrapped_key: wrapped, state } of rows) {
      if (state !== DOCUMENT_STATES.available) continue;
      const keyId = wrapped === null ? '' : keyIdOf(wrapped);
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  return [...counts].map(([keyId, files]) => ({ keyId, files }));
}

/**
 * Wraps the key of every file under the first key of the ring. A row is updated only if it still
 * holds the wrapped key that was read. A document that expires meanwhile therefore gets no new key,
 * and several calls may run at the same time. An interrupted call keeps the rows it has updated.
 */
async function rewrapAll(
  database: Database,
  ring: KeyRing,
  vault: Vault,
  rowsPerSecond: number,
): Promise<RewrapResult> {
  const startMs = performance.now();
  const unreadable = new Map<string, number>();
  let rewrapped = 0;
  let namingRewrapped = 0;
  let rowsRead = 0;
  const [firstId = ''] = ring.ids;
  for await (const { table, rows } of pagesOf(database)) {
    const script: ScriptStatement[] = [];
    for (const row of rows) {
      const { wrapped_key: wrapped, state } = row;
      if (wrapped === null) continue;
      if (state === DOCUMENT_STATES.deleted || state === DOCUMENT_STATES.deleting) {
        // The previous version of the service deleted this file but kept its wrapped key.
        script.push(replaceKey(table, row, null));
        continue;
      }
      const keyId = keyIdOf(wrapped);
      const newKey = ring.rewrap(wrapped);
      if (newKey !== null) {
        script.push(replaceKey(table, row, newKey));
        if (table.table === 'naming_keys') namingRewrapped += 1;
        else rewrapped += 1;
      } else if (keyId !== firstId) {
        unreadable.set(keyId, (unreadable.get(keyId) ?? 0) + 1);
      }
    }
    // Whoever starts without that key is told which one is missing.
    if (rewrapped + namingRewrapped > 0) await vault.recordUse(firstId);
    if (script.length > 0) await commit(database, script);
    rowsRead += rows.length;
    // Pausing by the time gained so far keeps the average at `rowsPerSecond`.
    const aheadMs = (rowsRead / rowsPerSecond) * 1_000 - (performance.now() - startMs);
    if (aheadMs > 0) await pause(aheadMs);
  }
  const forgotten = await forgetUnused(database, new Set([firstId, ...unreadable.keys()]));
  return {
    rewrapped,
    namingRewrapped,
    unreadable: [...unreadable].map(([keyId, files]) => ({ keyId, files })),
    forgotten,
  };
}

/** Removes the rows of keys that no file needs any more and returns their ids. */
async function forgetUnused(
  database: Database,
  used: ReadonlySet<string>,
): Promise<readonly string[]> {
  const rows = await database.read((db) =>
    db.selectFrom('encryption_keys').select('key_id').execute(),
  );
  const unused = rows.map((row) => row.key_id).filter((keyId) => !used.has(keyId));
  for (const keyId of unused) {
    await database.write((db) =>
      db.deleteFrom('encryption_keys').where('key_id', '=', keyId).execute(),
    );
  }
  return unused;
}

async function commit(database: Database, script: readonly ScriptStatement[]): Promise<void> {
  try {
    await database.commit(script);
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Replaces the wrapped key of a row that still has the one that was read. */
function replaceKey({ table, id }: Table, row: KeyRow, newKey: Uint8Array | null): ScriptStatement {
  return {
    sql: `update ${table} set wrapped_key = ? where ${id} = ? and wrapped_key = ?`,
    parameters: [newKey, row.id, row.wrapped_key],
    changes: null,
  };
}

/** Yields pages of rows in the order of their ids, including rows without wrapped keys. */
async function* pagesOf(
  database: Database,
): AsyncGenerator<{ readonly table: Table; readonly rows: readonly KeyRow[] }> {
  for (const table of TABLES) {
    let after = '';
    for (;;) {
      const state = table.state === null ? sql.lit(DOCUMENT_STATES.packed) : sql.ref(table.state);
      const query = sql<KeyRow>`
        select ${sql.ref(table.id)} as id, wrapped_key, ${state} as state from ${sql.table(table.table)}
        where ${sql.ref(table.id)} > ${after} order by ${sql.ref(table.id)}
        limit ${sql.lit(PAGE_ROWS)}`;
      const { rows } = await database.read((db) => query.execute(db));
      const last = rows.at(-1);
      if (last === undefined) break;
      yield { table, rows };
      after = last.id;
    }
  }
}

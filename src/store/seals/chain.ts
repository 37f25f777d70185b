import { sql } from 'kysely';
import { isFault } from '../database/database-fault.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { hex } from '../ids.ts';
import type { Seal } from './types.ts';

/** Seals read at a time. */
const BATCH = 1_000;

/** The seals after this number, in order; in batches. */
export async function* sealsAfter(
  database: Database,
  number: number,
): AsyncGenerator<Seal, void, undefined> {
  for (let after = number; ;) {
    const rows = await database.read((db) =>
      db
        .selectFrom('audit_chain')
        .selectAll()
        .where('number', '>', after)
        .orderBy('number')
        .limit(sql.lit(BATCH))
        .execute(),
    );
    for (const row of rows) yield asSeal(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.number;
  }
}

/** The seals with the highest numbers, the highest first. */
export async function lastSeals(database: Database, countMax: number): Promise<readonly Seal[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('audit_chain')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(sql.lit(countMax))
      .execute(),
  );
  return rows.map(asSeal);
}

/** The seal with this number; null: the table has none. */
export async function sealAt(database: Database, number: number): Promise<Seal | null> {
  const row = await database.read((db) =>
    db.selectFrom('audit_chain').selectAll().where('number', '=', number).executeTakeFirst(),
  );
  return row === undefined ? null : asSeal(row);
}

/** How many seals the table has with numbers from 1 to this one. */
export async function countSeals(database: Database, number: number): Promise<number> {
  const row = await database.read((db) =>
    db
      .selectFrom('audit_chain')
      .select((select) => select.fn.countAll().as('count'))
      .where('number', '>=', 1)
      .where('number', '<=', number)
      .executeTakeFirstOrThrow(),
  );
  return Number(row.count);
}

/** False when the table has a seal of this number. */
export async function insertSeal(database: Database, seal: Seal): Promise<boolean> {
  try {
    await database.write((db) => db.insertInto('audit_chain').values(rowOf(seal)).execute());
    return true;
  } catch (error) {
    if (isFault(error, 'duplicate')) return false;
    throw error;
  }
}

/** Puts a seal in the place of another one with its number. */
export async function replaceSeal(database: Database, old: Seal, seal: Seal): Promise<void> {
  await database.write((db) =>
    db
      .updateTable('audit_chain')
      .set(rowOf(seal))
      .where('number', '=', seal.number)
      .where('seal', '=', Buffer.from(old.seal, 'hex'))
      .execute(),
  );
}

function rowOf(seal: Seal): Schema['audit_chain'] {
  return {
    number: seal.number,
    from_ms: seal.fromMs,
    until_ms: seal.untilMs,
    records: seal.records,
    digest: Buffer.from(seal.digest, 'hex'),
    previous: seal.previous,
    sealed_at_ms: seal.sealedAtMs,
    seal: Buffer.from(seal.seal, 'hex'),
    key_id: seal.keyId,
  };
}

function asSeal(row: Schema['audit_chain']): Seal {
  return {
    number: row.number,
    fromMs: row.from_ms,
    untilMs: row.until_ms,
    records: row.records,
    digest: hex(row.digest),
    previous: row.previous,
    sealedAtMs: row.sealed_at_ms,
    seal: hex(row.seal),
    keyId: row.key_id,
  };
}

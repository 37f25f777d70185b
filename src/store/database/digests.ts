import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { hex } from '../ids.ts';
import { FOLDING_TRIGGER } from './digest-folding.ts';
import type { Schema } from './schema.ts';

/**
 * For SQLite: an index from the digest of a sync response to its audit records.
 *
 * Digests are random, so in a plain index every record of a commit dirties a different page, which
 * doubles the cost of the commit. Instead a record is appended to `digest_queue`, and every 4,096th
 * record moves all to `digest_blocks`, one row for each first byte of a digest. Triggers do both,
 * inside the transaction that adds the record, so nothing is ever missing.
 *
 *   entry    5 further bytes of the digest in hex, then the audit id
 *   entries  entries without separators
 *
 * A look-up reads the queue (200 KB at most) and 1/256 of the blocks, about 46 bytes a record.
 */

const PREFIX_CHARACTERS = 10;
const ENTRY_CHARACTERS = PREFIX_CHARACTERS + 36;
/** Existing records with the same first byte that share a row when the tables are made: 1 MB. */
const BLOCK_RECORDS = 20_000;

/** Selects the audit records that a look-up by digest can find. */
const IS_SYNC = "mode = 'sync' and sha256 is not null";

/** Rows of `digest_queue` that say something else than the trigger `digest_queued` did. */
const DAMAGED_ENTRIES = `
  select seq from main.digest_queue q
  left join main.audit a on a.audit_id = substr(q.entry, ${PREFIX_CHARACTERS + 1})
  where a.sha256 is null or a.mode is not 'sync'
    or q.first_byte is not substr(a.sha256, 1, 1)
    or q.entry is not hex(substr(a.sha256, 2, 5)) || a.audit_id`;

/** The last row, if the rows are not numbered from 1 without a gap. */
const MISNUMBERED = `
  select max(seq) as seq from main.digest_queue having max(seq) <> count(*)`;

/**
 * Compares `digest_queue` with the audit: its rows have no checks (checks/row-checks.ts), because
 * one is added with each sync document, and says nothing that the audit does not say.
 */
export async function compareQueue(
  db: Kysely<Schema>,
): Promise<{ readonly rows: number; readonly damaged: readonly number[] }> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.raw('main.digest_queue')}
  `.execute(db);
  const damaged = await sql
    .raw<{ seq: number }>(`${DAMAGED_ENTRIES} union ${MISNUMBERED}`)
    .execute(db);
  return { rows: rows[0]?.count ?? 0, damaged: damaged.rows.map(({ seq }) => seq) };
}

/** Moves the rows of `digest_queue` that fit the audit to the blocks, and removes the others. */
export async function dropDamagedEntries(db: Kysely<Schema>): Promise<void> {
  await sql
    .raw(
      `insert or ignore into digest_blocks (first_byte, last_entry, entries)
       select first_byte, max(entry), group_concat(entry, '') from digest_queue
       where seq not in (${DAMAGED_ENTRIES}) group by first_byte`,
    )
    .execute(db);
  await sql`delete from digest_queue`.execute(db);
}

/** Makes the tables and triggers, and indexes the existing records. */
export async function createDigestBlocks(db: QueryExecutorProvider): Promise<void> {
  await sql`drop index if exists audit_digest`.execute(db);
  await sql`
    create table if not exists digest_queue (
      seq integer primary key, first_byte blob not null, entry text not null)
  `.execute(db);
  await sql`
    create table if not exists digest_blocks (
      first_byte blob not null, last_entry text not null, entries text not null,
      primary key (first_byte, last_entry)) without rowid
  `.execute(db);
  await sql`
    create trigger if not exists digest_queued after insert on audit
    when new.mode = 'sync' and new.sha256 is not null begin
      insert into digest_queue (first_byte, entry)
      values (substr(new.sha256, 1, 1), hex(substr(new.sha256, 2, 5)) || new.audit_id);
    end
  `.execute(db);
  // The queue is empty afterwards, and `seq` counts from 1 again.
  await sql.raw(FOLDING_TRIGGER).execute(db);
  await sql`
    insert or ignore into digest_blocks (first_byte, last_entry, entries)
    select first_byte, max(entry), group_concat(entry, '') from (
      select substr(sha256, 1, 1) as first_byte, hex(substr(sha256, 2, 5)) || audit_id as entry,
        rowid / ${sql.lit(BLOCK_RECORDS * 256)} as part
      from audit where ${sql.raw(IS_SYNC)}
    ) group by first_byte, part
  `.execute(db);
}

/**
 * Finds, in order, the ids of audit records whose first 6 digest bytes match; callers compare the
 * rest.
 */
export async function auditIdsOf(db: Kysely<Schema>, sha256: Uint8Array): Promise<string[]> {
  const firstByte = sha256.subarray(0, 1);
  const prefix = hex(sha256.subarray(1, 1 + PREFIX_CHARACTERS / 2)).toUpperCase();
  // The queue is read first: entries that move to the blocks meanwhile are then found there.
  const queued = await sql<{ entries: string }>`
    select entry as entries from digest_queue
    where first_byte = ${firstByte} and instr(entry, ${prefix}) = 1
  `.execute(db);
  const blocks = await sql<{ entries: string }>`
    select entries from digest_blocks
    where first_byte = ${firstByte} and instr(entries, ${prefix}) > 0
  `.execute(db);
  const ids = new Set<string>();
  for (const { entries } of [...queued.rows, ...blocks.rows]) {
    for (let at = entries.indexOf(prefix); at !== -1; at = entries.indexOf(prefix, at + 1)) {
      if (at % ENTRY_CHARACTERS !== 0) continue;
      ids.add(entries.slice(at + PREFIX_CHARACTERS, at + ENTRY_CHARACTERS));
    }
  }
  return [...ids].toSorted();
}

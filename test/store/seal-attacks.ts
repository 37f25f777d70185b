import { cp, mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStore } from '../../src/store/open.ts';
import type { SealCheck } from '../../src/store/seals/types.ts';
import type { Store } from '../../src/store/store.ts';
import { newAudit } from './samples.ts';

/*
 * Attacks on a sealed audit by somebody who can write the database and has neither the key nor the
 * files, while a service runs. `node test/store/seal-attacks.ts 365 200` tries 200 on a year.
 */

const DAY_MS = 86_400_000;
const PERIOD_MS = 20 * 60_000;
const START = Date.UTC(2026, 0, 1);
const RECORDS_PER_DAY = 280;
/** Place of the last record of a batch that the service reads. */
const LAST = 249;
const auditKey = 'k'.repeat(32);

export interface AttackResult {
  readonly attack: string;
  /** Findings that are not `whole`, and faults for the log; none: the attack was not noticed. */
  readonly findings: readonly string[];
}

/** Seals `days` days of records, attacks copies of them `attacks` times and verifies each. */
export async function attackSeals(days: number, attacks: number): Promise<readonly AttackResult[]> {
  const root = await mkdtemp(join(tmpdir(), 'intaglio-seals-'));
  try {
    const nowMs = await build(join(root, 'whole'), days);
    const results: AttackResult[] = [];
    for (let index = 0; index < attacks; index += 1) {
      const folder = join(root, 'attacked');
      await cp(join(root, 'whole'), folder, { recursive: true });
      results.push(await attackOnce(folder, index, nowMs));
      await rm(folder, { recursive: true });
    }
    return results;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function openAt(folder: string): Promise<Store> {
  const databaseUrl = `sqlite:${join(folder, 'intaglio.db')}`;
  const store = await openStore({
    databaseUrl,
    filesUrl: `file:${join(folder, 'files')}`,
    auditKey,
  });
  await store.migrate();
  return store;
}

/** Returns the time at which the last seal was made. */
async function build(folder: string, days: number): Promise<number> {
  const store = await openAt(folder);
  const endMs = START + days * DAY_MS;
  let nextMs = START;
  let nowMs = START;
  for (; nowMs < endMs; nowMs += PERIOD_MS) {
    for (; nextMs < nowMs; nextMs += DAY_MS / RECORDS_PER_DAY) {
      const sha256 = 'ab'.repeat(32);
      await store.audit.add(newAudit('', { atMs: nextMs, requestId: `at ${nextMs}`, sha256 }));
    }
    await store.seals.seal(nowMs);
  }
  const checks = await verified(store, nowMs);
  if (checks.length > 0) throw new Error(`not whole before any attack: ${checks.join(', ')}`);
  await store.close();
  return nowMs;
}

async function attackOnce(folder: string, index: number, nowMs: number): Promise<AttackResult> {
  const store = await openAt(folder);
  try {
    await store.seals.seal(nowMs);
    const database = new DatabaseSync(join(folder, 'intaglio.db'), { timeout: 60_000 });
    const attack = ATTACKS[index % ATTACKS.length];
    if (attack === undefined) throw new Error('no attack');
    attack.run(new Attacker(database, nowMs - 3 * PERIOD_MS, random(index)));
    database.close();
    // The service goes on; a second one starts and sees only table and file.
    const { faults } = await store.seals.seal(nowMs + PERIOD_MS);
    const other = await openAt(folder);
    await other.seals.seal(nowMs + 2 * PERIOD_MS);
    await other.close();
    const findings = await verified(store, nowMs + 2 * PERIOD_MS);
    // A forged next seal is replaced at once, so only the log can name it.
    const logged = faults.filter((fault) => fault.includes('it is replaced'));
    return { attack: attack.what, findings: [...findings, ...logged] };
  } finally {
    await store.close();
  }
}

async function verified(store: Store, nowMs: number): Promise<readonly string[]> {
  const checks: SealCheck[] = [];
  for await (const check of store.seals.verify(null, nowMs)) checks.push(check);
  return checks.flatMap(({ name, finding }) => (finding === 'whole' ? [] : [`${name} ${finding}`]));
}

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function random(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Row = Record<string, SQLInputValue>;

/** What somebody can do who writes the tables and does not have the key. */
class Attacker {
  readonly #database: DatabaseSync;
  readonly #endMs: number;
  readonly next: () => number;

  /** Attacks only what was sealed before `endMs`. */
  constructor(database: DatabaseSync, endMs: number, next: () => number) {
    this.#database = database;
    this.#endMs = endMs;
    this.next = next;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  run(statement: string, ...values: readonly SQLInputValue[]): void {
    const { changes } = this.#database.prepare(statement).run(...values);
    if (changes === 0) throw new Error(`the attack changes nothing: ${statement}`);
  }

  rows(query: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#database.prepare(query).all(...values);
  }

  /** The id of a sealed record. */
  id(): string {
    const { audit_id: id } = this.record();
    return typeof id === 'string' ? id : '';
  }

  record(): Row {
    return this.pick(this.rows('select * from audit where at_ms < ?', this.#endMs));
  }

  seal(): Row {
    return this.pick(this.rows('select * from audit_chain where until_ms < ?', this.#endMs));
  }

  insert(table: string, row: Row): void {
    const columns = Object.keys(row);
    const marks = columns.map(() => '?').join(',');
    this.run(
      `insert into ${table} (${columns.join(',')}) values (${marks})`,
      ...Object.values(row),
    );
  }

  /** Makes the table anew with the same rows and without its primary key. */
  withoutPrimaryKey(): void {
    this.#database.exec('alter table audit rename to audit_before');
    this.#database.exec('create table audit as select * from audit_before');
    this.#database.exec('drop table audit_before');
  }

  /** Changes one column to a value of the same type. */
  change(table: string, key: string, row: Row): void {
    const columns = Object.keys(row).filter(
      (column) => column !== key && column !== 'row_check' && row[column] !== null,
    );
    const column = this.pick(columns);
    this.run(
      `update ${table} set ${column} = ? where ${key} = ?`,
      changed(row[column]),
      row[key] ?? null,
    );
  }
}

function changed(value: SQLInputValue | undefined): SQLInputValue {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  if (value instanceof Uint8Array) return value.map((byte, at) => (at === 3 ? byte ^ 1 : byte));
  throw new Error('a column of another type');
}

const ATTACKS: readonly { readonly what: string; readonly run: (by: Attacker) => void }[] = [
  { what: 'a record changed', run: (by) => by.change('audit', 'audit_id', by.record()) },
  {
    what: 'a record removed',
    run: (by) => by.run('delete from audit where audit_id = ?', by.record()['audit_id'] ?? null),
  },
  {
    what: 'a record added',
    run: (by) => {
      const id = by.id();
      by.insert('audit', {
        ...by.record(),
        audit_id: `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`,
      });
    },
  },
  {
    what: 'a record added at the border of two periods',
    run: (by) => {
      const time = Number(by.seal()['until_ms']).toString(16).padStart(12, '0');
      const audit_id = `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
      by.insert('audit', { ...by.record(), audit_id });
    },
  },
  {
    what: 'a record with an id that is none',
    run: (by) => by.insert('audit', { ...by.record(), audit_id: by.pick(['', 'zz', '0', 'A']) }),
  },
  {
    what: 'a record moved',
    run: (by) => {
      const id = by.id();
      const moved = by.id().slice(0, 13) + `${id.slice(13, -1)}x`;
      by.run('update audit set audit_id = ? where audit_id = ?', moved, id);
    },
  },
  { what: 'a seal changed', run: (by) => by.change('audit_chain', 'number', by.seal()) },
  {
    what: 'a seal removed',
    run: (by) => by.run('delete from audit_chain where number = ?', by.seal()['number'] ?? null),
  },
  {
    what: 'a seal added',
    run: (by) => {
      const number = by.pick([0, -1, 1e6, 1e9]) + 0;
      by.insert('audit_chain', { ...by.seal(), number });
    },
  },
  {
    what: 'a seal put in the place of the next one',
    run: (by) => {
      const { max = 0 } = by.rows('select max(number) as max from audit_chain')[0] ?? {};
      by.insert('audit_chain', { ...by.seal(), number: Number(max) + 1 });
    },
  },
  {
    what: 'a period taken out with its records and its seal, and the others renumbered',
    run: (by) => {
      const { number = 0, from_ms: from = 0, until_ms: until = 0 } = by.seal();
      by.rows('delete from audit where at_ms >= ? and at_ms < ?', from, until);
      by.run('delete from audit_chain where number = ?', number);
      by.rows('update audit_chain set number = -number where number > ?', number);
      by.rows('update audit_chain set number = -number - 1 where number < 0');
    },
  },
  {
    what: 'records changed, and all seals from there on removed',
    run: (by) => {
      const { from_ms: from = 0 } = by.seal();
      by.rows(`update audit set code = 'x' where at_ms >= ?`, from);
      by.run('delete from audit_chain where from_ms >= ?', from);
    },
  },
  {
    what: 'a record changed, and all seals removed',
    run: (by) => {
      by.change('audit', 'audit_id', by.record());
      by.run('delete from audit_chain');
    },
  },
  {
    what: 'a record changed, and the digest of its seal with it',
    run: (by) => {
      const { at_ms: at = 0 } = by.record();
      by.run(`update audit set code = 'x' where at_ms = ?`, at);
      by.run('update audit_chain set digest = seal where from_ms <= ? and until_ms > ?', at, at);
    },
  },
  {
    what: 'the newest records and seals removed',
    run: (by) => {
      const { until_ms: until = 0 } = by.seal();
      by.rows('delete from audit where at_ms >= ?', until);
      by.run('delete from audit_chain where until_ms > ?', until);
    },
  },
  {
    what: 'the oldest records and seals removed',
    run: (by) => {
      const { until_ms: until = 0 } = by.seal();
      by.rows('delete from audit where at_ms < ?', until);
      by.run('delete from audit_chain where until_ms <= ?', until);
    },
  },
  {
    what: 'a seal said to be by another key',
    run: (by) =>
      by.run(
        `update audit_chain set key_id = 'other' where number = ?`,
        by.seal()['number'] ?? null,
      ),
  },
  {
    what: 'a record hidden from lists by a NUL after its team',
    run: (by) =>
      by.run(
        `update audit set team_id = team_id || cast(x'00' as text) where audit_id = ?`,
        by.id(),
      ),
  },
  {
    what: 'a text with bytes after a NUL',
    run: (by) =>
      by.run(
        `update audit set principal = principal || cast(x'00' as text) || 'x' where audit_id = ?`,
        by.id(),
      ),
  },
  {
    what: 'a text as bytes',
    run: (by) =>
      by.run('update audit set action = cast(action as blob) where audit_id = ?', by.id()),
  },
  {
    what: 'a digest as text',
    run: (by) => by.run('update audit set sha256 = lower(hex(sha256)) where audit_id = ?', by.id()),
  },
  {
    what: 'a record added twice, in a table without a primary key',
    run: (by) => {
      by.withoutPrimaryKey();
      const [row = {}] = by.rows(`select * from audit order by audit_id limit 1 offset ${LAST}`);
      by.insert('audit', { ...row, principal: 'user:evil' });
    },
  },
  {
    what: 'a record of now that is dated back',
    run: (by) => {
      const [row = {}] = by.rows('select * from audit order by audit_id desc limit 1');
      const { audit_id: id } = row;
      const at_ms = Number(row['at_ms']) - 200 * DAY_MS;
      const audit_id = typeof id === 'string' ? `${id.slice(0, -4)}ffff` : '';
      by.insert('audit', { ...row, audit_id, at_ms });
    },
  },
  {
    what: 'a record with an id in bytes',
    run: (by) =>
      by.run('update audit set audit_id = cast(audit_id as blob) where audit_id = ?', by.id()),
  },
  {
    what: 'a record without an id',
    run: (by) => {
      by.withoutPrimaryKey();
      by.insert('audit', { ...by.record(), audit_id: null });
    },
  },
  {
    what: 'a daily seal by another key, after the start of the chain',
    run: (by) => {
      const { digest = null, seal = null } = by.seal();
      const day = '2026-01-01';
      const sealed_at_ms = START + DAY_MS;
      by.insert('audit_seals', { day, records: 5, digest, seal, key_id: 'other', sealed_at_ms });
    },
  },
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [days = 3, attacks = 48] = process.argv.slice(2).map(Number);
  const results = await attackSeals(days, attacks);
  const missed = results.filter(({ findings }) => findings.length === 0);
  for (const { attack } of missed) console.error(`not noticed: ${attack}`);
  console.log(`${days} days, ${attacks} attacks: ${missed.length} not noticed`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

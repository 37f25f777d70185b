import { DatabaseSync } from 'node:sqlite';
import { type Connection, createConnection } from 'mysql2/promise';
import { connectionOptions } from '../../src/store/database/mysql.ts';

/*
 * Fills the tables that grow for years, by `insert … select` in blocks. The rows are stand-ins:
 *
 * - nine tenths of the documents are `deleted`, as most are after years, and one in a hundred lives;
 * - the others expired within the last hour, before a sweep. None has a file, so their removal looks
 *   for a file and syncs its folder, but frees nothing;
 * - one third of the audit records is of mode sync, with a digest; half of all is of one team;
 * - the claims of Idempotency-Keys were made two days ago.
 */

export interface Amounts {
  /** Documents, and as many audit records. */
  readonly rows: number;
  /** Of the documents: expired and not swept. */
  readonly expired: number;
  /** Expired claims of Idempotency-Keys. */
  readonly claims: number;
}

/** What the routes ask about. */
export const LARGE_TEAM = 'large';
export const LARGE_TEMPLATE = 'note';

const BLOCK = 100_000;
const DAY_MS = 86_400_000;
const SPAN_MS = 400 * DAY_MS;

/** A database that is filled by an administrator, without the service. */
export interface Target {
  /** Sends one statement. */
  execute(text: string): Promise<void>;
  /** A number per table, by an exact count. */
  count(table: string, where?: string): Promise<number>;
  close(): Promise<void>;
  readonly isSqlite: boolean;
}

/** Opens the database at a URL of the service. */
export async function openTarget(url: string): Promise<Target> {
  return url.startsWith('sqlite:') ? sqliteTarget(url.slice('sqlite:'.length)) : mysqlTarget(url);
}

function sqliteTarget(path: string): Target {
  const database = new DatabaseSync(path, { timeout: 60_000 });
  database.exec('pragma synchronous = off');
  return {
    isSqlite: true,
    execute: async (text) => database.exec(text),
    count: async (table, where = 'true') =>
      Number(database.prepare(`select count(*) as c from ${table} where ${where}`).get()?.['c']),
    close: async () => database.close(),
  };
}

async function mysqlTarget(url: string): Promise<Target> {
  const connection: Connection = await createConnection(connectionOptions(url));
  return {
    isSqlite: false,
    execute: async (text) => {
      await connection.query(text);
    },
    async count(table, where = 'true') {
      const [found] = await connection.query(`select count(*) as c from ${table} where ${where}`);
      const [row] = found as { c: number }[];
      return Number(row?.c);
    },
    close: () => connection.end(),
  };
}

/** Fills the tables; `say` gets a line a table. */
export async function fill(
  target: Target,
  amounts: Amounts,
  say: (line: string) => void,
): Promise<void> {
  const nowMs = Date.now();
  for (const [table, count, values] of [
    ['documents', amounts.rows, documentsOf(target, amounts, nowMs)],
    ['audit', amounts.rows, auditOf(target, amounts.rows, nowMs)],
    ['idempotency', amounts.claims, claimsOf(target, nowMs)],
  ] as const) {
    const startMs = performance.now();
    await fillTable(target, table, count, values);
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    say(`filled ${table}: ${count} rows in ${seconds} s`);
  }
}

/** Adds audit records over 400 days. */
export async function fillAudit(target: Target, rows: number): Promise<void> {
  await fillTable(target, 'audit', rows, auditOf(target, rows, Date.now()));
}

async function fillTable(
  target: Target,
  table: string,
  count: number,
  { columns, select }: Values,
): Promise<void> {
  for (let from = 0; from < count; from += BLOCK) {
    const numbers = numbersOf(target, from, Math.min(count, from + BLOCK) - 1);
    await target.execute(`insert into ${table} (${columns}) ${select} ${numbers}`);
  }
}

/** A table of the numbers, as `n`. MariaDB has an engine for that. */
function numbersOf({ isSqlite }: Target, from: number, to: number): string {
  return isSqlite
    ? `from (with recursive s(n) as (select ${from} union all select n + 1 from s where n < ${to})
        select n from s) as numbers`
    : `from (select seq as n from seq_${from}_to_${to}) as numbers`;
}

interface Values {
  readonly columns: string;
  readonly select: string;
}

/** Twelve hexadecimal digits. */
function hexOf({ isSqlite }: Target, number: string): string {
  return isSqlite ? `printf('%012x', ${number})` : `lpad(lower(hex(${number})), 12, '0')`;
}

function digestOf({ isSqlite }: Target, text: string): string {
  return isSqlite ? 'randomblob(32)' : `unhex(sha2(concat('${text}', n), 256))`;
}

/** A UUIDv7 of this time, and of the row's number. */
function idOf(target: Target, ms: string): string {
  const time = hexOf(target, ms);
  return `concat(substr(${time}, 1, 8), '-', substr(${time}, 9, 4), '-7000-8000-', ${hexOf(target, 'n')})`;
}

/** Half of the rows are of one team, the others of nineteen. */
const TEAM = `case when n % 2 = 0 then '${LARGE_TEAM}' else concat('team', n % 19) end`;
const TEMPLATE = `case when n % 7 = 0 then '${LARGE_TEMPLATE}' else concat('template', n % 50) end`;

function documentsOf(target: Target, { rows, expired }: Amounts, nowMs: number): Values {
  const living = Math.ceil(rows / 100);
  const created = createdOf(rows, nowMs);
  const isLiving = `n >= ${rows - living}`;
  const isExpired = `n >= ${rows - living - expired}`;
  return {
    columns:
      'document_id, team_id, template_id, version, sha256, bytes, pages, protected,' +
      ' created_at_ms, expires_at_ms, state',
    select: `select ${idOf(target, created)}, ${TEAM}, ${TEMPLATE}, 1 + n % 9,
      ${digestOf(target, 'd')}, 9000 + n % 5000, 1 + n % 3, 0, ${created},
      case when ${isLiving} then ${nowMs + 30 * DAY_MS}
        when ${isExpired} then ${nowMs - 3_600_000} + n % 3000000
        else ${created} + ${30 * DAY_MS} end,
      case when ${isExpired} then 0 else 2 end`,
  };
}

/** The times of creation, one after the other, over more than a year. */
function createdOf(rows: number, nowMs: number): string {
  const stepMs = Math.max(1, Math.floor(SPAN_MS / rows));
  return `(${nowMs - rows * stepMs - 7_200_000} + n * ${stepMs})`;
}

function auditOf(target: Target, rows: number, nowMs: number): Values {
  const at = createdOf(rows, nowMs);
  const isSync = 'n % 3 = 0';
  return {
    columns:
      'audit_id, at_ms, request_id, team_id, principal, action, outcome, code, template_id,' +
      ' version, document_id, mode, pages, bytes, duration_ms, sha256',
    select: `select ${idOf(target, at)}, ${at}, concat('request-', n), ${TEAM},
      concat('key:', n % 40), 'generate', case when n % 50 = 0 then 'failed' else 'succeeded' end,
      '', ${TEMPLATE}, 1 + n % 9, case when ${isSync} then '' else ${idOf(target, at)} end,
      case when ${isSync} then 'sync' else 'async' end, 1 + n % 3, 9000 + n % 5000, 5 + n % 40,
      case when ${isSync} then ${digestOf(target, 'a')} else null end`,
  };
}

function claimsOf(target: Target, nowMs: number): Values {
  const claimed = `(${nowMs - 2 * DAY_MS} - n)`;
  return {
    columns: 'team_id, key_digest, body_hash, document_id, owner, lease_until_ms, claimed_at_ms',
    select: `select ${TEAM}, ${digestOf(target, 'k')}, ${digestOf(target, 'b')},
      ${idOf(target, claimed)}, ${idOf(target, claimed)}, ${claimed} + 30000, ${claimed}`,
  };
}

import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import type { Test } from 'tap';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import type { SealCheck } from '../../src/store/seals/types.ts';
import type { Store } from '../../src/store/store.ts';
import { type StorePlace, overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 10, 12);
/** By then the day of `NOON` is over, and so is the grace period for late records. */
const LATER = NOON + DAY_MS;
const KEY = 'k'.repeat(32);

async function execute({ name, databaseUrl }: StorePlace, statement: string): Promise<void> {
  if (name === 'sqlite') {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
    database.exec(statement);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(databaseUrl));
  await connection.query(statement);
  await connection.end();
}

async function addDays(store: Store, ...days: readonly number[]): Promise<void> {
  for (const day of days) {
    const atMs = NOON + day * DAY_MS;
    const sha256 = 'ab'.repeat(32);
    await store.audit.add(newAudit('', { atMs, requestId: `day ${day}`, sha256 }));
    await store.audit.add(newAudit('d1', { atMs, requestId: 'ธนาคาร', version: null }));
  }
}

async function findings(store: Store, nowMs = LATER): Promise<Record<string, string>> {
  const checks: SealCheck[] = [];
  for await (const check of store.seals.verify(null, nowMs)) checks.push(check);
  return Object.fromEntries(checks.map(({ day, finding }) => [day.slice(5), finding]));
}

/** Seals four days, the third of which has no record; then runs `statement` and verifies. */
async function afterwards(
  t: Test,
  place: StorePlace,
  statement: string | null,
): Promise<Record<string, string>> {
  const store = await place.open(t, { auditKey: KEY });
  await addDays(store, -3, -2, 0);
  t.equal((await store.seals.sealDays(LATER)).length, 4);
  if (statement !== null) await execute(place, statement);
  return findings(store);
}

const WHOLE = { '11-07': 'whole', '11-08': 'whole', '11-09': 'whole', '11-10': 'whole' };

/** A change of the database behind the service's back, and the findings that report it. */
interface ChangeCase {
  readonly what: string;
  readonly statement: string | null;
  /** The findings of the sealed days that are not whole. */
  readonly reported: Readonly<Record<string, string>>;
  /** The days listed: the four sealed ones, and a fifth if a record was moved there. */
  readonly daysListed: 4 | 5;
}

await overDialects('seals of the audit', async (t, newPlace) => {
  await t.test('a day that is over is sealed once, although two instances try', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    t.strictSame(await store.seals.sealDays(LATER), [], 'nothing to seal');
    await addDays(store, 0);
    const endMs = NOON + DAY_MS / 2;
    t.strictSame(await store.seals.sealDays(endMs + 7_199_999), [], 'records may still come');
    const other = await place.open(t, { auditKey: KEY });
    const made = await Promise.all([
      store.seals.sealDays(endMs + 7_200_000),
      other.seals.sealDays(endMs + 7_200_000),
    ]);
    t.match(made.flat(), [{ day: '2026-11-10', records: 2, seal: /^[0-9a-f]{64}$/ }]);
    t.strictSame(await findings(store), { '11-10': 'whole' });
    t.strictSame(await findings(store, LATER + DAY_MS), {
      '11-10': 'whole',
      '11-11': 'not sealed',
    });
    await addDays(store, 1);
    t.equal((await other.seals.sealDays(LATER + DAY_MS)).length, 1);
    t.strictSame(await findings(store), { '11-10': 'whole', '11-11': 'whole' });
  });

  const cases: readonly ChangeCase[] = [
    { what: 'nothing', statement: null, reported: {}, daysListed: 4 },
    {
      what: 'a changed cell',
      statement: `update audit set code = 'x' where request_id = 'day -2'`,
      reported: { '11-08': 'records changed' },
      daysListed: 4,
    },
    {
      what: 'a deleted record',
      statement: `delete from audit where request_id = 'day -3'`,
      reported: { '11-07': 'records changed' },
      daysListed: 4,
    },
    {
      what: 'a record moved to another day',
      statement: `update audit set audit_id = replace(audit_id, substr(audit_id, 1, 4), '0199') where request_id = 'day 0'`,
      reported: { '11-10': 'records changed' },
      daysListed: 5,
    },
    {
      what: 'a seal that fits the records, made without the key',
      statement: `update audit_seals set seal = digest where day = '2026-11-08'`,
      reported: { '11-08': 'seal changed', '11-09': 'seal changed' },
      daysListed: 4,
    },
    {
      what: 'a deleted seal',
      statement: `delete from audit_seals where day = '2026-11-08'`,
      reported: { '11-08': 'not sealed', '11-09': 'the day before is missing' },
      daysListed: 4,
    },
  ];
  for (const { what, statement, reported, daysListed } of cases) {
    await t.test(`verifying reports ${what}`, async (t) => {
      const found = await afterwards(t, await newPlace(), statement);
      const sealedDays = Object.entries(found).filter(([day]) => day in WHOLE);
      t.strictSame(Object.fromEntries(sealedDays), { ...WHOLE, ...reported });
      t.equal(Object.keys(found).length, daysListed, 'each day with records is listed');
    });
  }

  await t.test('seals made again after a change differ from those in the log', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    await addDays(store, -1, 0);
    const before = await store.seals.sealDays(LATER);
    await execute(place, 'delete from audit_seals');
    await execute(place, `update audit set code = 'x' where request_id = 'day -1'`);
    const after = await store.seals.sealDays(LATER);
    t.strictSame(await findings(store), { '11-09': 'whole', '11-10': 'whole' });
    t.not(after[0]?.seal, before[0]?.seal);
    t.not(after[1]?.seal, before[1]?.seal, 'the days after it, too');
  });

  await t.test(
    'another key does not count as a changed seal, a new column does not change one',
    async (t) => {
      const place = await newPlace();
      t.strictSame(await afterwards(t, place, 'alter table audit add column later integer'), WHOLE);
      const other = await place.open(t, { auditKey: 'o'.repeat(32) });
      t.match(await findings(other), { '11-07': 'sealed with another key' });
    },
  );
});

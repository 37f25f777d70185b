import { DatabaseSync } from 'node:sqlite';
import { createHash, createHmac } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import tap from 'tap';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { openStore } from '../../src/store/open.ts';
import type { SealCheck } from '../../src/store/seals/types.ts';
import type { Store } from '../../src/store/store.ts';
import { fillAudit, openTarget } from '../large/fill.ts';
import { type StorePlace, overDialects } from './dialects.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { newAudit } from './samples.ts';
import { attackSeals } from './seal-attacks.ts';

const MINUTE_MS = 60_000;
const PERIOD_MS = 20 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** The last minutes of a month, so that periods lie on both sides of its border. */
const START = Date.UTC(2026, 9, 31, 23, 20);
const KEY = 'k'.repeat(32);
const BACKLOG_ROWS = 30_000;

async function execute({ name, databaseUrl }: StorePlace, statement: string): Promise<void> {
  if (name === 'sqlite') {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 60_000 });
    database.exec(statement);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(databaseUrl));
  await connection.query(statement);
  await connection.end();
}

/** Adds two records in the middle of the period with this index. */
async function addIn(store: Store, period: number): Promise<void> {
  const atMs = START + period * PERIOD_MS + 10 * MINUTE_MS;
  const sha256 = 'ab'.repeat(32);
  await store.audit.add(newAudit('', { atMs, requestId: `period ${period}`, sha256 }));
  await store.audit.add(newAudit('d1', { atMs, requestId: 'ธนาคาร', version: null }));
}

/** When the period with this index may be sealed. */
const dueMs = (period: number): number => START + (period + 1) * PERIOD_MS + 30 * MINUTE_MS;

/** Adds records to periods 0, 1 and 3, and seals each of the four when it is due. */
async function sealFour(store: Store): Promise<void> {
  for (const period of [0, 1, 3]) await addIn(store, period);
  for (const period of [0, 1, 2, 3]) await store.seals.seal(dueMs(period));
}

async function findings(
  store: Store,
  nowMs = dueMs(3),
  sinceMs: number | null = null,
): Promise<Record<string, string>> {
  const checks: SealCheck[] = [];
  for await (const check of store.seals.verify(sinceMs, nowMs)) checks.push(check);
  return Object.fromEntries(checks.map(({ name, finding }) => [name, finding]));
}

const WHOLE = { '1': 'whole', '2': 'whole', '3': 'whole', '4': 'whole' };

/** A change of the database behind the service's back, and the findings that report it. */
interface ChangeCase {
  readonly what: string;
  readonly statement: string;
  readonly reported: Readonly<Record<string, string>>;
}

const CASES: readonly ChangeCase[] = [
  {
    what: 'a changed cell',
    statement: `update audit set code = 'x' where request_id = 'period 1'`,
    reported: { '2': 'records changed' },
  },
  {
    what: 'a deleted record',
    statement: `delete from audit where request_id = 'period 0'`,
    reported: { '1': 'records changed' },
  },
  {
    what: 'a record moved to another period',
    statement: `update audit set audit_id = replace(audit_id, substr(audit_id, 1, 4), '0100') where request_id = 'period 3'`,
    reported: {
      '1': 'records changed',
      '4': 'records changed',
      'records with two times': 'dated otherwise',
    },
  },
  {
    what: 'a seal made without the key',
    statement: 'update audit_chain set seal = digest where number = 2',
    reported: { '2': 'seal changed', '3': 'the seal before is missing' },
  },
  {
    what: 'a seal said to have been made earlier',
    statement: 'update audit_chain set sealed_at_ms = sealed_at_ms - 1 where number = 2',
    reported: { '2': 'seal changed', '3': 'the seal before is missing' },
  },
  {
    what: 'a deleted seal',
    statement: 'delete from audit_chain where number = 2',
    reported: { '2': 'seal missing', '3': 'the seal before is missing' },
  },
];

await overDialects('seals of the audit', async (t, newPlace) => {
  await t.test('a period is sealed once, although two instances try', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    t.match(
      await store.seals.seal(dueMs(0)),
      { sealed: null, faults: { length: 0 } },
      'nothing to seal',
    );
    await addIn(store, 0);
    t.match(await store.seals.seal(dueMs(0) - 1), { sealed: null }, 'records may still come');
    const other = await place.open(t, { auditKey: KEY });
    const made = await Promise.all([store.seals.seal(dueMs(0)), other.seals.seal(dueMs(0))]);
    const sealed = made.flatMap((sealing) => sealing.sealed ?? []);
    t.match(sealed, [{ number: 1, records: 2, untilMs: START + PERIOD_MS, sealedAtMs: dueMs(0) }]);
    t.strictSame(
      made.flatMap(({ faults }) => faults),
      [],
    );
    t.strictSame(await findings(store, dueMs(0)), { '1': 'whole' });
    t.match(await other.seals.seal(dueMs(1)), { sealed: { number: 2, records: 0 } });
    t.match(await store.seals.seal(dueMs(1)), { sealed: null, faults: { length: 0 } });
    t.strictSame(await findings(store, dueMs(1)), { '1': 'whole', '2': 'whole' });
  });

  await t.test('a backlog of years is sealed in parts', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    const target = await openTarget(place.databaseUrl);
    await fillAudit(target, BACKLOG_ROWS);
    await target.close();
    const seal = async (): Promise<number | undefined> =>
      (await store.seals.seal(Date.now())).sealed?.records;
    const first = (await seal()) ?? 0;
    t.ok(first > 0 && first < BACKLOG_ROWS, `${first} of ${BACKLOG_ROWS} records`);
    t.equal(await seal(), BACKLOG_ROWS - first, 'the others');
    t.equal(await seal(), undefined);
    t.match(await findings(store, Date.now()), { '1': 'whole', '2': 'whole' });
  });

  await t.test('what is not sealed within the hour is reported', async (t) => {
    const store = await (await newPlace()).open(t, { auditKey: KEY });
    await sealFour(store);
    await addIn(store, 4);
    t.strictSame(await findings(store, dueMs(4)), WHOLE, 'the last period waits for its seal');
    const late = START + 4 * PERIOD_MS + 61 * MINUTE_MS;
    t.strictSame(await findings(store, late), { ...WHOLE, '-': 'not sealed' });
    await store.seals.seal(late);
    t.strictSame(await findings(store, late), { ...WHOLE, '5': 'sealed late' });
    t.strictSame(await findings(store, late, START + 4.5 * PERIOD_MS), { '5': 'sealed late' });
  });

  for (const { what, statement, reported } of CASES) {
    await t.test(`verifying reports ${what}`, async (t) => {
      const place = await newPlace();
      const store = await place.open(t, { auditKey: KEY });
      await sealFour(store);
      t.strictSame(await findings(store), WHOLE);
      await execute(place, statement);
      t.strictSame(await findings(store), { ...WHOLE, ...reported });
    });
  }

  await t.test('a period is never sealed again, although its seals are removed', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    await sealFour(store);
    await execute(place, 'delete from audit_chain where number >= 2');
    await execute(place, `update audit set code = 'x' where request_id = 'period 1'`);
    // A restarted service knows of the seals by the file store alone.
    const restarted = await place.open(t, { auditKey: KEY });
    const { sealed, faults } = await restarted.seals.seal(dueMs(4));
    t.match(sealed, { number: 5, fromMs: START + 4 * PERIOD_MS });
    t.match(faults, [/3 of 4 seals are missing/]);
    t.equal(restarted.figures().seals.missing, 3);
    t.strictSame(await findings(restarted, dueMs(4)), {
      '1': 'whole',
      '2-4': 'seal missing',
      '5': 'the seal before is missing',
    });
  });

  await t.test('a forged next seal does not stop the service', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    await sealFour(store);
    await execute(
      place,
      `insert into audit_chain (number, from_ms, until_ms, records, digest, previous, sealed_at_ms,
        seal, key_id) select 5, from_ms, until_ms, records, digest, previous, sealed_at_ms,
        seal, key_id from audit_chain where number = 4`,
    );
    t.strictSame(await findings(store), { ...WHOLE, '5': 'seal changed' });
    const { sealed, faults } = await store.seals.seal(dueMs(4));
    t.match(sealed, { number: 5, fromMs: START + 4 * PERIOD_MS });
    t.match(faults, [/seal 5 of the table was not made with this key; it is replaced/]);
    t.strictSame(await findings(store, dueMs(4)), { ...WHOLE, '5': 'whole' });
  });

  await t.test('a job that began before the last seal leaves a record after it', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    await sealFour(store);
    await addIn(store, 1);
    t.strictSame(await findings(store), WHOLE);
    const [late] = await store.audit.list({ countMax: 1, newestFirst: true });
    t.equal(late?.atMs, START + PERIOD_MS + 10 * MINUTE_MS, 'the record has its own time');
    await store.seals.seal(dueMs(4));
    const fifth = await store.seals.seal(dueMs(5));
    t.match(fifth.sealed, { number: 6, records: 2 }, 'and a later seal covers it');
  });

  await t.test('another key does not count as a changed seal, a new column neither', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    await sealFour(store);
    await execute(place, 'alter table audit add column later integer');
    t.strictSame(await findings(store), WHOLE);
    const other = await place.open(t, { auditKey: 'o'.repeat(32) });
    t.match(await other.seals.seal(dueMs(4)), { sealed: { number: 5 }, faults: { length: 0 } });
    t.match(await findings(other, dueMs(4)), { '1': 'sealed with another key', '5': 'whole' });
    t.strictSame(await findings(other, dueMs(4), dueMs(2)), { '5': 'whole' }, 'since the change');
  });

  await t.test('days that an earlier version sealed stay verifiable', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { auditKey: KEY });
    const noon = Date.UTC(2026, 9, 29, 12);
    for (const day of [0, 1]) {
      await store.audit.add(newAudit('', { atMs: noon + day * DAY_MS, requestId: `day ${day}` }));
    }
    await sealDays(place, store, ['2026-10-29', '2026-10-30']);
    await addIn(store, 0);
    const days = { '2026-10-29': 'whole', '2026-10-30': 'whole' };
    t.match(await store.seals.seal(dueMs(0)), {
      sealed: { number: 1, fromMs: Date.UTC(2026, 9, 31), records: 2 },
    });
    t.strictSame(await findings(store, dueMs(0)), { ...days, '1': 'whole' });
    await execute(place, `update audit set code = 'x' where request_id = 'day 1'`);
    t.match(await findings(store, dueMs(0)), { ...days, '2026-10-30': 'records changed' });
    await execute(place, `delete from audit_seals where day = '2026-10-30'`);
    t.match(await findings(store, dueMs(0)), { '1': 'records changed' });
  });
});

/** Seals days as versions before the chain did. */
async function sealDays(place: StorePlace, store: Store, days: readonly string[]): Promise<void> {
  const records = await store.audit.list({ countMax: 100 });
  const keyId = createHash('sha256').update(`intaglio audit key\0${KEY}`).digest('hex').slice(0, 8);
  let previous = '';
  for (const day of days) {
    const ofDay = records.filter(({ atMs }) => new Date(atMs).toISOString().startsWith(day));
    const lines = ofDay.map((record) => {
      const cells = {
        action: record.action,
        at_ms: record.atMs,
        audit_id: record.auditId,
        bytes: record.bytes,
        duration_ms: record.durationMs,
        mode: record.mode,
        outcome: record.outcome,
        pages: record.pages,
        principal: record.principal,
        request_id: record.requestId,
        team_id: record.teamId,
        template_id: record.templateId,
        version: record.version,
      };
      return `${JSON.stringify(Object.entries(cells).map(([name, cell]) => [name, String(cell)]))}\n`;
    });
    const digest = createHash('sha256').update(lines.join('')).digest('hex');
    const text = ['intaglio audit', previous, day, ofDay.length, digest].join('\0');
    previous = createHmac('sha256', KEY).update(text).digest('hex');
    await execute(
      place,
      `insert into audit_seals (day, records, digest, seal, key_id, sealed_at_ms) values ('${day}', ${ofDay.length}, X'${digest}', X'${previous}',
        '${keyId}', 0)`,
    );
  }
}

tap.test('a file that holds no seal stops the sealing, a lost one does not', async (t) => {
  const folder = t.testdir();
  const settings = {
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
    auditKey: KEY,
  };
  const store = await openStore(settings);
  await store.migrate();
  await sealFour(store);
  const file = join(folder, 'files', '.audit-seal');
  await writeFile(file, '{}');
  const restarted = await openStore(settings);
  t.match(await restarted.seals.seal(dueMs(4)), { sealed: null, faults: [/holds no seal/] });
  t.match(await findings(restarted), { 'file store': 'the remembered seal was changed' });
  await restarted.close();
  t.match(await store.seals.seal(dueMs(4)), { sealed: { number: 5 }, faults: [/holds no seal/] });
  await rm(file);
  t.match(await findings(store), { 'file store': 'the remembered seal is gone' });
  const third = await openStore(settings);
  t.match(await third.seals.seal(dueMs(5)), {
    sealed: { number: 6 },
    faults: [/has no .audit-seal/],
  });
  t.match(await third.seals.seal(dueMs(6)), { sealed: { number: 7 }, faults: { length: 0 } });
  await third.close();
  await store.close();
});

tap.test('object storage remembers the last seal', async (t) => {
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const databaseUrl = `sqlite:${t.testdir()}/intaglio.db`;
  const store = await openStore({ databaseUrl, filesUrl: s3.url, auditKey: KEY });
  t.teardown(() => store.close());
  await store.migrate();
  await addIn(store, 0);
  t.match(await store.seals.seal(dueMs(0)), { sealed: { number: 1 }, faults: { length: 0 } });
  t.ok([...s3.objects.keys()].some((key) => key.endsWith('.audit-seal')));
  t.match(await store.seals.seal(dueMs(1)), { sealed: { number: 2 }, faults: { length: 0 } });
  t.strictSame(await findings(store, dueMs(1)), { '1': 'whole', '2': 'whole' });
});

tap.test('whoever has the database and not the key changes nothing unseen', async (t) => {
  for (const { attack, findings: found } of await attackSeals(1, 26)) {
    t.not(found.length, 0, attack);
  }
});

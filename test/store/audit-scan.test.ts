import { join } from 'node:path';
import t from 'tap';
import { type AuditFilter, auditing, auditRow } from '../../src/store/audit.ts';
import { Commits, RHYTHM } from '../../src/store/database/commits.ts';
import { Database } from '../../src/store/database/database.ts';
import type { NewAudit } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { newAudit } from './samples.ts';

const SCANNED_MAX = 20_000;
const TURN_RECORDS_MAX = 1_000;

const RECORDS = SCANNED_MAX + 1_250;
const BATCH = 500;
const WAIT_MS = 60_000;

/** Most are generations; some are sessions, a few of them denied, and two are of something rare. */
function recordOf(n: number): NewAudit {
  const action = n % 10_007 === 5 ? 'keys.create' : n % 40 === 0 ? 'sessions.open' : 'generate';
  const outcome = n % 1_000 === 0 ? 'denied' : 'succeeded';
  const code = n % 3_000 === 0 ? 'not_found' : '';
  return newAudit('', { atMs: 1_700_000_000_000 + n, requestId: String(n), action, outcome, code });
}

type Wanted = Omit<AuditFilter, 'newestFirst'>;

/** The filters, and what a record needs to fulfil each. */
const SEARCHES: readonly (readonly [Wanted, (record: NewAudit) => boolean])[] = [
  [{ countMax: 50, action: 'keys.create' }, ({ action }) => action === 'keys.create'],
  [{ countMax: 50, action: 'runs.delete' }, () => false],
  [{ countMax: 7, outcome: 'denied' }, ({ outcome }) => outcome === 'denied'],
  [{ countMax: 50, without: 'generate' }, ({ action }) => action !== 'generate'],
  [
    { countMax: 4, outcome: 'denied', hidesForeign: true },
    ({ outcome, code }) => outcome === 'denied' && code !== 'not_found',
  ],
  [
    { countMax: 200, hidesForeign: true },
    ({ outcome, code }) => outcome !== 'denied' || code === '',
  ],
];

t.test('a search of audit records scans few in a turn, and finds the same', async (t) => {
  const database = new Database({
    url: `sqlite:${join(await temporaryFolder(t), 'intaglio.db')}`,
    connectionsMax: 1,
    connectTimeoutMs: WAIT_MS,
    statementTimeoutMs: WAIT_MS,
    allowUnsafeCommits: false,
  });
  t.teardown(() => database.close());
  await database.migrate();
  const rows = Array.from({ length: RECORDS }, (_, n) => auditRow(database, recordOf(n)));
  for (let at = 0; at < RECORDS; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    await database.write((db) => db.insertInto('audit').values(batch).execute());
  }
  const ids = rows.map(({ audit_id }) => audit_id).toReversed();

  // Each statement that looks for a bound tells how far the scan has come, and in which turn.
  let turn = 0;
  let from = 0;
  let scannedIn = new Map<number, number>();
  const readUncompared = database.readUncompared.bind(database);
  database.readUncompared = async (work) => {
    const row = await readUncompared(work);
    const id = Object(row).audit_id as string | undefined;
    const to = id === undefined ? RECORDS : ids.indexOf(id) + 1;
    scannedIn.set(turn, (scannedIn.get(turn) ?? 0) + to - from);
    from = to;
    return row;
  };
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  t.teardown(() => (isOver = true));

  const commits = new Commits(database, {
    batchMax: 1,
    waitingMax: 1,
    upstream: () => 'idle',
    rhythm: RHYTHM,
  });
  const audit = auditing(database, commits);
  let mostInTurn = 0;
  let mostInAll = 0;
  for (const [filter, fulfils] of SEARCHES) {
    const found = ids.filter((_, index) => fulfils(recordOf(RECORDS - 1 - index)));
    const isFound = new Set(found);
    const listed: string[] = [];
    let after: string | undefined;
    for (let pages = 0; ; pages += 1) {
      const start = after === undefined ? 0 : ids.indexOf(after) + 1;
      [from, scannedIn] = [start, new Map()];
      const page = await audit.page({ ...filter, ...(after === undefined ? {} : { after }) });
      mostInTurn = Math.max(mostInTurn, ...scannedIn.values());
      mostInAll = Math.max(mostInAll, from - start);
      const within = ids.slice(start, start + SCANNED_MAX).filter((id) => isFound.has(id));
      const expected = within.slice(0, filter.countMax);
      const full = expected.length === filter.countMax ? expected.at(-1) : undefined;
      t.strictSame(
        page.records.map(({ auditId }) => auditId),
        expected,
      );
      t.equal(page.next, full ?? ids[start + SCANNED_MAX - 1] ?? null, 'the cursor');
      listed.push(...expected);
      if (page.next === null || pages === 5) break;
      after = page.next;
    }
    if (found.length <= 5 * filter.countMax) t.strictSame(listed, found);
  }
  t.equal(mostInTurn, TURN_RECORDS_MAX);
  t.equal(mostInAll, SCANNED_MAX);
});

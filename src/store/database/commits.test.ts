import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import { Commits, type CommitEntry, type Rhythm, type Upstream } from './commits.ts';
import type { Database } from './database.ts';
import { Miscount } from './script.ts';

const BATCH_MAX = 10;
/** Slower than any machine stands still. */
const SLOW: Rhythm = {
  intervalMs: { idle: 0, busy: 200, laden: 400, backlogged: 600 },
  concurrentMs: 5_000,
};

interface Scene {
  readonly commits: Commits;
  /** Audit ids of each transaction, in order. */
  readonly batches: (readonly unknown[])[];
  set(this: void, upstream: Upstream): void;
}

/** A `Commits` over a database that commits within a turn of the event loop. */
function sceneOf(): Scene {
  const batches: (readonly unknown[])[] = [];
  let upstream: Upstream = 'busy';
  const database: Pick<Database, 'commitGroup' | 'read'> = {
    commitGroup: async (statements) => {
      batches.push(statements.flatMap(({ parameters }) => parameters.filter(isId)));
      await pause(0);
    },
    read: () => Promise.reject(new Error('nothing is in doubt')),
  };
  const settings = { batchMax: BATCH_MAX, waitingMax: 100, upstream: () => upstream, rhythm: SLOW };
  return {
    commits: new Commits(database, settings),
    batches,
    set: (state) => {
      upstream = state;
    },
  };
}

const isId = (cell: unknown): boolean => typeof cell === 'string' && cell.startsWith('id');

function entry(n: number): CommitEntry {
  const audit = {
    audit_id: `id${n}`,
    at_ms: 0,
    request_id: '',
    team_id: '',
    principal: '',
    action: 'generate',
    outcome: 'ok',
    code: '',
    template_id: '',
    version: null,
    document_id: '',
    mode: '',
    pages: null,
    bytes: null,
    duration_ms: 0,
    sha256: null,
    signer: null,
    certificate_serial: null,
    draft: null,
    contributors: null,
    detail: null,
  } as const;
  return { audit, document: null, claim: null };
}

/** Commits two concurrent entries, so that the interval applies afterwards. */
async function busyFor(commits: Commits): Promise<void> {
  await Promise.all([commits.add(entry(1)), commits.add(entry(2))]);
}

async function timed(done: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await done;
  return performance.now() - startMs;
}

t.test('a single entry is committed at once', async (t) => {
  const { commits, batches, set } = sceneOf();
  for (const upstream of ['idle', 'busy', 'laden', 'backlogged'] as const) {
    set(upstream);
    await commits.add(entry(1));
  }
  t.same(batches, [['id1'], ['id1'], ['id1'], ['id1']]);
});

t.test('concurrent entries within an interval share a commit', async (t) => {
  await atSomePace(t, async () => {
    const { commits, batches } = sceneOf();
    await busyFor(commits);
    const early = commits.add(entry(3));
    await pause(0);
    const late = commits.add(entry(4));
    await Promise.all([early, late]);
    const made = JSON.stringify(batches);
    return made === '[["id1","id2"],["id3","id4"]]' ? '' : made;
  });
});

t.test('while work waits upstream, commits wait for more, but not for long', async (t) => {
  await atSomePace(t, async () => {
    const { commits, batches, set } = sceneOf();
    await busyFor(commits);
    set('backlogged');
    const early = commits.add(entry(3));
    await pause(300);
    const late = commits.add(entry(4));
    const tookMs = await timed(Promise.all([early, late]));
    // This is later than the interval for `busy`.
    const made = JSON.stringify(batches);
    const isRight = made === '[["id1","id2"],["id3","id4"]]' && tookMs < 3_000;
    return isRight ? '' : `${made} after ${tookMs} ms`;
  });
});

t.test('when nothing else is under way, waiting entries are committed at once', async (t) => {
  await atSomePace(t, async () => {
    const { commits, batches, set } = sceneOf();
    await busyFor(commits);
    set('backlogged');
    const first = commits.add(entry(3));
    // Now its batch is waiting for more entries.
    await nextTurn();
    set('idle');
    const early = batches.length;
    const last = commits.add(entry(4));
    // The test waits for turns of the event loop, not for milliseconds.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const soon = batches.length;
    await Promise.all([first, last]);
    const made = JSON.stringify([early, soon, ...batches]);
    return made === '[1,2,["id1","id2"],["id3","id4"]]' ? '' : made;
  });
});

t.test('a full batch does not wait', async (t) => {
  const { commits, batches, set } = sceneOf();
  await busyFor(commits);
  set('backlogged');
  const added = Array.from({ length: BATCH_MAX + 1 }, (_, n) => commits.add(entry(n)));
  await Promise.all(added);
  t.same(
    batches.map((batch) => batch.length),
    [2, BATCH_MAX, 1],
  );
});

t.test('entries beyond the limit are refused; settled waits for the others', async (t) => {
  const { commits, set } = sceneOf();
  await busyFor(commits);
  set('backlogged');
  const added = Array.from({ length: 101 }, (_, n) => commits.add(entry(n)));
  const results = await Promise.allSettled(added);
  t.equal(results.filter(({ status }) => status === 'rejected').length, 1);
  const last = commits.add(entry(1));
  let isDone = false;
  void last.then(() => (isDone = true));
  await commits.settled();
  t.ok(isDone);
});

t.test(
  'an entry whose statement changes no row is rejected, and the others are stored',
  async (t) => {
    const stored: unknown[] = [];
    const commits = new Commits(
      {
        commitGroup: async (statements) => {
          const bad = statements.findIndex(({ sql }) => sql === 'bad');
          if (bad !== -1) throw new Miscount(bad);
          stored.push(statements.map(({ sql }) => (sql.startsWith('insert') ? 'audit' : sql)));
          await pause(0);
        },
        read: () => Promise.reject(new Error('nothing is in doubt')),
      },
      { batchMax: BATCH_MAX, waitingMax: 100, upstream: () => 'busy', rhythm: SLOW },
    );
    const scripted = (n: number, ...texts: string[]): Promise<void> =>
      commits.add({
        ...entry(n),
        script: texts.map((sql) => ({ sql, parameters: [], changes: 1 })),
      });
    const results = await Promise.allSettled([
      commits.add(entry(1)),
      scripted(2, 'a', 'bad'),
      scripted(3, 'b', 'c'),
    ]);
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    t.type(results[1]?.status === 'rejected' ? results[1].reason : null, Miscount);
    t.same(stored, [['audit', 'b', 'c']]);
  },
);

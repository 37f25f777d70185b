import t from 'tap';
import {
  chooseJob,
  decide,
  type History,
  type JobView,
  kindOf,
  type Openings,
  type Queues,
  type RendererView,
  type TaskKind,
} from './schedule.ts';

/** Time of each decision; jobs came 10 ms before unless a row says otherwise. */
const NOW_MS = 100_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

interface FakeJob extends JobView {
  readonly name: string;
}

/** `usual`, `slow b`, `preview old`: kind, caller (`a` by default), and whether it is due. */
function jobOf(text: string): FakeJob {
  const [kind = '', ...words] = text.split(' ');
  const key = words.find((word) => /^[a-z]$/.test(word)) ?? 'a';
  const waitedMs = words.includes('old') ? 5_000 : 10;
  return {
    name: text,
    kind: kind as TaskKind,
    key,
    team: key,
    pair: key,
    submittedAtMs: NOW_MS - waitedMs,
    canBeReclaimed: !words.includes('large'),
    isPlainCheck: kind === 'check',
  };
}

interface FakeRenderer extends RendererView<FakeJob> {
  readonly number: number;
}

/** A renderer with these jobs, the oldest first. `has draft`: it keeps the draft of previews. */
function rendererOf(number: number, jobs: readonly string[]): FakeRenderer {
  const held = jobs.filter((job) => job !== 'has draft').map(jobOf);
  return {
    number,
    first: held[0] ?? null,
    held: held.length,
    heldMax: 8,
    isIdle: held.length === 0,
    isLong: held[0]?.name.includes('old') ?? false,
    paceMs: 1,
    prefetchMs: 3,
    holdsOf: (key) => held.some((job) => job.key === key),
    holdsOfTeam: (team) => held.some((job) => job.team === team && job.kind !== 'run'),
    hasCompiled: () => jobs.includes('has draft'),
  };
}

/** Jobs that wait, in the order of their charges. */
function waitingOf(
  texts: readonly string[],
  changes: Partial<History> = {},
): Queues<FakeJob> & History & { isEmpty: boolean; next(open: Openings): FakeJob | undefined } {
  const jobs = texts.map(jobOf);
  const waiting = {
    usualAtMs: NOW_MS - 100,
    othersTaken: 0,
    lastAtMs: () => LONG_AGO,
    averageMs: () => 1,
    otherUsualAtMs: () => NOW_MS - 100,
    otherShortAtMs: () => NOW_MS - 100,
    ...changes,
    oldest: (kind: TaskKind) => jobs.find((job) => job.kind === kind),
    cheapest: (mayRun: (job: FakeJob) => boolean) => jobs.find(mayRun),
    cheapestSuspect: () => jobs.find(({ kind }) => kind === 'suspect'),
    nextRun: () => jobs.find(({ kind }) => kind === 'run'),
    isEmpty: jobs.length === 0,
    next: (open: Openings) => chooseJob(waiting, open, NOW_MS),
  };
  return waiting;
}

/** A name for each decision: `usual a → 1`, `2 → 0`, `rest`, `rest, rows leave`. */
function decided(
  renderers: readonly (readonly string[])[],
  waiting: ReturnType<typeof waitingOf>,
  { threads = renderers.length, isLoading = false, mayMove = true } = {},
): string {
  const views = renderers.map((jobs, number) => rendererOf(number, jobs));
  const state = { renderers: views, threads, isLoading, waiting, mayMove };
  const step = decide(state, NOW_MS);
  switch (step.kind) {
    case 'give':
      return `${step.job.name} → ${step.renderer.number}`;
    case 'move':
      return `${step.from.map(({ number }) => number).join(', ')} → ${step.to.number}`;
    case 'rest':
      return step.isWanted ? 'rest, rows leave' : 'rest';
  }
}

const FULL = ['usual b', 'usual b', 'usual b', 'usual b'];

/** What renderers hold, what waits, and what is decided. */
const CASES: readonly (readonly [string, readonly (readonly string[])[], string[], string])[] = [
  ['nothing waits', [[], []], [], 'rest'],
  ['an idle renderer takes a job', [['usual b'], []], ['usual'], 'usual → 1'],
  ['a busy one prefetches it', [['usual b'], ['usual b']], ['usual'], 'usual → 0'],
  ['the one that holds least', [FULL, ['usual b'], ['usual b']], ['usual'], 'usual → 1'],
  ['nothing behind a long job', [['usual b old'], ['slow b']], ['usual'], 'rest, rows leave'],
  ['nothing behind as much as it may hold', [FULL, FULL], ['usual'], 'rest, rows leave'],
  ['no large body is prefetched', [['usual b'], FULL], ['usual large'], 'rest, rows leave'],
  ['slow jobs leave a renderer', [['slow b'], ['slow b'], []], ['slow'], 'rest'],
  ['which a usual one takes', [['slow b'], ['slow b'], []], ['slow', 'usual'], 'usual → 2'],
  ['slow jobs are not prefetched', [['usual b'], ['usual b']], ['slow'], 'rest, rows leave'],
  ['a caller has all renderers but one', [['slow'], [], []], ['slow'], 'slow → 1'],
  ['a check that is not due needs two', [['usual b'], []], ['check'], 'rest'],
  ['two are free', [[], []], ['check'], 'check → 0'],
  ['usual jobs come before a check', [[], []], ['check', 'usual'], 'usual → 0'],
  ['a due check comes first', [['usual b'], []], ['usual', 'check old'], 'check old → 1'],
  ['one check at a time', [['check b'], [], [], []], ['check old'], 'rest'],
  ['a preview comes last', [[], []], ['preview', 'usual'], 'usual → 0'],
  ['a due preview first', [[], []], ['usual', 'preview old'], 'preview old → 0'],
  ['a preview goes to its draft', [[], ['usual b', 'has draft']], ['preview'], 'preview → 1'],
  ['unless that is full', [[], [...FULL, 'has draft']], ['preview'], 'preview → 0'],
  ['a suspect runs in the youngest', [[], [], []], ['suspect'], 'suspect → 2'],
  ['one suspect at a time', [['suspect b'], [], []], ['suspect'], 'rest'],
  ['others come before a suspect', [[], []], ['suspect', 'usual'], 'usual → 0'],
  ['rows run when nothing else waits', [[], []], ['run'], 'run → 0'],
  ['requests come before rows', [[], []], ['run', 'usual'], 'usual → 0'],
  ['rows are not prefetched', [['usual b'], ['usual b']], ['run'], 'rest'],
  ['rows leave for a request', [['run b'], ['run b']], ['usual'], 'rest, rows leave'],
  ['and for a prefetched one', [['run b'], ['usual b', 'usual b']], [], 'rest, rows leave'],
  ['not for one that may not run', [['run b'], ['slow b'], ['slow b']], ['slow'], 'rest'],
  ['an idle renderer gets a prefetched job', [[], ['usual', 'usual']], [], '1 → 0'],
  ['from the fullest first', [['usual', 'usual'], FULL, []], [], '1, 0 → 2'],
  ['before rows begin', [[], ['usual', 'usual']], ['run'], '1 → 0'],
];

for (const [name, renderers, jobs, expected] of CASES) {
  t.test(`${name}: ${jobs.join(', ')}`, async (t) => {
    t.equal(decided(renderers, waitingOf(jobs)), expected);
    const step = decided(renderers, waitingOf(jobs));
    t.equal(step, expected, 'the same state gives the same step');
  });
}

t.test('after an attempt in vain nothing is moved', async (t) => {
  const held = [[], ['usual', 'usual']];
  t.equal(decided(held, waitingOf([]), { mayMove: false }), 'rest');
  t.equal(decided(held, waitingOf(['run']), { mayMove: false }), 'run → 0');
});

t.test('a spare renderer runs nothing while the others are busy', async (t) => {
  t.equal(decided([['slow b'], []], waitingOf(['usual']), { threads: 1 }), 'rest, rows leave');
  t.equal(decided([FULL, []], waitingOf([]), { threads: 1 }), 'rest');
});

t.test('no suspect runs while a thread loads', async (t) => {
  t.equal(decided([[], []], waitingOf(['suspect']), { isLoading: true }), 'rest');
});

t.test('16 others come between two suspects', async (t) => {
  const jobs = ['suspect', 'usual'];
  t.equal(decided([[], []], waitingOf(jobs, { othersTaken: 15 })), 'usual → 0');
  t.equal(decided([[], []], waitingOf(jobs, { othersTaken: 16 })), 'suspect → 1');
});

/** The decision when the last check or preview came first `agoMs` before. */
function nextAfter(agoMs: number, ...jobs: string[]): string {
  return decided([[], []], waitingOf(jobs, { lastAtMs: () => NOW_MS - agoMs }));
}

t.test('due jobs come first only every so often', async (t) => {
  t.equal(nextAfter(99, 'usual', 'preview old'), 'usual → 0');
  t.equal(nextAfter(100, 'usual', 'preview old'), 'preview old → 0');
  t.equal(nextAfter(1_999, 'usual', 'check old'), 'usual → 0');
  t.equal(nextAfter(2_000, 'usual', 'check old'), 'check old → 0');
});

t.test('without usual jobs lately, long ones take all renderers', async (t) => {
  const quiet = { usualAtMs: NOW_MS - 5_000, otherShortAtMs: () => NOW_MS - 5_000 };
  const held = [['slow b'], ['slow b'], []];
  t.equal(decided(held, waitingOf(['slow'], quiet)), 'slow → 2');
  t.equal(decided(held, waitingOf(['preview'], quiet)), 'preview → 2');
  t.equal(decided(held, waitingOf(['preview'])), 'rest');
});

t.test('an unknown or long pair leaves a renderer to other teams', async (t) => {
  const held = [['usual'], ['usual'], []];
  const next = (averageMs: number | undefined, otherMs: number): string => {
    const otherAtMs = (): number => NOW_MS - otherMs;
    const history = { averageMs: () => averageMs, otherUsualAtMs: otherAtMs };
    return decided(held, waitingOf(['usual'], { ...history, otherShortAtMs: otherAtMs }));
  };
  t.equal(next(undefined, 100), 'rest');
  t.equal(next(31, 100), 'rest');
  t.equal(next(30, 100), 'usual → 2');
  t.equal(next(undefined, 5_000), 'usual → 2');
  t.equal(next(31, 5_000), 'usual → 2');
});

t.test('the kind of a job', async (t) => {
  const none = { isRows: false, isPreview: false, isCheck: false };
  const lately = [NOW_MS - 59_999, NOW_MS - 2, NOW_MS - 1];
  const cases = [
    [none, 250, [], 'usual'],
    [none, 251, [], 'slow'],
    [none, 1, lately, 'suspect'],
    [none, 1, lately.slice(1), 'usual'],
    [none, 1, [NOW_MS - 60_000, ...lately.slice(1)], 'usual'],
    [{ ...none, isCheck: true }, 251, [], 'check'],
    [{ ...none, isCheck: true }, 251, lately, 'suspect'],
    [{ ...none, isCheck: true, isPreview: true }, 251, [], 'preview'],
    [{ ...none, isRows: true }, 251, lately, 'run'],
  ] as const;
  for (const [nature, averageMs, ended, kind] of cases) {
    t.equal(kindOf(nature, averageMs, ended, NOW_MS), kind);
  }
});

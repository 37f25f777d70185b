/*
 * Who runs next, where: the kinds of work as one table, and `decide`, which applies it. Nothing here
 * reads a clock or changes anything: pool.ts carries the decisions out, waiting.ts keeps the queues
 * and the history that decisions need.
 */

/** How a job waits and runs. */
export type TaskKind = 'usual' | 'slow' | 'check' | 'preview' | 'suspect' | 'run';

/** What the schedule knows of a kind of work. */
export interface Rule {
  /** `runs`: a separate queue, served when no request can run; its teams take turns. */
  readonly lane: 'requests' | 'runs';
  /**
   * How it takes its renderer. `short`: others may be prefetched behind it. `long`: all such jobs
   * together leave one renderer to short jobs. `yields`: it leaves between two rows, so it delays no
   * request.
   */
  readonly takes: 'short' | 'long' | 'yields';
  /** A job that has waited this long comes before all others; null: none does. */
  readonly dueAfterMs: number | null;
  /** Least time between two jobs that come first because they are due. */
  readonly everyMs: number;
  /** Whether its caller and team pay for the time. */
  readonly isCharged: boolean;
  /** Whether a renderer that runs a short job may prefetch it. */
  readonly mayPrefetch: boolean;
}

const REQUESTS = { lane: 'requests', isCharged: true } as const;
const RUNS = { lane: 'runs', isCharged: false } as const;

/**
 * - usual: all other requests.
 * - slow: the jobs of this caller and template take long.
 * - check: a template is checked with its samples, which may take seconds: one at a time. Due is one
 *   that has waited since it came and since the last one ended; any other needs two idle renderers.
 * - preview: a draft that is shown while it is edited, also by the save that brings its preview. It
 *   runs when no other request can, and a few run every second in any case.
 * - suspect: jobs of this caller and template ended several threads. A new thread is slow at first,
 *   so more of them would slow everybody down: they run one at a time, and others come between.
 * - run: rows of a run. They run when requests leave room.
 */
export const SCHEDULE: Readonly<Record<TaskKind, Rule>> = {
  usual: { ...REQUESTS, takes: 'short', dueAfterMs: null, everyMs: 0, mayPrefetch: true },
  slow: { ...REQUESTS, takes: 'long', dueAfterMs: null, everyMs: 0, mayPrefetch: false },
  check: { ...REQUESTS, takes: 'long', dueAfterMs: 2_000, everyMs: 2_000, mayPrefetch: false },
  preview: { ...REQUESTS, takes: 'long', dueAfterMs: 250, everyMs: 100, mayPrefetch: true },
  suspect: { ...REQUESTS, takes: 'long', dueAfterMs: null, everyMs: 0, mayPrefetch: false },
  run: { ...RUNS, takes: 'yields', dueAfterMs: null, everyMs: 0, mayPrefetch: false },
};

/** A pair of caller and template is suspect when its jobs ended this many threads in `ENDED_MS`. */
export const ENDED_MIN = 3;
const ENDED_MS = 60_000;
/** Least number of other jobs between two suspects: with one thread, all others wait for each. */
const OTHERS_MIN = 16;
/** A pair whose jobs take longer than this on average is slow; one cold start does not count. */
export const SLOW_MS = 250;
/** A pair whose jobs take longer than this on average leaves a renderer to other teams. */
export const LONG_MS = 30;
/** A renderer stays free for short jobs for this long after the last one, as more may follow. */
const USUAL_MS = 5_000;
/** Jobs that are prefetched whatever their expected duration. */
const PREFETCHED_MIN = 1;

/** A job, as the schedule sees it. */
export interface JobView {
  readonly kind: TaskKind;
  readonly key: string;
  readonly team: string;
  /** Caller and template. */
  readonly pair: string;
  readonly submittedAtMs: number;
  /** Whether a thread that holds it may give it back; else nothing may delay it there. */
  readonly canBeReclaimed: boolean;
  /** Whether it checks a template and brings no preview. */
  readonly isPlainCheck: boolean;
}

/** What decides how a job waits. */
export interface Nature {
  readonly isRows: boolean;
  readonly isPreview: boolean;
  readonly isCheck: boolean;
}

/** The kind of a job, by its pair: its mean duration and when it last ended threads. */
export function kindOf(
  { isRows, isPreview, isCheck }: Nature,
  averageMs: number,
  ended: readonly number[] | undefined,
  nowMs: number,
): TaskKind {
  if (isRows) return 'run';
  if (ended?.length === ENDED_MIN && nowMs - (ended[0] ?? 0) < ENDED_MS) return 'suspect';
  if (isPreview) return 'preview';
  if (isCheck) return 'check';
  return averageMs > SLOW_MS ? 'slow' : 'usual';
}

/** What jobs that are not usual may run now beside usual ones. */
export interface Openings {
  readonly slow: boolean;
  readonly suspects: boolean;
  /**
   * `due`: only a check that has waited long enough; `free`: also others, if nothing else can run.
   */
  readonly checks: 'none' | 'due' | 'free';
  /** Whether the caller holds its share of the renderers, so that others come first. */
  readonly isCapped: (key: string) => boolean;
  readonly isTeamCapped: (team: string) => boolean;
}

/** What has run lately, as far as decisions need it. */
export interface History {
  /** When the last usual job came or was taken. */
  readonly usualAtMs: number;
  /** Jobs taken since the last suspect. */
  readonly othersTaken: number;
  /** When a check last ended, or a preview was taken. */
  lastAtMs(kind: 'check' | 'preview'): number;
  /** Mean duration of the jobs of a pair, in ms; undefined: none has ended. */
  averageMs(pair: string): number | undefined;
  /** When another caller than this last had a usual job. */
  otherUsualAtMs(key: string): number;
  /** When another team than this last had a job that is not known to be long. */
  otherShortAtMs(team: string): number;
}

/** The jobs that wait. */
export interface Queues<J> {
  /** The oldest job of the kind. */
  oldest(kind: 'check' | 'preview'): J | undefined;
  /** The job whose team and caller have used the least, among those that may run. */
  cheapest(mayRun: (job: J) => boolean, open: Openings): J | undefined;
  cheapestSuspect(open: Openings): J | undefined;
  /** The next job of a run: teams take turns. */
  nextRun(): J | undefined;
}

/** The job that is next, if a renderer is left to it; undefined: none may run. */
export function chooseJob<J extends JobView>(
  waiting: Queues<J> & History,
  open: Openings,
  nowMs: number,
): J | undefined {
  const check = open.checks === 'none' ? undefined : waiting.oldest('check');
  if (check !== undefined && isDue(check, 'check', waiting, nowMs)) return check;
  const preview = open.slow ? waiting.oldest('preview') : undefined;
  if (preview !== undefined && isDue(preview, 'preview', waiting, nowMs)) return preview;
  const other = waiting.cheapest((job) => mayRun(job, open, waiting, nowMs), open);
  const suspect = open.suspects ? waiting.cheapestSuspect(open) : undefined;
  if (suspect !== undefined && (other === undefined || waiting.othersTaken >= OTHERS_MIN)) {
    return suspect;
  }
  const lone = open.checks === 'free' ? check : undefined;
  return other ?? lone ?? preview ?? waiting.nextRun();
}

function isDue(
  { submittedAtMs }: JobView,
  kind: 'check' | 'preview',
  history: History,
  nowMs: number,
): boolean {
  const { dueAfterMs, everyMs } = SCHEDULE[kind];
  if (dueAfterMs === null || nowMs - submittedAtMs < dueAfterMs) return false;
  return nowMs - history.lastAtMs(kind) >= everyMs;
}

function mayRun(job: JobView, open: Openings, history: History, nowMs: number): boolean {
  switch (job.kind) {
    case 'usual':
      return !leavesRenderer(job, open, history, nowMs);
    case 'slow':
      if (isOverShare(job.team, open, history, nowMs)) return false;
      return open.slow || nowMs - history.otherUsualAtMs(job.key) >= USUAL_MS;
    case 'check':
    case 'preview':
    case 'suspect':
    case 'run':
      return false;
  }
}

/**
 * Whether a usual job leaves a renderer to short jobs of others, even if none waits at this moment.
 * A pair may turn out slow until its first job has ended or run for long, so its caller gets no
 * more than its share of the renderers until then. Long jobs of a team that hold all renderers
 * would delay each short one of another team by half of their length.
 */
function leavesRenderer(
  { key, team, pair }: JobView,
  open: Openings,
  history: History,
  nowMs: number,
): boolean {
  const averageMs = history.averageMs(pair);
  if (averageMs === undefined) {
    if (open.isCapped(key) && nowMs - history.otherUsualAtMs(key) < USUAL_MS) return true;
  } else if (averageMs <= LONG_MS) return false;
  return isOverShare(team, open, history, nowMs);
}

/** Whether a long job of the team would take the renderer that it leaves to other teams. */
function isOverShare(team: string, open: Openings, history: History, nowMs: number): boolean {
  return open.isTeamCapped(team) && nowMs - history.otherShortAtMs(team) < USUAL_MS;
}

/** A renderer that has loaded, and what it holds. */
interface RendererFacts {
  /** The oldest job that it was given and has not answered. */
  readonly first: JobView | null;
  /** Number of jobs: the one under way and those that wait behind it. */
  readonly held: number;
  readonly heldMax: number;
  readonly isIdle: boolean;
  /** Whether its job has run so long that other renderers should take the next ones. */
  readonly isLong: boolean;
  /** Expected duration of a job here, in ms. */
  readonly paceMs: number;
  /** Limit on the expected duration of all jobs it holds, in ms. */
  readonly prefetchMs: number;
  /** Whether it holds a job of this caller. */
  holdsOf(key: string): boolean;
  /** Whether it holds a request of the team. */
  holdsOfTeam(team: string): boolean;
}

export interface RendererView<J> extends RendererFacts {
  /** Whether its thread keeps the compiled draft of this job. */
  hasCompiled(job: J): boolean;
}

/** All that `decide` looks at. */
export interface State<J extends JobView, R extends RendererView<J>> {
  /** Those that have loaded, the youngest last. */
  readonly renderers: readonly R[];
  /** Jobs that may run at the same time; other renderers are spare. */
  readonly threads: number;
  readonly isLoading: boolean;
  readonly waiting: {
    readonly isEmpty: boolean;
    readonly usualAtMs: number;
    next(open: Openings, nowMs: number): J | undefined;
  };
  /** Whether to move prefetched jobs: not after an attempt in vain. */
  readonly mayMove: boolean;
}

export type Decision<J, R> =
  /** The renderer gets the job that waits. */
  | { readonly kind: 'give'; readonly job: J; readonly renderer: R }
  /** The idle renderer gets a prefetched job of the first of the others that can give one back. */
  | { readonly kind: 'move'; readonly from: readonly R[]; readonly to: R }
  /** Nothing for now. `isWanted`: jobs of runs are to leave their threads between two rows. */
  | { readonly kind: 'rest'; readonly isWanted: boolean };

/** The next step; the caller carries it out and asks again until it is to rest. */
export function decide<J extends JobView, R extends RendererView<J>>(
  state: State<J, R>,
  nowMs: number,
): Decision<J, R> {
  const { renderers, threads, waiting } = state;
  const job = waiting.isEmpty ? undefined : waiting.next(openingsOf(state, nowMs), nowMs);
  const renderer = job === undefined ? null : chooseRenderer(job, renderers, threads);
  // A request that another renderer has prefetched comes before the rows of runs, too.
  if (job === undefined || (renderer !== null && SCHEDULE[job.kind].lane === 'runs')) {
    const to = state.mayMove ? idleBesideBusy(renderers, threads) : null;
    if (to !== null) return { kind: 'move', from: fullestFirst(renderers), to };
  }
  if (job !== undefined && renderer !== null) return { kind: 'give', job, renderer };
  // Rows go on while the requests that wait may not run, as when their team has its share of the
  // renderers: with a job for each row, the main thread would do little else.
  const isWaiting = job !== undefined && SCHEDULE[job.kind].lane === 'requests';
  return { kind: 'rest', isWanted: isWaiting || hasPrefetchedBesideRows(renderers) };
}

/** Jobs that may take long leave a thread to usual ones, unless no usual one came lately. */
function openingsOf<J extends JobView, R extends RendererView<J>>(
  { renderers, threads, isLoading, waiting }: State<J, R>,
  nowMs: number,
): Openings {
  let busy = 0;
  let long = 0;
  let isChecking = false;
  let isSuspectRunning = false;
  for (const { first } of renderers) {
    if (first === null) continue;
    const { takes } = SCHEDULE[first.kind];
    if (takes === 'yields') continue;
    busy += 1;
    if (takes === 'long') long += 1;
    isChecking ||= first.isPlainCheck;
    isSuspectRunning ||= first.kind === 'suspect';
  }
  const isOpen = long < Math.max(1, threads - 1) || nowMs - waiting.usualAtMs >= USUAL_MS;
  const free = Math.min(threads, renderers.length) - busy;
  // A caller's share is all renderers but one; a prefetched job counts, as it may be long.
  const share = threads > 1 ? threads - 1 : Number.POSITIVE_INFINITY;
  return {
    slow: isOpen,
    // Not while a thread loads, because a suspect could end another one meanwhile.
    suspects: isOpen && !isSuspectRunning && !isLoading,
    checks: !isOpen || isChecking ? 'none' : free >= Math.min(2, threads) ? 'free' : 'due',
    isCapped: (key) => countOf(renderers, key) >= share,
    isTeamCapped: (team) => countOfTeam(renderers, team) >= share,
  };
}

function countOf(renderers: readonly RendererFacts[], key: string): number {
  let count = 0;
  for (const renderer of renderers) if (renderer.holdsOf(key)) count += 1;
  return count;
}

function countOfTeam(renderers: readonly RendererFacts[], team: string): number {
  let count = 0;
  for (const renderer of renderers) if (renderer.holdsOfTeam(team)) count += 1;
  return count;
}

/**
 * Chooses a renderer for the job; null: none can take it now. A preview goes to a renderer that has
 * compiled its draft, if that is idle or can prefetch it: compiling takes longer than waiting for
 * the jobs there. Any other job goes to an idle renderer or, if `threads` of them are busy, to the
 * one that can prefetch it and holds least.
 */
function chooseRenderer<J extends JobView, R extends RendererView<J>>(
  job: J,
  renderers: readonly R[],
  threads: number,
): R | null {
  const isPreview = job.kind === 'preview';
  const mayPrefetch = SCHEDULE[job.kind].mayPrefetch && job.canBeReclaimed;
  let busy = 0;
  for (const { isIdle } of renderers) if (!isIdle) busy += 1;
  const mayStart = busy < threads;
  let idle: R | null = null;
  let roomy: R | null = null;
  for (const renderer of renderers) {
    const { isIdle } = renderer;
    if (isIdle ? !mayStart : !mayPrefetch || !hasRoom(renderer)) continue;
    if (isPreview && renderer.hasCompiled(job)) return renderer;
    if (!isIdle) {
      if (roomy === null || renderer.held < roomy.held) roomy = renderer;
    } else if (idle === null || job.kind === 'suspect') {
      // A suspect gets the youngest, whose loss costs least.
      idle = renderer;
    }
  }
  return idle ?? roomy;
}

/** Whether a busy renderer can prefetch another job. */
function hasRoom(renderer: RendererFacts): boolean {
  const { first, held } = renderer;
  if (first === null || SCHEDULE[first.kind].takes !== 'short' || renderer.isLong) return false;
  if (held <= PREFETCHED_MIN) return true;
  return held < renderer.heldMax && held * renderer.paceMs <= renderer.prefetchMs;
}

/**
 * Whether an idle renderer may take this prefetched job. A preview whose draft is compiled where it
 * is stays, because compiling it again takes longer than its wait.
 */
export function mayLeave<J extends JobView>(
  job: J,
  renderer: Pick<RendererView<J>, 'hasCompiled'>,
): boolean {
  return job.kind !== 'preview' || !renderer.hasCompiled(job);
}

/**
 * A renderer that may take a job that another one has prefetched; null: there is none, or no job.
 * Called twice for each document, so it makes no lists.
 */
function idleBesideBusy<R extends RendererFacts>(
  renderers: readonly R[],
  threads: number,
): R | null {
  let idle: R | null = null;
  let busy = 0;
  let held = 0;
  for (const renderer of renderers) {
    held += renderer.held;
    if (!renderer.isIdle) busy += 1;
    else idle ??= renderer;
  }
  return held > busy && busy < threads ? idle : null;
}

function fullestFirst<R extends RendererFacts>(renderers: readonly R[]): R[] {
  const busy = renderers.filter(({ held }) => held > 0);
  return busy.toSorted((one, other) => other.held - one.held);
}

/** Whether a request is prefetched while another renderer has rows of a run, which should leave it. */
function hasPrefetchedBesideRows(renderers: readonly RendererFacts[]): boolean {
  let hasRows = false;
  let hasPrefetched = false;
  for (const { first, held } of renderers) {
    if (first !== null && SCHEDULE[first.kind].lane === 'runs') hasRows = true;
    else if (held > 1) hasPrefetched = true;
  }
  return hasRows && hasPrefetched;
}

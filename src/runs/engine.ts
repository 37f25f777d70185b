import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describeError, type Log } from '../log.ts';
import type { RenderedChunk, RunChunk, RunRecord, RunSource } from '../store/runs/types.ts';
import { FileDamaged, FileMissing, type Store, StorageUnavailable } from '../store/store.ts';
import { Chunks, RowsDamaged } from './chunks.ts';
import { listAssignments } from './assignments.ts';
import { Abandoned, RowJobs } from './row-jobs.ts';
import { PrintMaker } from './prints.ts';
import { SourceReader } from './sources.ts';
import type { Assignment, RunQueue, RunQueueFigures, RunQueueParts } from './queue.ts';
import { RunTemplates } from './templates.ts';
import { afterCheck, afterRun, shareReasons } from './verdict.ts';
import type { Pool } from '../workers/pool/pool.ts';

/** Poll interval: another instance may have created work. */
const POLL_MS = 1_000;
/** Renewal interval: a third of a lease (store/runs/work.ts), so two renewals may fail. */
const RENEW_MS = 6_000;
/** Chunks in progress beyond the number of renderers: one is stored while the next is rendered. */
const LANES_SPARE = 1;
/** Minimum time between two offers of assignments. */
const OFFER_PAUSE_MS = 100;
/** When there is work but the queue has given none for this long, lanes look into the database. */
const BYPASS_MS = 10_000;

export interface RunEngineParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly log: Log;
  /** Renderers of the pool. */
  readonly threads: number;
  readonly nowMs?: () => number;
  /** Opens the queue that distributes work; absent: the database distributes it. */
  readonly openQueue?: (
    parts: Pick<RunQueueParts, 'concurrency' | 'take' | 'whenDrained'>,
  ) => RunQueue;
}

/** Counts what this process has done for runs since it started. */
export interface RunFigures {
  readonly checked: number;
  readonly stored: number;
  readonly failed: number;
  /** Chunks that were rendered here but not stored, because the lease was lost. */
  readonly lost: number;
  /** Chunks and parts in progress. */
  readonly underWay: number;
  /** Runs that this process completed. */
  readonly done: number;
  readonly stopped: number;
}

export interface RunEngine {
  /** Makes the engine look for work at once. */
  wake(): void;
  figures(): RunFigures;
  /** null: there is no queue; the database distributes work. */
  queueFigures(): RunQueueFigures | null;
  /** Stops between two jobs and releases the leases that it holds. */
  close(): Promise<void>;
}

/** Work that is leased. */
type HeldWork =
  | { readonly chunkId: string }
  | { readonly runId: string; readonly part: number }
  | { readonly runId: string; readonly print: number }
  | { readonly runId: string; readonly source: true };

/** Starts processing the runs of a database, together with any number of other instances. */
export function startRunEngine(parts: RunEngineParts): RunEngine {
  return new Engine(parts);
}

class Engine implements RunEngine {
  readonly #store: Store;
  readonly #log: Log;
  readonly #owner = randomUUID();
  readonly #chunks: Chunks;
  readonly #prints: PrintMaker;
  readonly #sources: SourceReader;
  readonly #lanes: readonly Promise<void>[];
  readonly #renewal: NodeJS.Timeout;
  readonly #figures = {
    checked: 0,
    stored: 0,
    failed: 0,
    lost: 0,
    underWay: 0,
    done: 0,
    stopped: 0,
  };
  readonly #waiting = new Set<() => void>();
  readonly #queue: RunQueue | null;
  readonly #offering: Promise<void>;
  readonly #assigned = new Set<Promise<boolean>>();
  /** Leases that could not be released because the database was down. */
  readonly #unreleased = new Set<HeldWork>();
  /** The last time that the queue gave an assignment to this instance, or there was no work. */
  #assignedAtMs = performance.now();
  /** The queue has given an assignment since it came up. */
  #isProven = false;
  /** There may be work that was not there at the last look. */
  #isOfferDue = false;
  #endOfferRest: () => void = () => undefined;
  /** Counts calls of `wake`: a lane that missed one does not rest. */
  #wakes = 0;
  #isClosing = false;
  /** Counter that serves runs round-robin. */
  #turn = 0;

  constructor({ store, pool, log, threads, nowMs = Date.now, openQueue }: RunEngineParts) {
    this.#store = store;
    this.#log = log;
    const jobs = new RowJobs(pool, () => this.#isClosing);
    const templates = new RunTemplates(store);
    const chunkParts = { store, jobs, templates, owner: this.#owner, nowMs };
    this.#chunks = new Chunks({ ...chunkParts, rendersMax: threads });
    const isStopping = (): boolean => this.#isClosing;
    this.#prints = new PrintMaker({ store, pool, templates, owner: this.#owner, isStopping });
    const whenAdded = (): void => this.wake();
    this.#sources = new SourceReader({ store, owner: this.#owner, isStopping, whenAdded });
    const count = threads + LANES_SPARE;
    this.#queue =
      openQueue?.({
        concurrency: count,
        take: (assignment) => this.#take(assignment),
        whenDrained: () => this.#requestOffer(),
      }) ?? null;
    this.#lanes = Array.from({ length: count }, () => this.#lane());
    this.#offering = this.#queue === null ? Promise.resolve() : this.#offer(this.#queue);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  wake(): void {
    this.#wakes += 1;
    this.#requestOffer();
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  figures(): RunFigures {
    return { ...this.#figures };
  }

  queueFigures(): RunQueueFigures | null {
    return this.#queue?.figures() ?? null;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#renewal);
    this.wake();
    await Promise.all([...this.#lanes, ...this.#assigned, this.#offering]);
    await this.#queue?.close();
    await this.#attempt(async () => {
      await this.#store.runWork.release(this.#owner);
      await this.#store.runPrints.release(this.#owner);
      await this.#store.runSources.release(this.#owner);
      return true;
    });
  }

  async #lane(): Promise<void> {
    while (!this.#isClosing) {
      const wakes = this.#wakes;
      const worked = this.#isAssigned ? false : await this.#attempt(() => this.#step());
      if (worked === true || wakes !== this.#wakes || this.#isClosing) continue;
      await this.#rest();
    }
  }

  /**
   * Whether lanes rely on the queue now. They do not when it gives no work although there is some.
   */
  get #isAssigned(): boolean {
    if (this.#queue === null || !this.#queue.isUp || !this.#isProven) return false;
    return performance.now() - this.#assignedAtMs < BYPASS_MS || this.#figures.underWay > 0;
  }

  /** Offers the work in the database to the queue until the engine stops. */
  async #offer(queue: RunQueue): Promise<void> {
    while (!this.#isClosing) {
      const wasUp = queue.isUp;
      this.#isOfferDue = false;
      const isUp = await this.#attempt(async () => {
        const assignments = await listAssignments(this.#store);
        // Without work, the queue need not give any.
        if (assignments.length === 0) this.#assignedAtMs = performance.now();
        return queue.offer(assignments);
      });
      if (isUp !== true) this.#isProven = false;
      if (wasUp && isUp !== true) this.wake();
      await pause(OFFER_PAUSE_MS);
      if (!this.#isOfferDue && !this.#isClosing) await this.#restUntilOffer();
    }
  }

  /** Carries out an assignment, unless another lane or instance does or did. */
  async #take(assignment: Assignment): Promise<void> {
    this.#assignedAtMs = performance.now();
    this.#isProven = true;
    const work = this.#follow(assignment);
    this.#assigned.add(work);
    try {
      const worked = await work;
      // It may have been the last of its kind, and BullMQ tells only once that the queue is empty:
      // when nothing waits, though some of it is in progress still.
      if (worked && this.#assigned.size === 1) this.#requestOffer();
    } finally {
      this.#assigned.delete(work);
    }
  }

  /** Returns whether there was anything to do. */
  async #follow({ runId, chunkId }: Assignment): Promise<boolean> {
    if (this.#isClosing) return false;
    const worked = await this.#attempt(async () => {
      const run = await this.#store.runWork.activeOne(runId);
      return run !== null && this.#advance(run, chunkId);
    });
    // Pause after a failure, because the same assignment comes back at once.
    if (worked === null && !this.#isClosing) await this.#rest();
    return worked === true;
  }

  /**
   * Catches and logs every failure of a step and returns null; the lane then pauses and continues.
   */
  async #attempt(step: () => Promise<boolean>): Promise<boolean | null> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Abandoned) return null;
      const entry = { msg: 'run held up', err: describeError(error) };
      if (error instanceof StorageUnavailable) this.#log.warn(entry);
      else this.#log.error(entry);
      return null;
    }
  }

  /** Offers as soon as the pause after the last offer is over. */
  #requestOffer(): void {
    this.#isOfferDue = true;
    this.#endOfferRest();
  }

  async #restUntilOffer(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      timer.unref();
      this.#endOfferRest = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        resolve();
      }, POLL_MS);
      timer.unref();
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  async #renew(): Promise<void> {
    // Iterate over a copy, because a release that fails is added again.
    const left = Array.from(this.#unreleased);
    for (const held of left) await this.#release(held);
    if (this.#figures.underWay === 0) return;
    await this.#attempt(async () => {
      await this.#store.runWork.renew(this.#owner);
      await this.#store.runPrints.renew(this.#owner);
      await this.#store.runSources.renew(this.#owner);
      return true;
    });
  }

  /** Does one part, one chunk, or one change of a run's state. False: there is nothing to do. */
  async #step(): Promise<boolean> {
    const runs = await this.#store.runWork.active();
    this.#turn += 1;
    for (let index = 0; index < runs.length; index++) {
      const run = runs[(index + this.#turn) % runs.length];
      if (run !== undefined && (await this.#advance(run))) return true;
    }
    return false;
  }

  /** Advances a run by one step; with `chunkId` only that chunk. */
  async #advance(run: RunRecord, chunkId: string | null = null): Promise<boolean> {
    try {
      if (run.state === 'checking') return chunkId === null && (await this.#check(run));
      return await this.#render(run, chunkId);
    } catch (error) {
      const faults = [FileDamaged, FileMissing, RowsDamaged];
      if (!faults.some((fault) => error instanceof fault)) throw error;
      this.#log.error({ msg: 'rows of a run are lost or damaged', runId: run.runId });
      const reasons = [{ name: 'input', expected: 'the rows as received', actual: 'not there' }];
      return this.#store.runs.move(run.runId, { from: [run.state], to: 'stopped', reasons });
    }
  }

  async #check(run: RunRecord): Promise<boolean> {
    const { runWork } = this.#store;
    const { source } = run.spec;
    const isRead = source === null || (await this.#store.runSources.progress(run.runId)).isRead;
    if (!isRead && (await this.#readSource(run, source))) return true;
    const part = await runWork.leasePart(run.runId, this.#owner);
    if (part !== null) {
      const held = { runId: run.runId, part: part.part };
      await this.#holding(held, async () => {
        this.#figures.checked += await this.#chunks.checkPart(run, part);
      });
    }
    const left = await runWork.workLeft(run.runId);
    const isEnded = isRead && left.parts === 0 && (await this.#endCheck(run));
    return isEnded || part !== null;
  }

  /** Reads the source of a run; false: another instance or lane reads it. */
  async #readSource(run: RunRecord, source: RunSource): Promise<boolean> {
    const { runId } = run;
    const partsDone = await this.#store.runSources.lease(runId, this.#owner);
    if (partsDone === null) return false;
    const held = { runId, source: true } as const;
    const reason = await this.#holding(held, () => this.#sources.read(run, source, partsDone));
    if (reason === null) return true;
    const change = { from: ['checking'], to: 'stopped', reasons: [reason] } as const;
    if (await this.#store.runs.move(runId, change)) this.#figures.stopped += 1;
    this.#log.warn({ msg: 'the source of a run cannot be read', runId });
    return true;
  }

  /** Renders a chunk of the run, or, when all are rendered, makes a print file or ends the run. */
  async #render(run: RunRecord, chunkId: string | null): Promise<boolean> {
    const { runWork } = this.#store;
    const chunk = await runWork.leaseChunk(run.runId, this.#owner, chunkId ?? undefined);
    if (chunk !== null) {
      await this.#renderChunk(run, chunk);
      return true;
    }
    // The chunk that was asked for is done, or another lane has it.
    if (chunkId !== null) return false;
    const left = await runWork.workLeft(run.runId);
    return left.chunks === 0 && ((await this.#print(run)) ?? this.#endRun(run));
  }

  async #renderChunk(run: RunRecord, chunk: RunChunk): Promise<void> {
    const held = { chunkId: chunk.chunkId };
    const render = (): Promise<RenderedChunk | null> => this.#chunks.renderChunk(run, chunk);
    // The transaction that stores a chunk ends its lease.
    const rendered = await this.#holding(held, render, (result) => result !== null);
    if (rendered === null) {
      this.#figures.lost += 1;
      return;
    }
    this.#figures.stored += rendered.documents.length;
    this.#figures.failed += rendered.failures.size;
    if (rendered.failures.size > 0) await this.#stopIfTooManyFailed(run);
  }

  async #stopIfTooManyFailed(before: RunRecord): Promise<void> {
    const run = await this.#fresh(before);
    const reasons = shareReasons(run);
    if (reasons.length === 0) return;
    const change = { from: ['running'], to: 'stopped', reasons } as const;
    if (await this.#store.runs.move(run.runId, change)) this.#figures.stopped += 1;
  }

  /** Releases unfinished work at once, so that others need not wait until its lease expires. */
  async #holding<T>(
    held: HeldWork,
    work: () => Promise<T>,
    isReleased: (result: T) => boolean = () => false,
  ): Promise<T> {
    let wasReleased = false;
    this.#figures.underWay += 1;
    try {
      const result = await work();
      wasReleased = isReleased(result);
      return result;
    } finally {
      this.#figures.underWay -= 1;
      if (!wasReleased) await this.#release(held);
    }
  }

  /**
   * Releases a lease. If that fails, it is tried again before the next renewal, which would
   * otherwise keep the lease.
   */
  async #release(held: HeldWork): Promise<void> {
    this.#unreleased.delete(held);
    const isReleased = await this.#attempt(async () => {
      if ('print' in held) await this.#store.runPrints.release(this.#owner, held);
      else if ('source' in held) await this.#store.runSources.release(this.#owner, held.runId);
      else await this.#store.runWork.release(this.#owner, held);
      return true;
    });
    if (isReleased === null) this.#unreleased.add(held);
  }

  /** Makes one print file; null: all are made, or the run has none. */
  async #print(before: RunRecord): Promise<boolean | null> {
    const { runPrints } = this.#store;
    const run = await this.#fresh(before);
    const perFile = run.spec.documentsPerPrint ?? null;
    if (perFile === null || run.counts.stored === 0) return null;
    await runPrints.prepare(run.runId, Math.ceil(run.counts.stored / perFile));
    const number = await runPrints.lease(run.runId, this.#owner);
    if (number === null) return (await runPrints.left(run.runId)) === 0 ? null : false;
    const held = { runId: run.runId, print: number };
    return this.#holding(held, () => this.#prints.make(run, number));
  }

  /** Called when all parts are checked: the run starts to render, stops, or ends as a dry run. */
  async #endCheck(before: RunRecord): Promise<boolean> {
    const run = await this.#fresh(before);
    const reasons = afterCheck(run, await this.#store.runs.sums(run));
    const to = run.isDryRun ? 'receiving' : reasons.length > 0 ? 'stopped' : 'running';
    if (to === 'running') await this.#store.runPrints.clear(run.runId);
    const isMoved = await this.#store.runs.move(run.runId, { from: ['checking'], to, reasons });
    if (isMoved && to === 'stopped') this.#figures.stopped += 1;
    if (isMoved) this.#log.info({ msg: 'run checked', runId: run.runId, state: to });
    this.wake();
    return isMoved;
  }

  async #endRun(before: RunRecord): Promise<boolean> {
    const run = await this.#fresh(before);
    if (run.spec.documentsPerPrint !== null) await this.#store.runPrints.settle(run.runId);
    const reasons = afterRun(run, await this.#store.runs.sums(run));
    const to = reasons.length > 0 ? 'stopped' : 'done';
    const isMoved = await this.#store.runs.move(run.runId, { from: ['running'], to, reasons });
    if (isMoved) this.#figures[to] += 1;
    if (isMoved) this.#log.info({ msg: 'run ended', runId: run.runId, state: to });
    return isMoved;
  }

  async #fresh({ teamId, runId }: RunRecord): Promise<RunRecord> {
    const found = await this.#store.runs.find(teamId, runId);
    if (!found.found) throw new Error('a run is missing');
    return found.value;
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describeError, type Log } from '../log/log.ts';
import type { RunChunk, RunRecord, RunSource } from '../store/runs/types.ts';
import { type Store, StorageUnavailable } from '../store/store.ts';
import { Chunks } from './chunks.ts';
import type { MadeChunk } from './chunks.ts';
import { type Lease, listAssignments } from './assignments.ts';
import { FailedSteps, LeaseLost, lossOf } from './losses.ts';
import { Abandoned, RowJobs } from './row-jobs.ts';
import { type Qpdf, RunProtector } from './protection.ts';
import { type RowSigning, RowSigner } from './signatures/row-signer.ts';
import { waitOf, Waits } from './waits/waits.ts';
import { PrintMaker } from './prints/maker.ts';
import { SourceReader } from './sources/sources.ts';
import type { Assignment, RunQueue, RunQueueFigures, RunQueueOptions } from './queue.ts';
import { RunTemplates } from './templates.ts';
import type { RunFigures } from './figures.ts';
import { RunTurns } from './turns.ts';
import { afterCheck, afterRun, shareReasons, stateAfterCheck } from './verdict.ts';
import { LatestOthers } from '../runtime/latest-others.ts';
import { Rest } from '../runtime/rest.ts';
import type { Pool } from '../workers/pool/pool.ts';

/** Interval at which a lane without work looks again: another instance may have created some. */
const POLL_MS = 1_000;
/** Renewal interval: a third of a lease (store/runs/work.ts), so two renewals may fail. */
const RENEW_MS = 6_000;
/** Lanes beyond the number of renderers: one stores its chunk while the others render. */
const EXTRA_LANES = 1;
/** Minimum time between two offers of assignments. */
const OFFER_PAUSE_MS = 100;
/** When there is work but the queue has given none for this long, lanes look into the database. */
const BYPASS_MS = 10_000;

export interface RunEngineOptions {
  readonly store: Store;
  readonly pool: Pool;
  readonly log: Log;
  /** Renderers of the pool. */
  readonly threads: number;
  readonly nowMs?: () => number;
  /** Absent: documents of runs cannot be protected. */
  readonly protector?: Qpdf;
  /** Absent: documents of runs cannot be signed. */
  readonly signing?: RowSigning | undefined;
  /** Opens the queue that distributes work; absent: the database distributes it. */
  readonly openQueue?: (
    options: Pick<RunQueueOptions, 'concurrency' | 'take' | 'onDrained'>,
  ) => RunQueue;
}

export interface RunEngine {
  /** Documents that teams ask for, which the gateway records: runs of others leave room for them. */
  readonly documents: LatestOthers;
  /** Makes the engine look for work at once. */
  wake(): void;
  figures(): RunFigures;
  /** null: there is no queue; the database distributes work. */
  queueFigures(): RunQueueFigures | null;
  /** Stops between two jobs and releases the leases that it holds. */
  close(): Promise<void>;
}

/** Starts processing the runs of a database, together with any number of other instances. */
export function startRunEngine(options: RunEngineOptions): RunEngine {
  return new Engine(options);
}

/**
 * Processes runs in several lanes. A lane leases one piece of work, does it, and looks for the next:
 * in the database, or in the queue's assignments while the queue gives some.
 */
class Engine implements RunEngine {
  readonly documents = new LatestOthers();
  readonly #store: Store;
  readonly #log: Log;
  readonly #owner = randomUUID();
  readonly #chunks: Chunks;
  readonly #signer: RowSigner;
  readonly #prints: PrintMaker;
  readonly #sources: SourceReader;
  readonly #lanes: readonly Promise<void>[];
  readonly #turns: RunTurns;
  readonly #failedSteps = new FailedSteps();
  readonly #waits: Waits;
  readonly #renewal: NodeJS.Timeout;
  readonly #figures = {
    checked: 0,
    stored: 0,
    failed: 0,
    missingCharacters: 0,
    lost: 0,
    underWay: 0,
    done: 0,
    stopped: 0,
  };
  readonly #laneRest = new Rest(POLL_MS);
  readonly #offerRest = new Rest(POLL_MS);
  readonly #queue: RunQueue | null;
  readonly #offering: Promise<void>;
  /** Assignments of the queue that are being carried out. */
  readonly #assigned = new Set<Promise<boolean>>();
  /** Leases that could not be released because the database was down. */
  readonly #unreleased = new Set<Lease>();
  /** The last time that the queue gave an assignment to this instance, or there was no work. */
  #assignedAtMs = performance.now();
  /** The queue has given an assignment since it came up. */
  #hasQueueGivenWork = false;
  /** There may be work that was not there at the last look. */
  #isOfferDue = false;
  /** Counts calls of `wake`: a lane that missed one does not rest. */
  #wakes = 0;
  #isClosing = false;

  constructor(options: RunEngineOptions) {
    const { store, pool, log, threads, nowMs = Date.now, openQueue } = options;
    this.#store = store;
    this.#log = log;
    const othersAtMs = (team: string): number => this.documents.otherAtMs(team);
    this.#turns = new RunTurns(store.runWork, { othersAtMs });
    const owner = this.#owner;
    this.#waits = new Waits(store, log, owner);
    const isStopping = (): boolean => this.#isClosing;
    const jobs = new RowJobs(pool, isStopping);
    const templates = new RunTemplates(store);
    const protector = new RunProtector(options.protector ?? null, threads, isStopping);
    const shared = { store, templates, owner };
    this.#signer = new RowSigner(options.signing ?? null, isStopping);
    const finishing = { protector, signer: this.#signer };
    this.#chunks = new Chunks({ ...shared, jobs, ...finishing, nowMs, rendersMax: threads });
    this.#prints = new PrintMaker({ ...shared, pool, isStopping });
    const onPartAdded = (): void => this.wake();
    this.#sources = new SourceReader({ store, owner, isStopping, onPartAdded });
    const lanes = threads + EXTRA_LANES;
    this.#queue =
      openQueue?.({
        concurrency: lanes,
        take: (assignment) => this.#take(assignment),
        onDrained: () => this.#requestOffer(),
      }) ?? null;
    this.#lanes = Array.from({ length: lanes }, () => this.#lane());
    this.#offering = this.#queue === null ? Promise.resolve() : this.#offer(this.#queue);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  wake(): void {
    this.#wakes += 1;
    this.#turns.wake();
    this.#requestOffer();
    this.#laneRest.wake();
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
      await this.#store.runWork.releaseAll(this.#owner);
      await this.#store.runPrints.releaseAll(this.#owner);
      await this.#store.runSources.releaseAll(this.#owner);
      return true;
    });
  }

  /** Does step after step, and rests when there is nothing to do, until the engine stops. */
  async #lane(): Promise<void> {
    while (!this.#isClosing) {
      const wakes = this.#wakes;
      const hasWorked = this.#reliesOnQueue ? false : await this.#attempt(() => this.#step());
      const wasWoken = wakes !== this.#wakes;
      if (hasWorked !== true && !wasWoken && !this.#isClosing) await this.#laneRest.take();
    }
  }

  /** Whether the queue gives the work now. It does not if it gives none although there is some. */
  get #reliesOnQueue(): boolean {
    if (this.#queue === null || !this.#queue.isUp || !this.#hasQueueGivenWork) return false;
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
      if (isUp !== true) {
        this.#hasQueueGivenWork = false;
        if (wasUp) this.wake();
      }
      await pause(OFFER_PAUSE_MS);
      if (!this.#isOfferDue && !this.#isClosing) await this.#offerRest.take();
    }
  }

  /** Carries out an assignment, unless another lane or instance does or did. */
  async #take(assignment: Assignment): Promise<void> {
    this.#assignedAtMs = performance.now();
    this.#hasQueueGivenWork = true;
    const work = this.#carryOut(assignment);
    this.#assigned.add(work);
    try {
      const hasWorked = await work;
      // This may have been the last assignment, and there may be new work after it. BullMQ reports an
      // empty queue when nothing waits there, while the last assignments are still in progress.
      if (hasWorked && this.#assigned.size === 1) this.#requestOffer();
    } finally {
      this.#assigned.delete(work);
    }
  }

  /** Returns whether there was anything to do. */
  async #carryOut({ runId, chunkId }: Assignment): Promise<boolean> {
    if (this.#isClosing) return false;
    const hasWorked = await this.#attempt(async () => {
      const run = await this.#store.runWork.activeOne(runId);
      if (run !== null) await this.#turns.begin(run.teamId);
      return run !== null && this.#advance(run, chunkId);
    });
    // Pause after a failure, because the same assignment comes back at once.
    if (hasWorked === null && !this.#isClosing) await this.#laneRest.take();
    return hasWorked === true;
  }

  /** Returns what the step returns, or null when it failed, which is logged. */
  async #attempt(step: () => Promise<boolean>): Promise<boolean | null> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Abandoned) return null;
      const err = describeError(error);
      // Also where there is no run: the database is asked for one time and again.
      if (error instanceof StorageUnavailable)
        this.#log.warn({ msg: 'runs wait for storage', err });
      else this.#log.error({ msg: 'run held up', err });
      return null;
    }
  }

  /** Makes the next offer come as soon as the pause after the last one is over. */
  #requestOffer(): void {
    this.#isOfferDue = true;
    this.#offerRest.wake();
  }

  async #renew(): Promise<void> {
    // Iterate over a copy, because a release that fails is added again.
    for (const lease of Array.from(this.#unreleased)) await this.#release(lease);
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
    return this.#turns.next(async (runId) => {
      const run = await this.#store.runWork.activeOne(runId);
      return run !== null && this.#advance(run);
    });
  }

  /** Advances a run by one step; with `chunkId` by rendering that chunk or not at all. */
  async #advance(run: RunRecord, chunkId: string | null = null): Promise<boolean> {
    try {
      if (this.#waits.isPausing(run) || this.#signer.isWaiting(run)) return false;
      const isChecking = run.state === 'checking';
      if (isChecking && chunkId !== null) return false;
      const hasWorked = isChecking ? await this.#check(run) : await this.#render(run, chunkId);
      if (hasWorked) this.#failedSteps.clear(run.runId);
      if (hasWorked && (await this.#waits.clear(run))) this.wake();
      return hasWorked;
    } catch (error) {
      const wait = waitOf(error);
      if (wait !== null) return await this.#waits.note(run, wait);
      const loss = lossOf(error) ?? this.#failedSteps.add(run.runId, error);
      if (loss === null && error instanceof LeaseLost) return true;
      if (loss === null) throw error;
      this.#log.error({ ...loss.entry, runId: run.runId });
      const { starts } = run;
      const change = { from: [run.state], to: 'stopped', reasons: [loss.reason], starts } as const;
      const isMoved = await this.#store.runs.move(run.runId, change);
      if (isMoved) this.#figures.stopped += 1;
      return isMoved;
    }
  }

  /** Reads the source of the run, or checks a part, and ends the check when all is done. */
  async #check(run: RunRecord): Promise<boolean> {
    const { runWork, runSources } = this.#store;
    const { runId } = run;
    const { source } = run.spec;
    const isSourceRead = source === null || (await runSources.progress(runId)).isRead;
    if (!isSourceRead && (await this.#readSource(run, source))) return true;
    const part = await runWork.leasePart(runId, this.#owner);
    if (part !== null) {
      await this.#withLease({ kind: 'part', runId, part: part.part }, async () => {
        this.#figures.checked += await this.#chunks.checkPart(run, part);
      });
    }
    const left = await runWork.workLeft(runId);
    if (isSourceRead && left.parts === 0 && (await this.#endCheck(run))) return true;
    return part !== null;
  }

  /** Reads the source of a run; false: another instance or lane reads it. */
  async #readSource(run: RunRecord, source: RunSource): Promise<boolean> {
    const { runId, starts } = run;
    const partsDone = await this.#store.runSources.lease(runId, this.#owner);
    if (partsDone === null) return false;
    const reason = await this.#withLease({ kind: 'source', runId }, () =>
      this.#sources.read(run, source, partsDone),
    );
    if (reason === null) return true;
    const change = { from: ['checking'], to: 'stopped', reasons: [reason], starts } as const;
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
    if (left.chunks > 0) return false;
    switch (await this.#makePrint(run)) {
      case 'made':
        return true;
      case 'leased elsewhere':
        return false;
      case 'all made':
        return this.#endRun(run);
    }
  }

  async #renderChunk(run: RunRecord, chunk: RunChunk): Promise<void> {
    const lease: Lease = { kind: 'chunk', chunkId: chunk.chunkId };
    const render = (): Promise<MadeChunk | null> => this.#chunks.renderChunk(run, chunk);
    // The transaction that stores a chunk ends its lease.
    const rendered = await this.#withLease(lease, render, (result) => result !== null);
    if (rendered === null) {
      this.#figures.lost += 1;
      throw new LeaseLost();
    }
    if (this.#signer.clear(run)) this.wake();
    this.#figures.stored += rendered.documents.length;
    this.#figures.failed += rendered.failures.size;
    if (rendered.missingCharacters > 0) this.#reportMissing(run, rendered.missingCharacters);
    if (rendered.failures.size > 0) await this.#stopIfTooManyFailed(run);
  }

  /** Tells the operator that documents of a chunk lack characters that no font has. */
  #reportMissing({ runId, spec: { templateId, version } }: RunRecord, count: number): void {
    this.#figures.missingCharacters += count;
    const msg = 'no font has some characters of the documents of a chunk';
    this.#log.warn({ msg, runId, templateId, version, count });
  }

  async #stopIfTooManyFailed(before: RunRecord): Promise<void> {
    const run = await this.#readAgain(before);
    const reasons = shareReasons(run);
    if (reasons.length === 0) return;
    const { starts } = before;
    const change = { from: ['running'], to: 'stopped', reasons, starts } as const;
    if (await this.#store.runs.move(run.runId, change)) this.#figures.stopped += 1;
  }

  /**
   * Does work that is leased, then releases the lease, unless `endsLease` says that the work has done
   * that. After a failure, others need not wait until the lease expires.
   */
  async #withLease<T>(
    lease: Lease,
    work: () => Promise<T>,
    endsLease: (result: T) => boolean = () => false,
  ): Promise<T> {
    let isReleased = false;
    this.#figures.underWay += 1;
    try {
      const result = await work();
      isReleased = endsLease(result);
      return result;
    } finally {
      this.#figures.underWay -= 1;
      if (!isReleased) await this.#release(lease);
    }
  }

  /**
   * Releases a lease. If that fails, it is tried again before the next renewal, which would
   * otherwise keep the lease.
   */
  async #release(lease: Lease): Promise<void> {
    this.#unreleased.delete(lease);
    const isReleased = await this.#attempt(async () => {
      await this.#releaseInStore(lease);
      return true;
    });
    if (isReleased === null) this.#unreleased.add(lease);
  }

  async #releaseInStore(lease: Lease): Promise<void> {
    const { runWork, runPrints, runSources } = this.#store;
    const owner = this.#owner;
    switch (lease.kind) {
      case 'source':
        return runSources.release(owner, lease.runId);
      case 'part':
        return runWork.releasePart(owner, lease.runId, lease.part);
      case 'chunk':
        return runWork.releaseChunk(owner, lease.chunkId);
      case 'print':
        return runPrints.release(owner, lease.runId, lease.number);
    }
  }

  /** Makes one print file, if one is left to make. */
  async #makePrint(before: RunRecord): Promise<'made' | 'leased elsewhere' | 'all made'> {
    const { runPrints } = this.#store;
    const run = await this.#readAgain(before);
    const { runId } = run;
    if (run.spec.documentsPerPrint === null || run.counts.stored === 0) return 'all made';
    await runPrints.prepare(run);
    const plan = await runPrints.lease(run, this.#owner);
    if (plan === null) {
      return (await runPrints.left(runId)) === 0 ? 'all made' : 'leased elsewhere';
    }
    const isMade = await this.#withLease({ kind: 'print', runId, number: plan.number }, () =>
      this.#prints.make(run, plan),
    );
    if (!isMade) throw new LeaseLost();
    return 'made';
  }

  /** Called when all parts are checked: the run starts to render, stops, or ends as a dry run. */
  async #endCheck(before: RunRecord): Promise<boolean> {
    const run = await this.#readAgain(before);
    const { sums, exceptions } = await this.#store.runTotals.add(run);
    const reasons = afterCheck(run, sums, exceptions);
    const to = stateAfterCheck(run, reasons);
    // Another instance may have ended this check, and a person started the next one.
    const { starts } = before;
    if (run.starts !== starts) return false;
    if (to === 'running') await this.#store.runPrints.clear(run.runId);
    const change = { from: ['checking'], to, reasons, starts } as const;
    const isMoved = await this.#store.runs.move(run.runId, change);
    if (isMoved && to === 'stopped') this.#figures.stopped += 1;
    if (isMoved) this.#log.info({ msg: 'run checked', runId: run.runId, state: to });
    this.wake();
    return isMoved;
  }

  /** Called when all documents are stored and printed: the run is done, or stops. */
  async #endRun(before: RunRecord): Promise<boolean> {
    const run = await this.#readAgain(before);
    if (run.spec.documentsPerPrint !== null) await this.#store.runPrints.settle(run);
    const { sums, exceptions } = await this.#store.runTotals.add(run);
    const reasons = afterRun(run, sums, exceptions);
    const to = reasons.length > 0 ? 'stopped' : 'done';
    const change = { from: ['running'], to, reasons, starts: before.starts } as const;
    const isMoved = await this.#store.runs.move(run.runId, change);
    if (isMoved) this.#figures[to] += 1;
    if (isMoved) this.#log.info({ msg: 'run ended', runId: run.runId, state: to });
    return isMoved;
  }

  /** Reads the run again, whose counts have changed since. */
  async #readAgain({ teamId, runId }: RunRecord): Promise<RunRecord> {
    const found = await this.#store.runs.find(teamId, runId);
    if (!found.found) throw new Error('a run is missing');
    return found.value;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Meter } from './meter.ts';
import { Fleet } from './wire.ts';
import type { Sent } from './wire.ts';

/** A load on one address. Its times begin when the run is made. */
export interface LoadPlan {
  readonly url: string;
  /** Closed loop: callers. */
  readonly callers: number;
  /** Open loop: requests a second; null: closed loop. */
  readonly perSecond: number | null;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Connections of an open loop. A request that finds all of them busy counts as unsent. */
const CONNECTIONS_MAX = 1_024;
const TICK_MS = 1;
/** The longest pause, so that the generator notices the end of the load in time. */
const PAUSE_MS_MAX = 50;

/** One load under way: what is sent next, and what was answered. */
export class Run {
  /** One for each window. */
  readonly meters: readonly Meter[];
  readonly load: LoadPlan;
  readonly fleet: Fleet;
  /** When the measured part begins and ends. */
  readonly beginMs: number;
  readonly endMs: number;
  onAnswer: (sent: Sent) => void = () => undefined;
  readonly #requests: readonly Buffer[];
  #next = 0;
  #isStopped = false;

  /** The requests are ready bytes, which are sent in turn. */
  constructor(load: LoadPlan, requests: readonly Buffer[], windows = 1) {
    this.load = load;
    this.meters = Array.from({ length: windows }, () => new Meter());
    this.#requests = requests;
    const connections = load.perSecond === null ? load.callers : CONNECTIONS_MAX;
    this.fleet = new Fleet(load.url, connections, (sent, status, bytes) => {
      const now = performance.now();
      const { dueMs, writtenMs } = sent;
      if (sent.counts) this.#meterAt(dueMs).add(status, now - dueMs, now - writtenMs, bytes);
      this.onAnswer(sent);
    });
    this.beginMs = performance.now() + load.warmUpMs;
    this.endMs = this.beginMs + load.durationMs;
  }

  /** Ends the load: what is under way is lost, and nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    this.fleet.close();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  send(dueMs: number): void {
    const request = this.#requests[this.#next++ % this.#requests.length];
    if (request === undefined) throw new Error('there is a request for every index');
    const counts = dueMs >= this.beginMs;
    if (!this.fleet.send(request, dueMs, counts) && counts) this.#meterAt(dueMs).addUnsent();
  }

  #meterAt(dueMs: number): Meter {
    const { length } = this.meters;
    const passed = (dueMs - this.beginMs) / this.load.durationMs;
    const meter = this.meters[Math.min(length - 1, Math.floor(passed * length))];
    if (meter === undefined) throw new Error('a request that counts has a window');
    return meter;
  }
}

/** Each response triggers the next request. Even a slow machine gets one response per caller. */
export async function closedLoop(run: Run): Promise<number> {
  let owed = run.load.callers;
  run.onAnswer = (sent) => {
    if (sent.counts) owed -= 1;
    const now = performance.now();
    if (!run.isStopped && (now < run.endMs || owed > 0)) run.send(now);
  };
  for (let i = 0; i < run.load.callers; i++) run.send(performance.now());
  await run.fleet.done();
  return performance.now() - run.beginMs;
}

/** Sends the requests that are due every millisecond; late ones go at once, and none is skipped. */
export async function openLoop(run: Run, perSecond: number): Promise<number> {
  const startMs = performance.now();
  const gapMs = 1000 / perSecond;
  let sent = 0;
  for (let now = startMs; now < run.endMs; now = performance.now()) {
    for (let dueMs = startMs + sent * gapMs; dueMs <= now; dueMs = startMs + sent * gapMs) {
      run.send(dueMs);
      sent += 1;
    }
    const waitMs = Math.max(TICK_MS, startMs + sent * gapMs - now);
    await pause(Math.min(waitMs, PAUSE_MS_MAX));
  }
  await run.fleet.done();
  return run.load.durationMs;
}

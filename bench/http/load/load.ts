import { setTimeout as pause } from 'node:timers/promises';
import { entryAt } from '../../../src/errors.ts';
import { descendantsCpuMs, processCpuMs } from '../../../lab/process/cpu.ts';
import { Meter } from './meter.ts';
import type { Timing } from './meter.ts';
import { generateRequest, mixBodies } from '../requests.ts';
import type { Ingredient } from '../requests.ts';
import { Fleet } from './wire.ts';
import type { Sent } from './wire.ts';

/**
 * The load generator, a separate process: takes a Load as its argument and prints a LoadResult; with
 * Windows as a second argument, a list of them.
 * Closed loop: a number of callers, each waiting for its response. Open loop: a number of requests a
 * second whether or not the earlier ones are answered.
 */
export interface Load {
  readonly url: string;
  readonly key: string;
  /** The documents requested, by weight. */
  readonly mix: readonly Ingredient[];
  /** Closed loop: callers. */
  readonly callers: number;
  /** Open loop: requests a second; null: closed loop. */
  readonly perSecond: number | null;
  /** Process of the service: its CPU is read when the measured part begins and when it ends. */
  readonly pid: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Divides the measured time into windows of equal length; the generator gives a result for each. */
export interface Windows {
  /** Unix time at which the first window begins: another process acts when windows change. */
  readonly beginAtMs: number;
  readonly lengthMs: number;
  readonly count: number;
}

export interface LoadResult {
  readonly durationMs: number;
  readonly delivered: number;
  readonly bytes: number;
  /** CPU during the measured part. */
  readonly serviceCpuMs: number;
  readonly generatorCpuMs: number;
  readonly timing: Timing;
  readonly refusals: Timing | null;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Connections of an open loop. A request that finds all of them busy counts as unsent. */
const CONNECTIONS_MAX = 1_024;
const TICK_MS = 1;
/** The longest pause, so that the generator notices the end of the load in time. */
const PAUSE_MS_MAX = 50;

interface CpuTimes {
  readonly serviceMs: number;
  readonly generatorMs: number;
}

function readCpu(pid: number): CpuTimes {
  const { user, system } = process.cpuUsage();
  return {
    serviceMs: processCpuMs(pid) + descendantsCpuMs(pid),
    generatorMs: (user + system) / 1000,
  };
}

/** One load under way: what is sent next, and what was answered. */
class Run {
  /** One for each window. */
  readonly meters: readonly Meter[];
  readonly load: Load;
  readonly fleet: Fleet;
  /** When the measured part begins and ends. */
  readonly beginMs: number;
  readonly endMs: number;
  onAnswer: (sent: Sent) => void = () => undefined;
  readonly #requests: readonly Buffer[];
  #next = 0;

  constructor(load: Load, windows = 1) {
    this.load = load;
    this.meters = Array.from({ length: windows }, () => new Meter());
    this.#requests = mixBodies(load.mix).map((body) => generateRequest(load.url, load.key, body));
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
async function closedLoop(run: Run): Promise<number> {
  let owed = run.load.callers;
  run.onAnswer = (sent) => {
    if (sent.counts) owed -= 1;
    const now = performance.now();
    if (now < run.endMs || owed > 0) run.send(now);
  };
  for (let i = 0; i < run.load.callers; i++) run.send(performance.now());
  await run.fleet.done();
  return performance.now() - run.beginMs;
}

/** Sends the requests that are due every millisecond; late ones go at once, and none is skipped. */
async function openLoop(run: Run, perSecond: number): Promise<number> {
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

async function measure(load: Load): Promise<LoadResult> {
  const run = new Run(load);
  let before = readCpu(load.pid);
  const begin = setTimeout(() => {
    before = readCpu(load.pid);
  }, load.warmUpMs);
  const cpuAtEnd = pause(load.warmUpMs + load.durationMs).then(() => readCpu(load.pid));
  const durationMs =
    load.perSecond === null ? await closedLoop(run) : await openLoop(run, load.perSecond);
  clearTimeout(begin);
  const after = await cpuAtEnd;
  run.fleet.close();
  return resultOf(entryAt(run.meters, 0), durationMs, before, after);
}

/** A closed loop in windows; its own warm-up is the time until the first one begins. */
async function measureWindows(
  load: Load,
  { beginAtMs, lengthMs, count }: Windows,
): Promise<readonly LoadResult[]> {
  const warmUpMs = beginAtMs - Date.now();
  if (warmUpMs < 0) throw new Error('the load began too late: the machine is too busy');
  const run = new Run({ ...load, warmUpMs, durationMs: count * lengthMs }, count);
  const borders = Array.from({ length: count + 1 }, (_, index) =>
    pause(warmUpMs + index * lengthMs).then(() => readCpu(load.pid)),
  );
  await closedLoop(run);
  const cpu = await Promise.all(borders);
  run.fleet.close();
  return run.meters.map((meter, index) =>
    resultOf(meter, lengthMs, entryAt(cpu, index), entryAt(cpu, index + 1)),
  );
}

function resultOf(meter: Meter, durationMs: number, before: CpuTimes, after: CpuTimes): LoadResult {
  return {
    durationMs,
    delivered: meter.delivered,
    bytes: meter.bytes,
    serviceCpuMs: after.serviceMs - before.serviceMs,
    generatorCpuMs: after.generatorMs - before.generatorMs,
    timing: meter.deliveredTiming(),
    refusals: meter.refusedTiming(),
    statuses: meter.statuses,
  };
}

if (import.meta.main) {
  // The bench passes a Load, and Windows if it wants a result for each.
  const load = JSON.parse(process.argv[2] ?? '') as Load;
  const windows = process.argv[3];
  const result =
    windows === undefined
      ? await measure(load)
      : await measureWindows(load, JSON.parse(windows) as Windows);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

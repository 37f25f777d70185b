import { setTimeout as pause } from 'node:timers/promises';
import { entryAt } from '../../src/errors.ts';
import { descendantsCpuMs, processCpuMs } from '../process/cpu.ts';
import { closedLoop, openLoop, Run, type LoadPlan } from './loop.ts';
import type { Meter, Timing } from './meter.ts';
import { generateRequest, mixBodies } from './requests.ts';
import type { Ingredient } from './requests.ts';

/**
 * The load generator, a separate process: takes a Load as its argument and prints a LoadResult; with
 * Windows as a second argument, a list of them.
 * Closed loop: a number of callers, each waiting for its response. Open loop: a number of requests a
 * second whether or not the earlier ones are answered.
 */
export interface Load extends LoadPlan {
  readonly key: string;
  /** The documents requested, by weight. */
  readonly mix: readonly Ingredient[];
  /** Process of the service: its CPU is read when the measured part begins and when it ends. */
  readonly pid: number;
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

function requestsOf({ url, key, mix }: Load): readonly Buffer[] {
  return mixBodies(mix).map((body) => generateRequest(url, key, body));
}

async function measure(load: Load): Promise<LoadResult> {
  const run = new Run(load, requestsOf(load));
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
  const run = new Run({ ...load, warmUpMs, durationMs: count * lengthMs }, requestsOf(load), count);
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

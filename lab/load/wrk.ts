import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../process/programs.ts';
import { descendantsCpuMs, processCpuMs } from '../process/cpu.ts';
import { endWithBench, temporaryFolder } from '../process/interrupt.ts';
import type { Load, LoadResult } from './load.ts';
import type { Timing } from './meter.ts';
import { mixBodies } from './requests.ts';
import type { LoadRun } from './run-load.ts';
import type { Service } from '../service/service.ts';

/** Figures as wrk.lua prints them. */
interface Figures {
  readonly durationMs: number;
  readonly answers: number;
  /** Answers with a status over 399. */
  readonly refused: number;
  readonly broken: number;
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

const WRK = 'wrk';
const SCRIPT = join(import.meta.dirname, 'wrk.lua');
const ANSWER_WAIT_MS_MAX = 50;
const CPU_SAMPLE_MS = 20;
const RSS_SAMPLE_MS = 100;
const PATIENCE_MS = 60_000;

/**
 * Whether wrk is installed. It shares no code with our generator, so a figure that both report is not
 * an artefact of one of them.
 */
export function hasWrk(): boolean {
  return findProgram(WRK) !== null;
}

/**
 * Chooses where wrk's open loop sleeps between two requests. To let its thread sleep is cheaper, but
 * answers then wait until each idle connection has sent a request.
 */
function sleeper(connections: number, perSecond: number): 'thread' | 'connection' {
  return (connections * 1000) / perSecond > ANSWER_WAIT_MS_MAX ? 'connection' : 'thread';
}

/** wrk takes whole seconds, at least one. */
function commandOf(
  url: string,
  file: string,
  { key, callers, perSecond, durationMs }: WrkLoad,
): readonly [string, ...string[]] {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  const options = ['-t1', `-c${callers}`, `-d${seconds}s`, '--timeout', '30s'];
  const pace = perSecond === null ? [] : [String(perSecond), sleeper(callers, perSecond)];
  return [WRK, ...options, '-s', SCRIPT, url, '--', file, key, ...pace];
}

interface Ended {
  readonly output: string;
  readonly cpuMs: number;
}

/** Runs a command; the CPU time is sampled, and the last sample before its end counts. */
function run([program, ...args]: readonly [string, ...string[]], timeout: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { stdio: [...stdio], timeout, killSignal: 'SIGKILL' });
    endWithBench(child);
    let output = '';
    let errors = '';
    let cpuMs = 0;
    const sampler = setInterval(() => {
      cpuMs = Math.max(cpuMs, processCpuMs(child.pid ?? 0));
    }, CPU_SAMPLE_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(sampler);
      if (code === 0) resolve({ output, cpuMs });
      else reject(new Error(`${program} ended with ${code}: ${errors}`));
    });
  });
}

/**
 * A load without a warm-up: the service is warm. In an open loop, `callers` is the number of
 * connections, and a request that finds all of them busy is late instead of unsent.
 */
export type WrkLoad = Pick<Load, 'mix' | 'callers' | 'perSecond' | 'key' | 'durationMs'>;

/** One load by wrk, which has to be installed. Every ingredient of `mix` is of the same mode. */
export async function runWrk(service: Service, load: WrkLoad): Promise<LoadRun> {
  const { path: folder, remove } = temporaryFolder('intaglio-bench-bodies-');
  const rssMb = [service.rssMb()];
  const sampler = setInterval(() => rssMb.push(service.rssMb()), RSS_SAMPLE_MS);
  const cpu = (): number => processCpuMs(service.pid) + descendantsCpuMs(service.pid);
  try {
    const file = join(folder, 'bodies.txt');
    writeFileSync(file, `${mixBodies(load.mix).join('\n')}\n`);
    const command = commandOf(`${service.url}/v1/generate`, file, load);
    const beforeMs = cpu();
    const { output, cpuMs } = await run(command, PATIENCE_MS + load.durationMs);
    const serviceCpuMs = cpu() - beforeMs;
    // The last line of wrk.lua is its figures.
    const figures = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figures;
    const status = load.mix[0]?.mode === 'async' ? '201' : '200';
    return { result: resultOf(figures, status, serviceCpuMs, cpuMs), rssMb };
  } finally {
    clearInterval(sampler);
    remove();
  }
}

function resultOf(
  figures: Figures,
  status: string,
  serviceCpuMs: number,
  generatorCpuMs: number,
): LoadResult {
  const { durationMs, answers, refused, broken, bytes, p50Ms, p95Ms, p99Ms } = figures;
  const latencies = { p50Ms, p95Ms, p99Ms };
  const timing: Timing = { due: latencies, written: latencies };
  const delivered = answers - refused;
  const statuses = { [status]: delivered, refused, error: broken };
  const known = Object.entries(statuses).filter(([, count]) => count > 0);
  return {
    durationMs,
    delivered,
    bytes,
    serviceCpuMs,
    generatorCpuMs,
    timing,
    refusals: null,
    statuses: Object.fromEntries(known),
  };
}

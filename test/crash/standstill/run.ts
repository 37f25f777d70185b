/**
 * A run whose service stands still (SIGSTOP) again and again while its wall clock is set forward and
 * back by ten minutes:
 * `node test/crash/standstill/run.ts [rows, default 20000] [stops, 30] [ms of a stop, 15000]`.
 * The stops are spread over the progress of the run. Prints one line; exits with 1 when a row failed,
 * an invariant was violated, or the service made no progress for 25 s while it was not stopped.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunRecord } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Place } from '../invariants.ts';
import {
  addRun,
  countAudits,
  countFaults,
  manifestOf,
  open,
  prepare,
  rowFaults,
  serve,
} from '../runs/kill-run.ts';

const STANDSTILL_MS_MAX = 25_000;
const LOOK_MS = 100;
const JUMP_MS = 600_000;
/** The clock is set after every other stop, in turn to these. */
const SHIFTS = [JUMP_MS, 0, -JUMP_MS, JUMP_MS, -JUMP_MS, 0];
const INVALID_EACH = 100;
const PRINTS_MAX = 1_000;

const [rows = 20_000, stops = 30, stopMs = 15_000] = process.argv.slice(2).map(Number);

interface Ended {
  readonly run: RunRecord;
  readonly stopped: number;
  readonly jumps: number;
  readonly longestMs: number;
}

/** What the run has done, as a number that grows, and as a text that changes with each step. */
async function progressOf(store: Store, run: RunRecord): Promise<{ done: number; text: string }> {
  const { counts, state } = run;
  const { parts, chunks } = await store.runWork.workLeft(run.runId);
  const prints = (await store.runPrints.list(run, PRINTS_MAX, 0)).items.length;
  // Checking a row and storing it count alike.
  const done = counts.received + counts.stored;
  return { done, text: JSON.stringify([state, counts, parts, chunks, prints]) };
}

async function find(store: Store, runId: string): Promise<RunRecord> {
  const found = await store.runs.find('bank', runId);
  if (!found.found) throw new Error('the run was not found');
  return found.value;
}

/** Stops the service at even steps of progress, until the run has settled. */
async function watch(
  store: Store,
  runId: string,
  service: ChildProcess,
  setClock: (shiftMs: number) => Promise<void>,
): Promise<Ended> {
  let [stopped, jumps, longestMs] = [0, 0, 0];
  let before = '';
  let sinceMs = performance.now();
  for (;;) {
    const run = await find(store, runId);
    const { done, text } = await progressOf(store, run);
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - sinceMs);
    if (text !== before) sinceMs = nowMs;
    before = text;
    const isSettled = run.state !== 'checking' && run.state !== 'running';
    if (isSettled || longestMs > 4 * STANDSTILL_MS_MAX) return { run, stopped, jumps, longestMs };
    if (stopped < stops && done >= (2 * rows * stopped) / stops) {
      // Somewhere between two steps, not right after one.
      await pause(Math.random() * 2 * LOOK_MS);
      const stoppedAtMs = performance.now();
      service.kill('SIGSTOP');
      if (stopped % 2 === 1) {
        await setClock(SHIFTS[jumps % SHIFTS.length] ?? 0);
        jumps += 1;
      }
      await pause(stopMs);
      service.kill('SIGCONT');
      stopped += 1;
      sinceMs += performance.now() - stoppedAtMs;
    }
    await pause(LOOK_MS);
  }
}

async function violationsOf(store: Store, { run, longestMs }: Ended): Promise<readonly string[]> {
  const violations: string[] = [];
  const plan = { place: { databaseUrl: '', folder: '' }, rows, invalidEach: INVALID_EACH };
  if (run.state !== 'done') violations.push(`${run.state}: ${JSON.stringify(run.reasons)}`);
  if (longestMs > STANDSTILL_MS_MAX) violations.push(`no progress for ${longestMs} ms`);
  const manifest = await manifestOf(store, run);
  violations.push(...rowFaults(plan, manifest), ...countFaults(run, manifest));
  const audits = await countAudits(store, run.runId);
  const { stored } = run.counts;
  if (audits !== stored) violations.push(`${audits} audit records, ${stored} rows stored`);
  return violations;
}

async function standStill(folder: string): Promise<void> {
  const place: Place = { databaseUrl: `sqlite:${join(folder, 'db')}`, folder };
  const clockFile = join(folder, 'shift');
  await mkdir(join(folder, 'spool'), { recursive: true });
  const setClock = (shiftMs: number): Promise<void> => writeFile(clockFile, `${shiftMs}`);
  await setClock(0);
  await prepare(place);
  const runId = await addRun({ place, rows, invalidEach: INVALID_EACH });
  const preload = `--require=${join(import.meta.dirname, 'shifted-clock.ts')}`;
  const service = await serve(place, { NODE_OPTIONS: preload, CLOCK_SHIFT_FILE: clockFile });
  const store = await open(place);
  try {
    const ended = await watch(store, runId, service, setClock);
    service.kill('SIGTERM');
    const [code] = (await once(service, 'exit')) as [number | null];
    const violations = await violationsOf(store, ended);
    if (code !== 0) process.stdout.write(`the service ended with ${code}\n`);
    if (violations.length > 0) process.stdout.write(`${violations.join('\n')}\n`);
    if (code !== 0 || violations.length > 0) process.exitCode = 1;
    const { run, stopped, jumps, longestMs } = ended;
    const { stored, failed } = run.counts;
    process.stdout.write(
      `${rows} rows, ${stopped} stops of ${stopMs} ms, ${jumps} clock jumps: ${stored} stored,` +
        ` ${failed} failed, longest stand-still ${Math.round(longestMs)} ms\n`,
    );
  } finally {
    await store.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'intaglio-standstill-'));
try {
  await standStill(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryAt } from '../../src/errors.ts';
import { processCpuMs } from '../../lab/process/cpu.ts';
import { step } from '../harness/progress.ts';
import { percentile, type Spread, spread } from '../../lab/stats.ts';
import { Fleet } from '../../lab/load/wire.ts';
import { generateRequest } from '../../lab/load/requests.ts';
import { type Service, startService } from '../../lab/service/service.ts';
import { OwnFault } from './fault.ts';
import type { ServiceRate } from './figures.ts';
import { keepWork, type Work } from './jobs.ts';
import type { PoolArguments } from './pool.ts';
import { PoolProcess } from './threads.ts';
import type { OwnPlan } from './turns.ts';

/** Callers that keep all threads busy. A single caller sees the latency of an idle service. */
const BUSY_CALLERS = 16;
const WARM_UP_MAX_MS = 60_000;
const ADMIN = 'bench-own';
const TEAM = 'bench';
const PUBLISH_TIMEOUT_MS = 300_000;
/** A document that costs almost nothing except HTTP. */
const ONE_WORD: Work = {
  template: Buffer.from(
    JSON.stringify({
      templateId: 'bench-http',
      name: 'One word',
      fields: [],
      document: { content: ['Word'] },
    }),
  ),
  templateId: 'bench-http',
  rows: [Buffer.from('{}')],
};

/** The folder in which a pool finds its documents, and the settings of its engine. */
type PoolSource = Pick<PoolArguments, 'folder' | 'settings'>;

/**
 * Starts a service with a thread a core, publishes the template and requests its documents, in turns
 * with a pool of as many threads: the cost of HTTP is the difference.
 */
export function measureService(
  work: Work,
  pool: PoolSource,
  plan: OwnPlan,
): Promise<readonly ServiceRate[]> {
  return besideService(work, pool, plan, (target, renamed, beside) =>
    measureCallers(target, renamed, plan, beside),
  );
}

/**
 * CPU milliseconds that HTTP adds to a document on this machine (request, key, rate limit, audit
 * row, reply): the difference between a service and a pool that render a one-word page in turns.
 */
export async function measureHttp(
  settings: PoolSource['settings'],
  plan: OwnPlan,
): Promise<Spread> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-http-'));
  try {
    keepWork(ONE_WORD, folder);
    return await besideService(
      ONE_WORD,
      { folder, settings },
      plan,
      async (target, work, beside) => {
        const requests = requestsOf(target, work);
        await warmUp(target, requests, plan);
        const rounds = await roundsOf(target, requests, BUSY_CALLERS, plan, beside);
        return spread(
          rounds.map(({ cpuMs, poolCpuMs }) => Math.max(0, (cpuMs ?? 0) - (poolCpuMs ?? 0))),
        );
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `measure` on a new service that has the template, beside a warm pool with as many threads.
 */
async function besideService<T>(
  work: Work,
  pool: PoolSource,
  plan: OwnPlan,
  measure: (target: Target, renamed: Work, beside: PoolProcess) => Promise<T>,
): Promise<T> {
  step('starting a service');
  const threads = cpus().length;
  const service = await startService([], { settings: { INTAGLIO_POOL_THREADS: String(threads) } });
  try {
    const renamed = rename(work);
    await publish(service, renamed);
    const beside = await PoolProcess.start({
      ...pool,
      threads,
      warmUpMs: plan.loadWarmUpMs,
      ms: plan.loadMs,
    });
    try {
      const target = { url: service.url, key: service.keys[0], pid: service.pid };
      return await measure(target, renamed, beside);
    } finally {
      await beside.stop();
    }
  } finally {
    await service.stop();
  }
}

/** The template under an id of its own: the service has samples already, whose ids it may have. */
function rename({ template, rows }: Work): Work {
  // It compiled, so it is a JSON object.
  const file = JSON.parse(new TextDecoder().decode(template)) as object;
  const templateId = 'bench-own';
  return { template: Buffer.from(JSON.stringify({ ...file, templateId })), templateId, rows };
}

/** A service that is measured; `pid` null: it is not a process of this bench. */
interface Target {
  readonly url: string;
  readonly key: string;
  readonly pid: number | null;
}

/**
 * Measures a running service that has the template under one caller and under many. `beside`: a
 * pool that takes turns with the service.
 */
export async function measureCallers(
  target: Target,
  work: Pick<Work, 'templateId' | 'rows'>,
  plan: OwnPlan,
  beside: PoolProcess | null,
): Promise<readonly ServiceRate[]> {
  const requests = requestsOf(target, work);
  await warmUp(target, requests, plan);
  const idle = await roundsOf(target, requests, 1, plan, null);
  const busy = await roundsOf(target, requests, BUSY_CALLERS, plan, beside);
  return [middle(idle), middle(busy)];
}

function requestsOf(
  { url, key }: Target,
  work: Pick<Work, 'templateId' | 'rows'>,
): readonly Buffer[] {
  const id = JSON.stringify(work.templateId);
  return work.rows.map((row) => {
    const body = `{"templateId":${id},"mode":"sync","data":${Buffer.from(row).toString()}}`;
    return generateRequest(url, key, body);
  });
}

/**
 * Warms the service up by CPU time, if that can be read: a busy machine must not shorten the
 * warm-up.
 */
async function warmUp(target: Target, requests: readonly Buffer[], plan: OwnPlan): Promise<void> {
  step('service: warm up');
  const startMs = performance.now();
  let warmedMs = 0;
  do {
    const { cores } = await load(target, requests, BUSY_CALLERS, plan.loadMs);
    warmedMs += plan.loadMs * (cores ?? 1);
  } while (warmedMs < plan.loadWarmUpMs && performance.now() - startMs < WARM_UP_MAX_MS);
}

/** Measures rounds of a load, each after a round of the pool. */
async function roundsOf(
  target: Target,
  requests: readonly Buffer[],
  callers: number,
  plan: OwnPlan,
  beside: PoolProcess | null,
): Promise<readonly ServiceRate[]> {
  const rounds: ServiceRate[] = [];
  for (let round = 0; round < plan.loadRounds; round++) {
    step(`service: ${callers} callers`);
    const pool = (await beside?.round()) ?? null;
    const rate = await load(target, requests, callers, plan.loadMs);
    rounds.push({ ...rate, poolCpuMs: pool?.cpuMs ?? null });
  }
  return rounds;
}

function orderOf({ cpuMs, poolCpuMs, documentsPerSecond }: ServiceRate): number {
  return cpuMs === null || poolCpuMs === null ? documentsPerSecond : cpuMs / poolCpuMs;
}

/**
 * The round that is in the middle: by the cost of HTTP, where the pool took turns, as both have met the
 * same load of other programs; else by its rate.
 */
function middle(rounds: readonly ServiceRate[]): ServiceRate {
  const ordered = rounds.toSorted((a, b) => orderOf(a) - orderOf(b));
  return entryAt(ordered, ordered.length >> 1);
}

/** Ends the bench where a rate would be that of a limit, or of answers that make no document. */
function refuseRefusals(refused: ReadonlyMap<number, number>, delivered: number): void {
  const [first] = refused;
  if (first === undefined) return;
  const [status, count] = first;
  const answers = delivered + [...refused.values()].reduce((sum, number) => sum + number, 0);
  const share = `${count} of ${answers} requests were answered ${status}`;
  throw new OwnFault(
    status === 429
      ? `${share}: the limit of the key would be measured, not the service. ` +
          'Make a key with a higher limit: intaglio keys add --help'
      : `${share}: no rate of documents can be told`,
  );
}

/** Callers that wait for each document before they ask for the next one. */
async function load(
  { url, pid }: Target,
  requests: readonly Buffer[],
  callers: number,
  ms: number,
): Promise<ServiceRate> {
  const latencies: number[] = [];
  const refused = new Map<number, number>();
  const cpuBefore = pid === null ? 0 : processCpuMs(pid);
  const startMs = performance.now();
  let next = 0;
  const fleet = new Fleet(url, callers, ({ dueMs }, status) => {
    const now = performance.now();
    if (status === 200) latencies.push(now - dueMs);
    else refused.set(status, (refused.get(status) ?? 0) + 1);
    if (now < startMs + ms) sendNext(now);
  });
  const sendNext = (now: number): void => {
    const request = requests[next++ % requests.length];
    if (request !== undefined) fleet.send(request, now, true);
  };
  for (let caller = 0; caller < callers; caller++) sendNext(startMs);
  await fleet.done();
  fleet.close();
  const wallMs = performance.now() - startMs;
  refuseRefusals(refused, latencies.length);
  const sorted = Float64Array.from(latencies).toSorted();
  const cpuMs = pid === null ? null : (processCpuMs(pid) - cpuBefore) / latencies.length;
  return {
    callers,
    machineCores: cpus().length,
    documentsPerSecond: (latencies.length * 1000) / wallMs,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMs,
    cores: cpuMs === null ? null : (cpuMs * latencies.length) / wallMs,
    onAllCores: cpuMs === null ? null : (cpus().length * 1000) / cpuMs,
    poolCpuMs: null,
  };
}

async function publish({ url, command }: Service, { template, templateId }: Work): Promise<void> {
  await command('users', 'add', ADMIN, '--team', TEAM, '--role', 'Admin');
  // The command's own output.
  const { cookie } = (await command('sessions', 'add', ADMIN)) as { cookie: string };
  const address = `${url}/v1/templates/${encodeURIComponent(templateId)}`;
  const headers = { cookie, 'content-type': 'application/json', origin: url };
  const source = Buffer.from(template).toString();
  for (const [method, path, body] of [
    ['PUT', '/draft', source],
    ['POST', '/publish', '{}'],
  ] as const) {
    const signal = AbortSignal.timeout(PUBLISH_TIMEOUT_MS);
    const response = await fetch(address + path, { method, headers, body, signal });
    const text = await response.text();
    if (!response.ok) throw new OwnFault(`the service does not publish the template: ${text}`);
  }
}

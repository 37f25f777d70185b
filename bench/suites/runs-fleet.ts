import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { startRedis } from '../../test/fixtures/redis.ts';
import { startFakeS3 } from '../../test/store/fake-s3.ts';
import { startMariaDb } from '../../test/store/mariadb.ts';
import { startObjectStore } from '../../test/store/radosgw.ts';
import { childrenCpuMs, processCpuMs } from '../harness/cpu.ts';
import { pinThisProcess } from '../harness/pin.ts';
import { startInstance, startService, type Service } from '../http/service.ts';
import { describeRun, makeRun } from './runs.ts';

const ROUNDS = 2;
const WARM_DOCUMENTS = 500;
const POLL_MS = 50;

/** Servers that instances share. */
interface Shared {
  readonly database: { freshUrl(): Promise<string> };
  readonly files: { freshUrl(): Promise<string> };
  readonly filesName: string;
  readonly queueUrl: string;
  stop(): Promise<void>;
}

interface Measured {
  readonly documentsPerSecond: number;
  /** CPU time of all instances together. */
  readonly cpuMsPerDocument: number;
  /** CPU time of database, queue, object store and this bench together. */
  readonly otherMsPerDocument: number;
}

/**
 * A run of receipts on one instance and on two, each on one core with one renderer, over MariaDB,
 * Redis and an object store: radosgw where it is installed, else one in this process. On two cores the
 * servers of one instance have a core that nobody else uses, those of two have none; so one instance
 * is measured beside its servers on one core, too. Lines for people.
 */
export async function measureFleet(
  documents: number,
  rounds: number | null,
): Promise<readonly string[]> {
  const count = rounds ?? ROUNDS;
  const found: [Measured[], Measured[]] = [[], []];
  const filesName = await withShared(null, async (shared) => {
    for (let round = 0; round < count; round++) {
      found[0].push(await measure(shared, 1, documents));
      found[1].push(await measure(shared, 2, documents));
    }
  });
  const crowded: Measured[] = [];
  await withShared(0, async (shared) => {
    for (let round = 0; round < count; round++) crowded.push(await measure(shared, 1, documents));
  });
  const [one, two, beside] = [...found, crowded].map(median) as [Measured, Measured, Measured];
  const ratioTo = (other: Measured): string =>
    (two.documentsPerSecond / other.documentsPerSecond).toFixed(2);
  const tell = (name: string, measured: Measured): string =>
    `${name}: ${measured.documentsPerSecond.toFixed(0)} /s; CPU a document: instances ` +
    `${measured.cpuMsPerDocument.toFixed(2)} ms, servers and bench ` +
    `${measured.otherMsPerDocument.toFixed(2)} ms`;
  return [
    `run of ${documents} receipts on MariaDB, Redis and ${filesName}, median of ${count}; ` +
      `each instance has one core`,
    tell('one instance, its servers on any core', one),
    tell('one instance, its servers on its core', beside),
    tell('two instances, their servers on any core', two),
    `two over one: × ${ratioTo(one)}; over one with its servers on its core: × ${ratioTo(beside)}`,
  ];
}

/** Starts the servers, and this process, on `core`; returns the name of the object store. */
async function withShared(
  core: number | null,
  work: (shared: Shared) => Promise<void>,
): Promise<string> {
  pinThisProcess(core);
  try {
    const shared = await startShared();
    try {
      await work(shared);
      return shared.filesName;
    } finally {
      await shared.stop();
    }
  } finally {
    pinThisProcess(null);
  }
}

async function startShared(): Promise<Shared> {
  const [database, redis] = [await startMariaDb(), await startRedis()];
  if (database.server === null) throw new Error(database.reason);
  if (redis.server === null) throw new Error(redis.reason);
  const objects = await startObjectStore();
  const fake = objects.server === null ? await startFakeS3() : null;
  const stops = [database.server, redis.server, objects.server, fake];
  return {
    database: database.server,
    files: objects.server ?? {
      freshUrl: () => {
        // Objects of the last measurement would fill the memory.
        fake?.objects.clear();
        return Promise.resolve(fake?.url ?? '');
      },
    },
    filesName: fake === null ? 'radosgw' : 'an object store in memory',
    queueUrl: redis.server.url,
    stop: async () => {
      for (const one of stops) await one?.stop();
    },
  };
}

async function measure(shared: Shared, instances: 1 | 2, documents: number): Promise<Measured> {
  const settings = {
    INTAGLIO_DATABASE_URL: await shared.database.freshUrl(),
    INTAGLIO_FILES_URL: await shared.files.freshUrl(),
    INTAGLIO_QUEUE_URL: shared.queueUrl,
    INTAGLIO_POOL_THREADS: '1',
  };
  const first = await startService(['A'], { scopes: ['runs'], settings, core: 0 });
  const client = new Pool(first.url, { connections: 4 });
  const second = instances === 2 ? await startInstance(settings, 1) : null;
  try {
    await timeRun(first, client, WARM_DOCUMENTS * instances);
    const pids = [first.pid, ...(second === null ? [] : [second.pid])];
    const own = (): number => pids.reduce((sum, pid) => sum + processCpuMs(pid), 0);
    const runId = await makeRun(first, client, documents);
    const before = { own: own(), all: everyoneCpuMs() };
    const seconds = await untilDone(first, client, runId);
    const cpuMs = own() - before.own;
    return {
      documentsPerSecond: documents / seconds,
      cpuMsPerDocument: cpuMs / documents,
      otherMsPerDocument: (everyoneCpuMs() - before.all - cpuMs) / documents,
    };
  } finally {
    await client.close();
    await second?.stop();
    await first.stop();
  }
}

/** CPU time of this process and of all processes it started. */
function everyoneCpuMs(): number {
  return childrenCpuMs() + processCpuMs(process.pid);
}

async function timeRun(service: Service, client: Pool, documents: number): Promise<void> {
  await untilDone(service, client, await makeRun(service, client, documents));
}

/** Starts a run; returns the seconds until it is done. */
async function untilDone(service: Service, client: Pool, runId: string): Promise<number> {
  const startMs = performance.now();
  let run = await describeRun(service, client, 'POST', `/v1/runs/${runId}/start`);
  while (run.state === 'checking' || run.state === 'running') {
    await pause(POLL_MS);
    run = await describeRun(service, client, 'GET', `/v1/runs/${runId}`);
  }
  if (run.state !== 'done') throw new Error(`the run ended ${run.state}: ${JSON.stringify(run)}`);
  return (performance.now() - startMs) / 1000;
}

function median(all: readonly Measured[]): Measured {
  const sorted = all.toSorted((one, other) => one.documentsPerSecond - other.documentsPerSecond);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

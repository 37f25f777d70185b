import { startRedis } from '../../lab/servers/redis.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { startObjectStore } from '../../lab/servers/radosgw.ts';
import { descendantsCpuMs, processCpuMs } from '../../lab/process/cpu.ts';
import { pinThisProcess } from '../../lab/process/pin.ts';
import { startInstance, startService } from '../../lab/service/service.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';
import { RunClient } from './run-client.ts';
import { ASYNC_CALLERS, ASYNC_SHARE, measureAsync, type Rate } from './runs.ts';
import { MissingTool } from '../harness/tools.ts';

const ROUNDS = 2;
const WARM_DOCUMENTS = 500;
const WARM_SEED = 4_000_000;
const ASYNC_SEED = 5_000_000;
const CONNECTIONS = ASYNC_CALLERS;

/** The servers that the instances share. */
interface Servers {
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
  /** Async generate on the first instance, before the run. */
  readonly async: Rate;
}

/**
 * A run of receipts on one instance and on two, each on one core with one renderer, over MariaDB,
 * Redis and an object store: radosgw where it is installed, else one in this process. On two cores,
 * the servers of one instance have a core to themselves and those of two instances have none; so one
 * instance is also measured with its servers on its own core.
 */
export async function measureFleet(
  documents: number,
  rounds: number | null,
): Promise<readonly NamedTable[]> {
  const count = rounds ?? ROUNDS;
  const one: Measured[] = [];
  const two: Measured[] = [];
  const crowded: Measured[] = [];
  const filesName = await withServers(null, async (servers) => {
    for (let round = 0; round < count; round++) {
      one.push(await measure(servers, 1, documents));
      two.push(await measure(servers, 2, documents));
    }
  });
  await withServers(0, async (servers) => {
    for (let round = 0; round < count; round++) crowded.push(await measure(servers, 1, documents));
  });
  const title =
    `A run of ${documents.toLocaleString('en')} receipts on MariaDB, Redis and ${filesName}, ` +
    `median of ${count}; each instance has one core`;
  const rows = [
    ['one instance, its servers on any core', medianOf(one)],
    ['one instance, its servers on its core', medianOf(crowded)],
    ['two instances, their servers on any core', medianOf(two)],
  ] as const;
  return [
    {
      name: 'fleet',
      title,
      head: [`receipts on MariaDB, Redis and ${filesName}`, ...HEAD],
      rows: rows.map(([name, measured]) => rowOf(name, measured, medianOf(one))),
    },
  ];
}

const HEAD = [
  'documents/s',
  '× one instance',
  'CPU ms of the instances',
  'CPU ms of servers and bench',
  'async, 32 callers: documents/s',
  'CPU ms of the instances',
] as const;

function rowOf(name: string, measured: Measured, one: Measured): string[] {
  const { documentsPerSecond, cpuMsPerDocument, otherMsPerDocument, async } = measured;
  return [
    name,
    documentsPerSecond.toFixed(0),
    figure(documentsPerSecond / one.documentsPerSecond),
    figure(cpuMsPerDocument),
    figure(otherMsPerDocument),
    async.documentsPerSecond.toFixed(0),
    figure(async.cpuMsPerDocument),
  ];
}

/**
 * Pins this process to `core` and starts the servers there; null: any core. Returns the name of the
 * object store.
 */
async function withServers(
  core: number | null,
  work: (servers: Servers) => Promise<void>,
): Promise<string> {
  pinThisProcess(core);
  try {
    const servers = await startServers();
    try {
      await work(servers);
      return servers.filesName;
    } finally {
      await servers.stop();
    }
  } finally {
    pinThisProcess(null);
  }
}

async function startServers(): Promise<Servers> {
  const database = await startMariaDb();
  const redis = await startRedis();
  if (database.server === null || redis.server === null) {
    await Promise.all([database.server?.stop(), redis.server?.stop()]);
    const packages = 'mariadb-server-core mariadb-client-core redis-server';
    throw new MissingTool('bench runs fleet', 'MariaDB and Redis', packages);
  }
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

/** Times one run on fresh instances, databases and files. */
async function measure(servers: Servers, instances: 1 | 2, documents: number): Promise<Measured> {
  const settings = {
    INTAGLIO_DATABASE_URL: await servers.database.freshUrl(),
    INTAGLIO_FILES_URL: await servers.files.freshUrl(),
    INTAGLIO_QUEUE_URL: servers.queueUrl,
    INTAGLIO_POOL_THREADS: '1',
  };
  const first = await startService(['A'], { scopes: ['runs'], settings, core: 0 });
  const client = new RunClient(first, CONNECTIONS);
  const second = instances === 2 ? await startInstance(settings, 1) : null;
  try {
    await client.finish(await client.make(WARM_DOCUMENTS * instances));
    const pids = [first.pid, ...(second === null ? [] : [second.pid])];
    const instancesCpuMs = (): number => pids.reduce((sum, pid) => sum + processCpuMs(pid), 0);
    const asyncDocuments = Math.ceil(documents / ASYNC_SHARE);
    await measureAsync(first, client, Math.min(WARM_DOCUMENTS, asyncDocuments), WARM_SEED);
    const async = await measureAsync(first, client, asyncDocuments, ASYNC_SEED);
    const runId = await client.make(documents);
    const before = { instances: instancesCpuMs(), total: totalCpuMs() };
    const { seconds } = await client.finish(runId);
    const cpuMs = instancesCpuMs() - before.instances;
    return {
      documentsPerSecond: documents / seconds,
      cpuMsPerDocument: cpuMs / documents,
      otherMsPerDocument: (totalCpuMs() - before.total - cpuMs) / documents,
      async,
    };
  } finally {
    await client.close();
    await second?.stop();
    await first.stop();
  }
}

/** CPU time of this process and of all processes it started. */
function totalCpuMs(): number {
  return descendantsCpuMs() + processCpuMs(process.pid);
}

/** The measurement with the median rate. */
function medianOf(all: readonly Measured[]): Measured {
  const sorted = all.toSorted((one, other) => one.documentsPerSecond - other.documentsPerSecond);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

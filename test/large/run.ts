/**
 * The service on a database with years of rows:
 *
 *   node test/large/run.ts [--database mariadb|sqlite] [--rows 1000000] [--from FOLDER] [--only …]
 *
 * `--rows 10000000` takes 12 GB of disk and an hour. `--from` is a checkout of the version whose
 * schema is filled and then upgraded, with its node_modules; without it the schema is this version's.
 * fill.ts describes the rows. `--only upgrade,routes` chooses from these steps:
 *
 *   upgrade   `migrate`, killed three times in the middle, then to its end
 *   index     MariaDB: the index over documents that are due, built anew, killed in the middle
 *   start     `serve` until it listens
 *   routes    each route that reads a table which grows, and the statements that examined many rows
 *   sweep     a tenth of the documents and of the claims has expired; sync generate beside it, and
 *             without it
 *   backup    `backup`, and `restore` into an empty database; sync generate beside both, and without
 *
 * Prints a line for each result. With `--url` it works on a database that is filled already.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { environment, intaglio } from '../../lab/service/command-line.ts';
import { callAndTell } from '../fairness/where.ts';
import { startServiceProcess, type ServiceProcess } from './service-process.ts';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';
import { callSteadily, describeCalls } from './calls.ts';
import { fill, openTarget } from './fill.ts';
import { addCallers, askEverything, type Callers } from './routes.ts';
import { startSlowLog } from './slow-log.ts';
import { migrate, migrateKilled } from './upgrade.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'mariadb' },
    rows: { type: 'string', default: '1000000' },
    from: { type: 'string' },
    url: { type: 'string' },
    only: { type: 'string', default: 'upgrade,index,start,routes,sweep,backup' },
    seconds: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '20' },
  },
});

const rows = Number(options.rows);
const steps = new Set(options.only.split(','));
const SERVER = [
  '--innodb-buffer-pool-size=2G',
  '--innodb-log-file-size=1G',
  '--innodb-flush-method=O_DIRECT',
];
/** A statement is told of when it takes longer or examines more. */
const SLOW_SECONDS = 1;
const EXAMINED_ROWS = 25_000;
const SWEEP_MS_MAX = 3 * 3_600_000;
const LOOK_MS = 5_000;
/** The first calls of a process are slower, whatever goes on beside them. */
const WARM_MS = 3_000;

const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

const root = await mkdtemp(join(tmpdir(), 'intaglio-large-'));
const isMariaDb = options.database === 'mariadb';
const server = isMariaDb && options.url === undefined ? await startServer() : null;
const databaseUrl =
  options.url ?? (await server?.freshUrl()) ?? `sqlite:${join(root, 'intaglio.db')}`;
const env = environment(root, {
  INTAGLIO_DATABASE_URL: databaseUrl,
  INTAGLIO_LINK_SECRETS: 'a secret that is long enough to sign links',
});
const filesUrl = env['INTAGLIO_FILES_URL'] ?? '';

async function startServer(): Promise<MariaDb> {
  const started = await startMariaDb(SERVER);
  if (started.server === null) throw new Error(started.reason);
  return started.server;
}

/** Runs a step with a service, which ends after it. */
async function withService(
  more: Readonly<Record<string, string>>,
  step: (service: ServiceProcess) => Promise<void>,
): Promise<void> {
  const service = await startServiceProcess({ ...env, ...more });
  try {
    await step(service);
  } finally {
    await service.stop();
  }
  const complaints = [...service.complaints].map(([message, times]) => `${times} × ${message}`);
  if (complaints.length > 0) say(`  its log: ${complaints.join('; ')}`);
}

/** A service that has swept and sealed what it begins with would hide it from the next step. */
const QUIET = { INTAGLIO_SWEEP_INTERVAL_SECONDS: '86400' };

async function routes(callers: Callers): Promise<void> {
  const log = isMariaDb
    ? await startSlowLog(databaseUrl, { seconds: SLOW_SECONDS, rows: EXAMINED_ROWS })
    : null;
  await withService(QUIET, (service) =>
    askEverything(service.url, callers, (line) => say(`  ${line}`)),
  );
  await tell(log);
}

/** Says which statements the log has, and ends it. */
async function tell(log: Awaited<ReturnType<typeof startSlowLog>> | null): Promise<void> {
  for (const { seconds, examined, text } of (await log?.take()) ?? []) {
    say(`  ${seconds.toFixed(1)} s, ${examined} rows examined: ${text}`);
  }
  await log?.close();
}

/** The sweep begins with the service, so calls without it come after it. */
async function sweep(callers: Callers): Promise<void> {
  const target = await openTarget(databaseUrl);
  const isDue = `state in (0, 1) and expires_at_ms < ${Date.now()}`;
  const due = await target.count('documents', isDue);
  const claims = await target.count('idempotency');
  const left = async (): Promise<number> =>
    (await target.count('documents', isDue)) + (await target.count('idempotency'));
  const log = isMariaDb
    ? await startSlowLog(databaseUrl, { seconds: SLOW_SECONDS, rows: EXAMINED_ROWS })
    : null;
  await withService(QUIET, async (service) => {
    const { url } = service;
    const load = { perSecond: Number(options['per-second']), ms: Number(options.seconds) * 1_000 };
    const startMs = performance.now();
    await callSteadily(url, callers.smallKey, { ...load, ms: WARM_MS });
    const { calls: beside, used } = await callAndTell(service, callers.smallKey, load);
    say(`  beside the sweep: ${describeCalls(beside)}; ${used}`);
    while ((await left()) > 0 && performance.now() - startMs < SWEEP_MS_MAX) await pause(LOOK_MS);
    say(
      `  swept ${due} documents and ${claims} claims, ${await left()} left, in` +
        ` ${secondsSince(startMs)} s; CPU ${await service.cpuSeconds()} s,` +
        ` most memory ${await service.peakMb()} MB`,
    );
    const { calls: alone, used: usedAlone } = await callAndTell(service, callers.smallKey, load);
    say(`  without it: ${describeCalls(alone)}; ${usedAlone}`);
    say(`  p99 beside to without: ${(beside.p99Ms / alone.p99Ms).toFixed(2)}`);
  });
  await tell(log);
  await target.close();
}

/** Backup and restore, on the server that a service works on; its callers are asked how long they wait. */
async function backUpAndRestore(callers: Callers): Promise<void> {
  const folder = join(root, 'backup');
  const place = join(root, 'restored');
  const fresh = (await server?.freshUrl()) ?? `sqlite:${place}.db`;
  const elsewhere = { INTAGLIO_DATABASE_URL: fresh, INTAGLIO_FILES_URL: `file:${place}` };
  await withService(QUIET, async ({ url }) => {
    const perSecond = Number(options['per-second']);
    const load = { perSecond, ms: Number(options.seconds) * 1_000 };
    await callSteadily(url, callers.smallKey, { perSecond, ms: WARM_MS });
    const alone = await callSteadily(url, callers.smallKey, load);
    say(`  without them: ${describeCalls(alone)}`);
    const beside = async (name: string, command: () => ReturnType<typeof intaglio>) => {
      const startMs = performance.now();
      let isOver = false;
      const ended = command().finally(() => (isOver = true));
      const endless = { perSecond, ms: Infinity, isOver: () => isOver };
      const calls = await callSteadily(url, callers.smallKey, endless);
      const { code, out, err } = await ended;
      say(`  ${name}: exit ${code} in ${secondsSince(startMs)} s: ${ending(out)} ${ending(err)}`);
      const ratio = (calls.p99Ms / alone.p99Ms).toFixed(2);
      say(`  beside ${name}: ${describeCalls(calls)}; p99 beside to without: ${ratio}`);
    };
    await beside('backup', () => intaglio(env, 'backup', folder));
    await beside('restore', () => intaglio({ ...env, ...elsewhere }, 'restore', folder));
  });
}

/** The last lines of an output: living rows of the stand-ins have no files, and each is named. */
function ending(out: string): string {
  return out.trim().split('\n').slice(-2).join(' ');
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(0);
}

try {
  if (options.url === undefined) {
    say(`a schema of ${options.from ?? 'this version'}: ${await migrate(env, options.from)}`);
    const target = await openTarget(databaseUrl);
    const tenth = Math.floor(rows / 10);
    await fill(target, { rows, expired: tenth, claims: tenth }, say);
    await target.close();
  }
  if (steps.has('upgrade')) {
    for (let kill = 1; kill <= 3; kill += 1) say(`upgrade: ${await migrateKilled(env, 4_000)}`);
    say(`upgrade: ${await migrate(env)}`);
  }
  if (steps.has('index') && isMariaDb) {
    const target = await openTarget(databaseUrl);
    for (const statement of [
      'delete from schema_version where version = 15',
      'drop index documents_due on documents',
    ]) {
      await target.execute(statement);
    }
    await target.close();
    say(`index: ${await migrateKilled(env, 30_000)}`);
    say(`index: ${await migrate(env)}`);
  }
  const callers = await addCallers(databaseUrl, filesUrl);
  if (steps.has('start')) {
    await withService(QUIET, async ({ startMs }) => say(`start: ${startMs.toFixed(0)} ms`));
  }
  if (steps.has('routes')) {
    say('routes:');
    await routes(callers);
  }
  if (steps.has('sweep')) {
    say('sweep:');
    await sweep(callers);
  }
  if (steps.has('backup')) {
    say('backup:');
    await backUpAndRestore(callers);
  }
} finally {
  await server?.stop();
  await rm(root, { recursive: true, force: true });
}

/**
 * Faults of all backends at random, under load:
 *
 *   node test/chaos/run.ts [--minutes 5] [--callers 4] [--instances 2] [--seconds 10]
 *       [--only database,files,queue]
 *
 * Two instances work on a MariaDB, an object store and a Redis through proxies that refuse, cut,
 * delay, swallow and repeat, and answer with pages, 404, empty answers and answers without end. A
 * period of faults (10 s by default) is followed by a calm one. At the end: each acknowledged
 * document is there once with its bytes and one audit record, each row of a run has one document, no
 * object is left over, and a key that is sent again gets its document. Prints a line a period, and
 * exits with 1 after a violation.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStore } from '../../src/store/open.ts';
import { environment } from '../../lab/service/command-line.ts';
import { startRedis } from '../../lab/servers/redis.ts';
import { type ServiceProcess, startServiceProcess } from '../large/service-process.ts';
import { publish } from '../instances/bank.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { checkEverything, sampleOfRuns, TEAM } from './check.ts';
import {
  DATABASE_FAULTS,
  type FaultyProxy,
  FILE_FAULTS,
  oneOf,
  QUEUE_FAULTS,
  type Strike,
} from './faults.ts';
import { startHttpProxy } from './http.ts';
import { Caller, Ledger, type Made, makeDocuments, makeRuns } from './load.ts';
import { startTcpProxy } from './tcp.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    callers: { type: 'string', default: '4' },
    instances: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: 'database,files,queue' },
  },
});

const stricken = new Set(options.only.split(','));
/** How much of the traffic a fault strikes. */
const SHARES = [0.02, 0.2, 1, 1];
const BACK_MS_MAX = 5_000;
const BACK_TRIES = 600;
const CALM_MS = 3_000;
const SAMPLE_MS = 2_000;
const REPEATED_MAX = 5_000;

const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

interface Target<F> {
  readonly name: string;
  readonly proxy: FaultyProxy<F>;
  readonly faults: readonly F[];
}

/** Sets a fault at about half of the backends, and returns what it set. */
function strike<F>({ name, proxy, faults }: Target<F>): string {
  const chosen: Strike<F> | null =
    Math.random() < 0.5 || !stricken.has(name)
      ? null
      : { fault: oneOf(faults), share: oneOf(SHARES) };
  proxy.set(chosen);
  return chosen === null ? '' : ` ${name} ${String(chosen.fault)} ×${chosen.share};`;
}

interface Back {
  readonly tookMs: number;
  /** What the instances answered before, with the number of times. */
  readonly answers: string;
}

/** Waits until every instance makes a document and is ready. */
async function untilBack(caller: Caller, services: readonly ServiceProcess[]): Promise<Back> {
  const startMs = performance.now();
  const refusals = new Map<string, number>();
  const note = (refusal: string): void =>
    void refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  await Promise.all(
    services.map(async ({ url }, index) => {
      const key = `back-${index}-${Math.round(startMs)}`;
      for (let tries = 0; tries < BACK_TRIES; tries += 1) {
        const calledMs = performance.now();
        const made = await caller.make(key, url);
        const seconds = ((performance.now() - calledMs) / 1_000).toFixed(0);
        if (made === null) note(`generate refused after ${seconds} s`);
        else {
          const ready = await caller.call('ready', '/readyz', { url });
          if (ready.status === 200) {
            if (Number(seconds) > 1) note(`generate took ${seconds} s`);
            back.push(made);
            return;
          }
          note(`not ready: ${ready.body.toString().slice(0, 120)}`);
        }
        await pause(100);
      }
      throw new Error('an instance did not come back');
    }),
  );
  const answers = [...refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', ');
  return { tookMs: performance.now() - startMs, answers };
}

const back: Made[] = [];
const root = await mkdtemp(join(tmpdir(), 'intaglio-chaos-'));
const started = await startMariaDb();
if (started.server === null) throw new Error(started.reason);
const redis = await startRedis();
if (redis.server === null) throw new Error(redis.reason);
const s3 = await startFakeS3();
const databaseUrl = await started.server.freshUrl();
const through = (url: string, port: number): string =>
  url.replace(/(127\.0\.0\.1):\d+/, `$1:${port}`);
const portOf = (url: string): number => Number(/127\.0\.0\.1:(\d+)/.exec(url)?.[1]);
const database = await startTcpProxy(portOf(databaseUrl));
const queue = await startTcpProxy(portOf(redis.server.url));
const files = await startHttpProxy(portOf(s3.url));

const env = environment(root, {
  INTAGLIO_DATABASE_URL: through(databaseUrl, database.port),
  INTAGLIO_FILES_URL: through(s3.url, files.port),
  INTAGLIO_QUEUE_URL: through(redis.server.url, queue.port),
  INTAGLIO_LINK_SECRETS: 'a secret that all instances hold in common',
  INTAGLIO_SWEEP_INTERVAL_SECONDS: '30',
});
const services = await Promise.all(
  Array.from({ length: Number(options.instances) }, () => startServiceProcess(env)),
);
const store = await openStore({ databaseUrl, filesUrl: s3.url });
await publish(store);
const added = await store.keys.add({
  teamId: TEAM,
  name: 'chaos',
  scopes: ['generate', 'documents:read', 'runs'],
  rateLimitPerMinute: 1_000_000,
});
if (!added.ok) throw new Error(added.message);
await store.close();

const ledger = new Ledger();
const caller = new Caller(
  ledger,
  services.map(({ url }) => url),
  added.value.apiKey,
);
const samples: number[] = [];
const sampler = setInterval(() => {
  samples.push(Math.max(...services.map((service) => service.rssMb())));
}, SAMPLE_MS);
const load = Promise.all([
  ...Array.from({ length: Number(options.callers) }, (_, name) =>
    makeDocuments(caller, ledger, name),
  ),
  makeRuns(caller, ledger),
]);

await untilBack(caller, services);
await Promise.all(services.map((service) => service.equalise()));
const endMs = performance.now() + Number(options.minutes) * 60_000;
const backMs: number[] = [];
const targets = [
  { name: 'database', proxy: database, faults: DATABASE_FAULTS },
  { name: 'files', proxy: files, faults: FILE_FAULTS },
  { name: 'queue', proxy: queue, faults: QUEUE_FAULTS },
] as const;
for (let period = 1; performance.now() < endMs; period += 1) {
  const faults = [strike(targets[0]), strike(targets[1]), strike(targets[2])].join('');
  const before = ledger.documents.length;
  await pause(Number(options.seconds) * 1_000 * (0.5 + Math.random()));
  for (const { proxy } of targets) proxy.set(null);
  const { tookMs, answers } = await untilBack(caller, services);
  backMs.push(tookMs);
  const rss = samples.at(-1);
  say(
    `${period}:${faults === '' ? ' calm;' : faults} ${ledger.documents.length - before} made,` +
      ` back in ${tookMs.toFixed(0)} ms, ${ledger.runs.length} runs, ${rss} MB`,
  );
  if (tookMs > BACK_MS_MAX)
    ledger.violate(`back after ${tookMs.toFixed(0)} ms:${faults} ${answers}`);
  for (const service of services) {
    if (service.ended() !== null) throw new Error(`an instance ended with ${service.ended()}`);
  }
  await pause(CALM_MS);
}
ledger.isOver = true;
await load;
clearInterval(sampler);
ledger.documents.push(...back);
for (const made of ledger.documents.slice(-REPEATED_MAX)) {
  // A refusal is none of the faults that are looked for: the machine may be busy.
  let again = await caller.make(made.key);
  for (; again === null; again = await caller.make(made.key)) await pause(CALM_MS);
  if (again.documentId !== made.documentId) ledger.violate(`${made.key}: made again`);
}
for (const made of await sampleOfRuns({ databaseUrl, s3 }, ledger)) {
  const status = await caller.read(made);
  if (status !== 200) ledger.violate(`${made.documentId} of a run: ${status}`);
}
await caller.close();
const peaks = await Promise.all(services.map((service) => service.peakMb()));
const exits = await Promise.all(services.map((service) => service.stop()));
const orphans = await checkEverything({ databaseUrl, s3 }, ledger);

const third = (n: number): number => {
  const part = samples.slice((samples.length * n) / 3, (samples.length * (n + 1)) / 3);
  return part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
};
const sorted = backMs.toSorted((a, b) => a - b);
say(`documents ${ledger.documents.length}, runs ${ledger.runs.length}, orphans swept ${orphans}`);
const answers = [...ledger.answers].toSorted(([a], [b]) => (a < b ? -1 : 1));
say(`answers ${JSON.stringify(Object.fromEntries(answers))}`);
say(`longest call ${ledger.longestMs.toFixed(0)} ms (${ledger.longestCall})`);
say(
  `back after faults: median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms,` +
    ` longest ${sorted.at(-1)?.toFixed(0)} ms of ${sorted.length}`,
);
say(`memory in thirds ${third(0)}, ${third(1)}, ${third(2)} MB; most ${peaks.join(', ')} MB`);
say(`exit codes ${exits.join(', ')}`);
for (const { name, proxy } of targets) {
  say(`${name}: ${JSON.stringify(Object.fromEntries<number>(proxy.struck))}`);
}
for (const service of services) {
  for (const [message, times] of service.complaints) say(`log ${times} × ${message}`);
}
for (const line of ledger.violations) say(`VIOLATION ${line}`);
say(ledger.violations.length === 0 ? 'holds' : `${ledger.violations.length} violations`);
for (const proxy of [database, queue, files]) await proxy.close();
await s3.stop();
await redis.server.stop();
await started.server.stop();
await rm(root, { recursive: true, force: true });
process.exitCode = ledger.violations.length === 0 ? 0 : 1;

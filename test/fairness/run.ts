/**
 * One team's calls beside another team and beside strangers:
 *
 *   node test/fairness/run.ts [--database mariadb|sqlite] [--rounds 3] [--seconds 20]
 *       [--per-second 20] [--keys 24] [--runs 1400] [--connections 256] [--strangers 2500]
 *       [--parts documents,runs,headers] [--turns nobody,one,busy,all,strangers] [--burners 2]
 *       [--priorities equal|own]
 *
 * Measures sync generate of a team at a steady rate, in turns: beside a team with one key, one
 * connection and one run; beside the same team with all its keys, runs, slow documents and headers
 * of CSV; beside connections that ask with keys that nobody has; and beside nobody. `busy` is beside
 * one key and as many threads outside of the service as would take the CPU that the crowd takes: what
 * is slower there is slower for want of CPU, and nothing in the service can mend it. Each turn has
 * a new service on a new database. `--parts` leaves parts of the crowd out, to find a cause. Prints
 * the p99 of each turn, what used the CPU and where the slowest calls waited, and the ratios of the
 * medians. On a machine with nothing else to do, `--priorities own` measures the service as it runs:
 * its renderers give way to its main thread. Beside other programs they would get no CPU, so by
 * default all its threads have the priority of this program, in every turn.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStore } from '../../src/store/open.ts';
import { environment } from '../../lab/service/command-line.ts';
import { publish, TEMPLATE } from '../instances/bank.ts';
import { callSteadily, type Calls, describeCalls } from '../large/calls.ts';
import { startServiceProcess } from '../large/service-process.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { startCompany } from './company.ts';
import { callAndTell } from './where.ts';
import { median as medianOf } from '../../lab/stats.ts';

const TURNS = ['nobody', 'one', 'busy', 'all', 'strangers'] as const;
type Turn = (typeof TURNS)[number];

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'mariadb' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    'per-second': { type: 'string', default: '20' },
    keys: { type: 'string', default: '24' },
    runs: { type: 'string', default: '1400' },
    connections: { type: 'string', default: '256' },
    strangers: { type: 'string', default: '2500' },
    burners: { type: 'string', default: '2' },
    parts: { type: 'string', default: 'documents,runs,headers' },
    turns: { type: 'string', default: 'nobody,one,all,strangers' },
    priorities: { type: 'string', default: 'equal' },
  },
});

/** The company is there for a while before the measurement. */
const SETTLE_MS = 3_000;
const OTHER_TEAM = 'crowd';

const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

interface Keys {
  readonly own: string;
  readonly others: readonly string[];
}

async function addTeams(databaseUrl: string, filesUrl: string): Promise<Keys> {
  const store = await openStore({ databaseUrl, filesUrl });
  try {
    await store.migrate();
    await publish(store);
    await store.teams.add({ teamId: OTHER_TEAM, name: 'Crowd' });
    const source = Buffer.from(JSON.stringify(TEMPLATE));
    await store.templates.saveDraft(OTHER_TEAM, 'note', 'Note', source);
    const draft = await store.templates.draft(OTHER_TEAM, 'note');
    await store.templates.publish(OTHER_TEAM, 'note', draft.found ? draft.value.hash : '');
    const add = async (teamId: string): Promise<string> => {
      const scopes = ['generate', 'documents:read', 'runs'] as const;
      const key = { teamId, name: 'fair', scopes, rateLimitPerMinute: 1_000_000 };
      const added = await store.keys.add(key);
      if (!added.ok) throw new Error(added.message);
      return added.value.apiKey;
    };
    const others: string[] = [];
    for (let count = 0; count < Number(options.keys); count += 1)
      others.push(await add(OTHER_TEAM));
    return { own: await add('bank'), others };
  } finally {
    await store.close();
  }
}

async function takeTurn(databaseUrl: string, turn: Turn): Promise<Calls & { rest: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'intaglio-fair-'));
  const url = databaseUrl === '' ? `sqlite:${join(folder, 'db')}` : databaseUrl;
  const env = environment(folder, {
    INTAGLIO_DATABASE_URL: url,
    INTAGLIO_POOL_THREADS: '2',
    INTAGLIO_LINK_SECRETS: 'a secret that is long enough to sign links',
  });
  const { own: ownKey, others } = await addTeams(url, env['INTAGLIO_FILES_URL'] ?? '');
  const service = await startServiceProcess(env);
  try {
    if (options.priorities === 'equal') await service.equalise();
    const company = await startCompany({
      who: turn,
      url: service.url,
      keys: others,
      force: {
        connections: Number(options.connections),
        runs: Number(options.runs),
        parts: new Set(options.parts.split(',')),
      },
      strangers: Number(options.strangers),
      burners: Number(options.burners),
    });
    await pause(SETTLE_MS);
    // The first use of a template compiles it in the renderers, which is not what is measured.
    await callSteadily(service.url, ownKey, { perSecond: 2, ms: 2_000 });
    const perSecond = Number(options['per-second']);
    const load = { perSecond, ms: Number(options.seconds) * 1_000 };
    const { calls, used } = await callAndTell(service, ownKey, load);
    const answers = await company.leave();
    return { ...calls, rest: `${used}; company ${answers}` };
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const started = options.database === 'mariadb' ? await startMariaDb() : null;
if (started?.server === null) throw new Error(started.reason);
const server = started?.server;
const p99s = new Map<Turn, number[]>();
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const name of TURNS) {
      if (!options.turns.split(',').includes(name)) continue;
      const { rest, ...calls } = await takeTurn((await server?.freshUrl()) ?? '', name);
      say(`${round} beside ${name}: ${describeCalls(calls)}; ${rest}`);
      p99s.set(name, [...(p99s.get(name) ?? []), calls.p99Ms]);
    }
  }
} finally {
  await server?.stop();
}
const median = (name: Turn): number => medianOf(p99s.get(name) ?? []);
say(`p99 beside all to beside one: ${(median('all') / median('one')).toFixed(2)}, goal 1.3`);
say(`p99 beside busy threads to beside one: ${(median('busy') / median('one')).toFixed(2)}`);
say(`p99 beside strangers: ${median('strangers').toFixed(0)} ms, goal 250 ms`);

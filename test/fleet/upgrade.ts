import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import tap from 'tap';

import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { environment, serve, serveFrom, type Served } from '../../lab/service/command-line.ts';
import { TEMPLATE } from '../instances/bank.ts';
import { generate, isReady, until } from '../instances/pair.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';

/**
 * Two versions of the service on one database under load, and an upgrade from one to the other:
 *
 * node test/fleet/upgrade.ts FOLDER    a checkout of the version before, with its node_modules
 *
 * Not a test of the suite, because it needs that checkout. What keeps the versions compatible is
 * tested in src/store/database/migrations.test.ts.
 */

const SIDE_BY_SIDE_MS = 15_000;
const CALLERS = 4;
const READY_MS_MAX = 180_000;

const before = resolve(process.argv[2] ?? '');
if (process.argv[2] === undefined) throw new Error('the folder of the version before is missing');

/** Runs a command of a checkout and returns the JSON that it prints. */
async function command(home: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<unknown> {
  const program = [...SERVICE_FLAGS, join(home, 'src/cli.ts'), ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env });
  return JSON.parse(stdout);
}

interface Load {
  /** The instances that currently get calls. */
  urls: readonly string[];
  isOver: boolean;
  readonly failures: string[];
  readonly documentIds: string[];
}

/** Generates in both modes and reads each document back by another instance. */
async function call(load: Load, apiKey: string, name: number): Promise<void> {
  for (let count = 0; !load.isOver; count += 1) {
    const at = (offset: number): string =>
      load.urls[(name + count + offset) % load.urls.length] ?? '';
    const [to, other] = [at(0), at(1)];
    try {
      const headers = { 'idempotency-key': `${name}-${count}` };
      const sync = await generate(to, apiKey, { mode: 'sync' });
      if (sync.status !== 200) load.failures.push(`sync ${sync.status} ${await sync.text()}`);
      else await sync.arrayBuffer();
      const stored = await generate(to, apiKey, { headers });
      if (stored.status !== 201) {
        load.failures.push(`async ${stored.status} ${await stored.text()}`);
        continue;
      }
      const { documentId } = (await stored.json()) as { documentId: string };
      load.documentIds.push(documentId);
      const found = await fetch(`${other}/v1/documents/${documentId}`, {
        headers: { 'x-api-key': apiKey },
      });
      if (found.status !== 200) load.failures.push(`read ${found.status} ${await found.text()}`);
      else await found.arrayBuffer();
      const again = await generate(other, apiKey, { headers });
      const same = (await again.json()) as { documentId?: string };
      if (same.documentId !== documentId) load.failures.push(`idempotency ${again.status}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      load.failures.push(String(error.cause));
    }
  }
}

/** Counts the documents that the instance does not find. */
async function missingAt(
  url: string,
  apiKey: string,
  documentIds: readonly string[],
): Promise<number> {
  let missing = 0;
  for (const documentId of documentIds) {
    const reply = await fetch(`${url}/v1/documents/${documentId}`, {
      headers: { 'x-api-key': apiKey },
    });
    if (reply.status !== 200) missing += 1;
    await reply.arrayBuffer();
  }
  return missing;
}

await tap.test('two versions side by side under load, and the upgrade', async (t) => {
  const started = await startMariaDb();
  if (started.server === null) throw new Error(started.reason);
  const { server } = started;
  t.teardown(() => server.stop());
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const folder = await temporaryFolder(t);
  const env = environment(folder, {
    INTAGLIO_DATABASE_URL: await server.freshUrl(),
    INTAGLIO_FILES_URL: s3.url,
    INTAGLIO_LINK_SECRETS: 'a secret that all instances hold in common',
    INTAGLIO_RATE_LIMIT_PER_MINUTE: '1000000',
    INTAGLIO_RUN_CALLS_PER_MINUTE: '1000000',
  });
  await command(before, env, 'migrate');
  await command(before, env, 'teams', 'add', 'bank', '--name', 'Bank');
  const file = join(folder, 'note.json');
  await writeFile(file, JSON.stringify(TEMPLATE));
  await command(before, env, 'templates', 'draft', '--team', 'bank', file);
  await command(before, env, 'templates', 'publish', '--team', 'bank', 'note');
  const scopes = ['--scope', 'generate', '--scope', 'documents:read'];
  // The command prints this shape.
  const { apiKey } = (await command(before, env, 'keys', 'add', '--team', 'bank', ...scopes)) as {
    apiKey: string;
  };

  const ready = async (served: Served): Promise<Served> => {
    await until(() => isReady(served.url), READY_MS_MAX);
    return served;
  };
  const [one, two] = [await serveFrom(t, env, before), await serveFrom(t, env, before)];
  const load: Load = {
    urls: [one.url, two.url],
    isOver: false,
    failures: [],
    documentIds: [],
  };
  const counted = (): number => load.documentIds.length;
  const calling = Array.from({ length: CALLERS }, (_, name) => call(load, apiKey, name));
  await until(() => Promise.resolve(counted() > 20), READY_MS_MAX);

  // The new version migrates the schema while the others run.
  const three = await ready(await serve(t, env));
  const atStart = counted();
  load.urls = [one.url, two.url, three.url];
  await pause(SIDE_BY_SIDE_MS);
  t.comment(`side by side: ${counted() - atStart} documents`);
  t.strictSame(load.failures, [], 'side by side');

  const leave = async (served: Served): Promise<void> => {
    load.urls = load.urls.filter((url) => url !== served.url);
    // Calls that are under way end before the instance does.
    await pause(2_000);
    served.child.kill('SIGTERM');
    t.equal(await served.exit, 0);
  };
  await leave(one);
  const four = await ready(await serve(t, env));
  load.urls = [...load.urls, four.url];
  await leave(two);
  load.isOver = true;
  await Promise.all(calling);
  t.strictSame(load.failures, [], 'while each was replaced');

  const missing = await missingAt(four.url, apiKey, load.documentIds);
  t.equal(missing, 0, `${load.documentIds.length} documents of both versions are there`);
});

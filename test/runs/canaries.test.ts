import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { setTimeout } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { until } from '../../lab/process/waiting.ts';
import { startRedis } from '../../lab/servers/redis.ts';
import { environment, serve } from '../../lab/service/command-line.ts';
import { countInMemory } from '../../src/protect/fixtures/memory.ts';
import { childrenOf, procText } from '../../src/protect/fixtures/protector.ts';
import { openStore } from '../../src/store/open.ts';
import { Authority } from '../sign/authority.ts';

/** A run with passwords and signatures on a whole service, searched for the passwords of its rows. */

const ROWS = 60;
const WORDS = Array.from({ length: ROWS }, () => `canary${randomBytes(9).toString('hex')}`);
const TEMPLATE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [
    { name: 'refNo', type: 'text', required: true },
    { name: 'word', type: 'text', required: true, secret: true },
  ],
  document: { content: ['{{refNo}}'] },
};

/** The ways in which a password could be written down. */
function spellings(word: string): readonly Buffer[] {
  return [
    Buffer.from(word),
    Buffer.from(word, 'utf16le'),
    Buffer.from(Buffer.from(word).toString('hex')),
    // Base64 has three encodings of the same bytes, depending on their offset.
    ...[0, 1, 2].map((skip) => Buffer.from(Buffer.from(word.slice(skip, -3)).toString('base64'))),
  ];
}

const FORBIDDEN = WORDS.flatMap(spellings);
const has = (bytes: Buffer): boolean => FORBIDDEN.some((one) => bytes.includes(one));

/** Files below a folder that have a canary, or what else is looked for. */
function foundIn(folder: string, isFound = has): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => isFound(readFileSync(path)));
}

/** A collector of OpenTelemetry that keeps what it is sent. */
async function collector(t: Test): Promise<{ readonly url: string; readonly bodies: Buffer[] }> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Publishes the template and returns a key. */
async function setUp(env: Readonly<Record<string, string>>): Promise<string> {
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  try {
    await store.migrate();
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    const source = Buffer.from(JSON.stringify(TEMPLATE));
    await store.templates.saveDraft('bank', 'note', 'Note', source);
    const draft = await store.templates.draft('bank', 'note');
    await store.templates.publish('bank', 'note', draft.found ? draft.value.hash : '');
    const scopes = ['runs', 'generate', 'documents:read'] as const;
    const name = { teamId: 'bank', name: 'k', scopes, rateLimitPerMinute: null };
    const added = await store.keys.add(name);
    if (!added.ok) throw new Error(added.message);
    return added.value.apiKey;
  } finally {
    await store.close();
  }
}

/** The process beside the service that holds qpdf. */
function helperOf(pid: number): number {
  const helper = childrenOf(pid).find((one) =>
    procText(`${one}/cmdline`).includes('protect/host.ts'),
  );
  if (helper === undefined) throw new Error('there is no helper');
  return helper;
}

tap.test('no file, trace, queue or memory keeps a password of a row', async (t) => {
  const folder = t.testdir({ var: {}, tmp: {}, keys: {} });
  const inFolder = (name: string): string => join(folder, name);
  const authority = new Authority(inFolder('keys'));
  authority.issue(
    'ec',
    ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    'keyUsage=critical,digitalSignature',
  );
  const bank = { pkcs12: 'ec.p12', passwordFile: 'password' };
  writeFileSync(authority.path('signers.json'), JSON.stringify({ teams: { bank } }));
  process.env['TMPDIR'] = inFolder('tmp');
  const { server: redis } = await startRedis();
  if (redis !== null) t.teardown(() => redis.stop());
  const { url: endpoint, bodies } = await collector(t);
  const env = environment(inFolder('var'), {
    TMPDIR: inFolder('tmp'),
    INTAGLIO_LOG_LEVEL: 'debug',
    INTAGLIO_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    INTAGLIO_SIGNERS_FILE: authority.path('signers.json'),
    INTAGLIO_TRACES: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    ...(redis === null ? {} : { INTAGLIO_QUEUE_URL: redis.url }),
  });
  const apiKey = await setUp(env);
  const { url, child, exit, lines } = await serve(t, env);
  const call = async (method: string, path: string, body: string | null, type = 'json') => {
    const headers = { 'x-api-key': apiKey, 'content-type': `application/${type}` };
    const response = await fetch(`${url}${path}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
  const protection = { userPassword: '{{word}}', ownerPassword: { random: true } };
  const options = { protection, signature: true };
  const spec = { templateId: 'note', idField: 'refNo', options };
  const rows = WORDS.map((word, at) => `${JSON.stringify({ refNo: `R${at}`, word })}\n`);
  const makeRun = async (): Promise<{ runId: string; created: string }> => {
    const created = await call('POST', '/v1/runs', JSON.stringify(spec));
    const { runId } = JSON.parse(created) as { runId: string };
    await call('PUT', `/v1/runs/${runId}/parts/1`, rows.join(''), 'x-ndjson');
    await call('POST', `/v1/runs/${runId}/start`, '{}');
    const state = async (): Promise<string> => {
      const run = await call('GET', `/v1/runs/${runId}`, null);
      return (JSON.parse(run) as { state: string }).state;
    };
    await until(async () => !['checking', 'running'].includes(await state()));
    t.equal(await state(), 'done');
    return { runId, created };
  };
  const { runId, created } = await makeRun();
  const manifest = await call('GET', `/v1/runs/${runId}/manifest`, null);
  t.equal(manifest.trim().split('\n').length, ROWS);
  t.notOk(has(Buffer.from(manifest)), 'the manifest');
  t.notOk(has(Buffer.from(created + (await call('GET', `/v1/runs/${runId}`, null)))), 'replies');
  const helper = helperOf(child.pid ?? 0);
  t.ok(countInMemory(helper, 'FrameReader') > 0, 'the memory of the helper can be read');
  const inMemory = WORDS.filter((word) => countInMemory(helper, word.slice(0, 20)) > 0);
  t.strictSame(inMemory, [], 'the memory of the helper after its documents');
  t.strictSame(foundIn(inFolder('var')), [], 'database and files');
  if (redis !== null) {
    // An instance does work itself that the queue has not handed out yet, so Redis need not know a
    // run that is done soon.
    // The searches ran in one turn, in which nobody saw that the service closed an idle connection.
    await setTimeout(100);
    await until(async () => {
      const { runId: next } = await makeRun();
      return foundIn(inFolder('tmp'), (bytes) => bytes.includes(next)).length > 0;
    });
  }
  t.strictSame(foundIn(inFolder('tmp')), [], 'the files of Redis, and temporary ones');
  t.notOk(has(Buffer.from(JSON.stringify(lines))), 'the log');
  child.kill('SIGTERM');
  await exit;
  await until(() => Promise.resolve(bodies.length > 0));
  t.ok(Buffer.concat(bodies).includes('/v1/runs'), 'traces were sent');
  t.notOk(has(Buffer.concat(bodies)), 'traces');
});

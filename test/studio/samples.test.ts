import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import type { Description, Operation } from '../../studio/src/reference/description.ts';
import { operationsOf } from '../../studio/src/reference/description.ts';
import type { SampleLanguage } from '../../studio/src/reference/samples.ts';
import { sampleOf } from '../../studio/src/reference/samples.ts';
import { noPool, startTestService } from '../../lab/service/gateway.ts';

/** A language, the program that runs its samples, and the words before a sample. */
type Program = readonly [SampleLanguage, string, readonly string[]];

const PROGRAMS: readonly Program[] = [
  ['curl', 'sh', ['-c']],
  ['Node', process.execPath, ['--input-type=module', '-e']],
  ['Python', 'python3', ['-c']],
];
/** A sample in Java is a file. Before Java 18, its encoding was that of the system. */
const JAVA: Program = ['Java', 'java', ['-Dfile.encoding=UTF-8', 'Call.java']];
const HAS_JAVA = spawnSync('javac', ['-version']).status === 0;

/** Java compiles each sample, which takes a second, so it runs two: with a body, and for a file. */
function programsFor(name: Name): readonly Program[] {
  const isRun = HAS_JAVA && (name === 'generateDocument' || name === 'getFile');
  return isRun ? [...PROGRAMS, JAVA] : PROGRAMS;
}

/** What the service gives for the example of an operation: media type and content. */
const RESPONSES = {
  generateDocument: ['application/json', '{"documentId":"one"}'],
  getDocument: ['application/json', '{"documentId":"one"}'],
  getFile: ['application/pdf', '%PDF-1.7 \u0080'],
  putRunPart: ['application/json', '{"rows":1}'],
  getRunManifest: ['application/x-ndjson', '{"refNo":"R-1"}\n{"refNo":"R-2"}\n'],
  getRunZip: ['application/zip', 'PK \u0080'],
  signOut: ['', ''],
} as const;
type Name = keyof typeof RESPONSES;

const SAVED_AS: Readonly<Partial<Record<Name, string>>> = {
  getFile: 'document.pdf',
  getRunZip: 'documents.zip',
};

interface Received {
  readonly type: string;
  readonly body: string;
}

interface Response {
  readonly status: number;
  readonly type: string;
  readonly content: string;
}

/** A service that gives one response and keeps the request. */
async function startStub(
  t: Test,
  { status, type, content }: Response,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ type: request.headers['content-type'] ?? '', body });
      if (type === '') response.writeHead(204).end();
      else response.writeHead(status, { 'content-type': type }).end(content);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a sample in a folder. */
async function run(
  [language, program, words]: Program,
  sample: string,
  cwd: string,
): Promise<Ended> {
  if (language === 'Java') writeFileSync(join(cwd, 'Call.java'), sample);
  const all = language === 'Java' ? words : [...words, sample];
  const child = spawn(program, all, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

/** The example that a sample of this operation has to send. */
function exampleOf({ requestBody }: Operation): Received {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return { type: '', body: '' };
  const [type, { example }] = first;
  return { type, body: typeof example === 'string' ? example : JSON.stringify(example) };
}

async function operationsWithResponse(t: Test): Promise<readonly Operation[]> {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const description = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
  return operationsOf(description).filter(({ operationId }) => operationId in RESPONSES);
}

t.test('the samples of the API reference send their example and keep the response', async (t) => {
  const folder = t.testdir();
  for (const operation of await operationsWithResponse(t)) {
    const name = operation.operationId as Name;
    const [sent, content] = RESPONSES[name];
    const { url, received } = await startStub(t, { status: 200, type: sent, content });
    for (const program of programsFor(name)) {
      const [language] = program;
      const { code, out, err } = await run(program, sampleOf(operation, language, url), folder);
      t.equal(code, 0, `${name} in ${language}: ${err}`);
      const { type = '', body = '' } = received.pop() ?? {};
      const example = exampleOf(operation);
      t.equal(type, example.type, `${name} in ${language}: the type of the body`);
      const isJson = type === 'application/json';
      t.equal(isJson ? JSON.stringify(JSON.parse(body)) : body, example.body, 'and the body');
      const file = SAVED_AS[name];
      if (file === undefined) {
        t.match(out.replaceAll(/\s|'/g, ''), /one|rows|R-2|^$/, 'the response is printed');
        continue;
      }
      t.equal(readFileSync(join(folder, file), 'utf8'), content, `the response is in ${file}`);
      rmSync(join(folder, file));
    }
  }
});

t.test('a refused sample says what is wrong, fails, and saves no file', async (t) => {
  const folder = t.testdir();
  const refusal = {
    error: 'The data does not fit the template.',
    code: 'invalid_data',
    requestId: 'r-1',
    fields: [{ field: 'total', reason: 'number expected' }],
  };
  const json = { status: 400, type: 'application/json', content: JSON.stringify(refusal) };
  const page = { status: 502, type: 'text/html', content: '<h1>Bad gateway</h1>' };
  for (const operation of await operationsWithResponse(t)) {
    const name = operation.operationId as Name;
    if (name !== 'generateDocument' && name !== 'getFile') continue;
    const [service, proxy] = [await startStub(t, json), await startStub(t, page)];
    for (const program of programsFor(name)) {
      const [language] = program;
      const told = await run(program, sampleOf(operation, language, service.url), folder);
      const text = told.out + told.err;
      t.not(told.code, 0, `${name} in ${language} fails`);
      for (const part of ['400', refusal.error, 'total', 'number expected']) t.match(text, part);
      t.notMatch(text, /Traceback|Exception|\n\s+at /, text);
      const other = await run(program, sampleOf(operation, language, proxy.url), folder);
      t.not(other.code, 0);
      t.match(other.out + other.err, '502');
      t.notMatch(other.out + other.err, /Traceback|Exception|\n\s+at /);
      for (const file of ['document.pdf', 'response.tmp']) {
        t.notOk(existsSync(join(folder, file)), `${name} in ${language} leaves no ${file}`);
      }
    }
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import type { Description, Operation } from '../../studio/src/reference/description.ts';
import { operationsOf } from '../../studio/src/reference/description.ts';
import type { SampleLanguage } from '../../studio/src/reference/samples.ts';
import { sampleOf } from '../../studio/src/reference/samples.ts';
import { noPool, startTestService } from '../fixtures/gateway.ts';

const PROGRAMS: readonly (readonly [SampleLanguage, string, readonly string[]])[] = [
  ['curl', 'sh', ['-c']],
  ['Node', process.execPath, ['--input-type=module', '-e']],
  ['Python', 'python3', ['-c']],
];

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

/** A service that gives one response and keeps the request. */
async function startStub(t: Test, name: Name): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const [type, content] = RESPONSES[name];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ type: request.headers['content-type'] ?? '', body });
      if (type === '') response.writeHead(204).end();
      else response.writeHead(200, { 'content-type': type }).end(content);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function run(program: string, words: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(Buffer.concat(err).toString());
  return Buffer.concat(out).toString();
}

/** The example that a sample of this operation has to send. */
function exampleOf({ requestBody }: Operation): Received {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return { type: '', body: '' };
  const [type, { example }] = first;
  return { type, body: typeof example === 'string' ? example : JSON.stringify(example) };
}

t.test('the samples of the API reference send their example and keep the response', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const description = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
  const folder = t.testdir();
  for (const operation of operationsOf(description)) {
    const name = operation.operationId as Name;
    if (!(name in RESPONSES)) continue;
    const { url, received } = await startStub(t, name);
    for (const [language, program, words] of PROGRAMS) {
      const said = await run(program, [...words, sampleOf(operation, language, url)], folder);
      const { type = '', body = '' } = received.pop() ?? {};
      const example = exampleOf(operation);
      t.equal(type, example.type, `${name} in ${language}: the type of the body`);
      const isJson = type === 'application/json';
      t.equal(isJson ? JSON.stringify(JSON.parse(body)) : body, example.body, 'and the body');
      const file = SAVED_AS[name];
      const [, content] = RESPONSES[name];
      if (file === undefined) {
        t.match(said.replaceAll(/\s|'/g, ''), /one|rows|R-2|^$/, 'the response is printed');
        continue;
      }
      t.equal(readFileSync(join(folder, file), 'utf8'), content, `the response is in ${file}`);
      rmSync(join(folder, file));
    }
  }
});

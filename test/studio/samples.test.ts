import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import type { Description, Operation } from '../../studio/src/reference/description.ts';
import { operationsOf } from '../../studio/src/reference/description.ts';
import type { SampleLanguage } from '../../studio/src/reference/samples.ts';
import { languagesOf, LANGUAGES, sampleOf } from '../../studio/src/reference/samples.ts';
import { noPool, startTestService } from '../../lab/service/gateway.ts';
import { API_KEY, PDF_SHA256, serveDescription } from '../clients/described-api.ts';
import { installNode, withoutJava, withoutPython } from '../clients/programs.ts';
import { FILES, runSamples } from '../clients/samples.ts';

/** The samples of the API reference, each as it stands but for its address and its key. */

const built = join(t.testdirName, 'built');

const SKIPPED: Readonly<Record<SampleLanguage, string | false>> = {
  curl: spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed',
  Node: false,
  Python: withoutPython(),
  Java: withoutJava(),
};

async function allOperations(t: Test): Promise<readonly Operation[]> {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const description = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
  return operationsOf(description);
}

/** Writes each sample into a folder of its own, as a reader would; returns the folders. */
function write(
  operations: readonly Operation[],
  language: SampleLanguage,
  url: string,
  root: string,
): readonly string[] {
  return operations.map((operation) => {
    const folder = join(root, operation.operationId);
    mkdirSync(folder, { recursive: true });
    const text = sampleOf(operation, language, url).replaceAll('ik_YOUR_KEY', API_KEY);
    writeFileSync(join(folder, FILES[language]), text);
    return folder;
  });
}

for (const language of LANGUAGES) {
  const title = `${language}: the sample of each operation sends what is described`;
  t.test(title, { skip: SKIPPED[language] }, async (t) => {
    const root = t.testdir();
    if (language === 'Node') await installNode(root);
    const api = await serveDescription(t);
    const operations = (await allOperations(t)).filter(
      (one) => languagesOf(one).length === LANGUAGES.length,
    );
    const names = operations.map(({ operationId }) => operationId);
    t.strictSame(names.toSorted(), Object.keys(api.operations).toSorted(), 'all that take a key');
    const folders = write(operations, language, api.url, root);
    const { code, out } = await runSamples(language, folders, root, built);
    t.equal(code, 0, code === 0 ? 'all end with 0' : out);
    t.strictSame(api.faults, []);
    t.strictSame(api.called, names);
    for (const part of ['0192f3a4-5b6c-7d8e-9f00-112233445566', 'October', 'R-1', 'retail'])
      t.match(out, part, `the responses are printed: ${part}`);
    for (const name of ['document.pdf', 'documents.zip'])
      t.ok(existsSync(join(root, name)), `${name} is saved`);
    if (language !== 'curl') t.match(out, PDF_SHA256, 'and its digest is shown');
  });
}

t.test('what only people may call has a sample for curl alone', async (t) => {
  const others = (await allOperations(t)).filter((one) => languagesOf(one).length === 1);
  t.ok(others.length > 20);
  for (const one of others) {
    t.strictSame(languagesOf(one), ['curl']);
    t.match(sampleOf(one, 'Java', 'https://x'), /^curl .*intaglio_session=YOUR_SESSION/s);
  }
});

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly content: string;
}

async function serveRefusal(t: Test, { status, type, content }: Refusal): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': type }).end(content);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a refused sample says what is wrong, fails, and saves no file', async (t) => {
  const root = t.testdir();
  await installNode(root);
  const refusal = {
    error: 'The data does not fit the template.',
    code: 'invalid_data',
    requestId: 'r-1',
    fields: [{ field: 'total', reason: 'number expected' }],
  };
  const content = JSON.stringify(refusal);
  const service = await serveRefusal(t, { status: 400, type: 'application/json', content });
  const page = { status: 500, type: 'text/html', content: '<h1>Bad gateway</h1>' };
  const proxy = await serveRefusal(t, page);
  const asked = (await allOperations(t)).filter(({ operationId }) =>
    ['generateDocument', 'getFile'].includes(operationId),
  );
  for (const language of LANGUAGES.filter((one) => SKIPPED[one] === false)) {
    for (const operation of asked) {
      const name = `${operation.operationId} in ${language}`;
      const run = async (url: string): ReturnType<typeof runSamples> =>
        runSamples(language, write([operation], language, url, root), root, built);
      const told = await run(service);
      t.not(told.code, 0, `${name} fails`);
      for (const part of ['400', refusal.error, 'total', 'number expected'])
        t.match(told.out, part, name);
      t.notMatch(told.out, /Traceback|Exception|\n\s+at /, name);
      const other = await run(proxy);
      t.not(other.code, 0, name);
      t.match(other.out, '500', name);
      t.notMatch(other.out, /Traceback|Exception|\n\s+at /, name);
      for (const file of ['document.pdf', 'response.tmp'])
        t.notOk(existsSync(join(root, file)), `${name} leaves no ${file}`);
      rmSync(join(root, operation.operationId), { recursive: true });
    }
  }
});

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio, start } from '../lab/service/command-line.ts';
import { HOME } from '../lab/home.ts';

const INTAGLIO = join(HOME, 'intaglio');

interface Demo {
  readonly url: string;
  readonly apiKey: string;
  readonly curl: string;
  readonly settings: string;
  readonly documents: readonly {
    readonly file: string;
    readonly templateId: string;
    readonly mode: string;
    readonly sha256: string;
  }[];
}

t.test('makes every sample in both modes, and its curl line works when pasted', async (t) => {
  const folder = join(t.testdir({ elsewhere: {} }), "a folder's demo");
  const given = { ...environment(folder), INTAGLIO_PUBLISH_APPROVALS: '1' };
  const demo = start(t, given, 'demo', '--json', '--dir', folder);
  const { url, apiKey, curl, settings, documents } = JSON.parse(await demo.nextLine()) as Demo;

  const templates = ['contract', 'loan-offer', 'receipt', 'receipt-en', 'statement'];
  for (const templateId of templates) {
    const made = documents.filter((document) => document.templateId === templateId);
    t.ok(made.length >= 4, `${templateId}: ${made.length} documents`);
    const count = (mode: string): number => made.filter((one) => one.mode === mode).length;
    t.equal(count('sync'), count('async'), templateId);
  }
  for (const { file } of documents) {
    const checked = spawnSync('qpdf', ['--check', join(folder, 'documents', file)]);
    t.equal(checked.status, 0, `${file}: ${checked.stderr.toString()}`);
  }

  const elsewhere = join(folder, '../elsewhere');
  execFileSync('/bin/sh', ['-c', curl], { cwd: elsewhere });
  const out = /-o (\S+)/.exec(curl)?.[1] ?? '';
  t.equal(readFileSync(join(elsewhere, out)).subarray(0, 5).toString(), '%PDF-');

  t.match(settings, / INTAGLIO_PUBLISH_APPROVALS=.?1/, 'commands follow the same rules');
  const command = `${settings}; ${INTAGLIO} sessions link demo-admin --json`;
  const env = { ...process.env, ...environment(elsewhere) };
  const linked = JSON.parse(execFileSync('/bin/sh', ['-c', command], { env }).toString()) as {
    readonly link: string;
  };
  t.ok(linked.link.startsWith(`${url}/`), 'the link leads to the demo');

  const list = execFileSync('/bin/sh', ['-c', `${settings}; ${INTAGLIO} runs list --json`], {
    env,
  });
  t.match(JSON.parse(list.toString()), { runs: [] }, 'the settings have the address and the key');
  const { port } = new URL(url);
  t.ok(settings.includes(` INTAGLIO_PORT='${port}'`), 'the port is the free one that it took');

  const example = await exampleOfGenerate(url);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(example) };
  const response = await fetch(`${url}/v1/generate`, sent);
  t.equal(response.status, 201, `the example of /openapi.json: ${await response.text()}`);

  const runs = await fetch(`${url}/v1/runs`, { headers });
  t.equal(runs.status, 200, 'the key of the demo may use runs');

  const second = await intaglio(environment(folder), 'demo', '--once', '--dir', folder);
  t.equal(second.code, 1);
  t.match(second.err, /another demo runs/);
  demo.child.kill('SIGINT');
  t.equal(await demo.exit, 0);
});

async function exampleOfGenerate(url: string): Promise<unknown> {
  interface Described {
    readonly requestBody: { readonly content: Record<string, { readonly example: unknown }> };
  }
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly paths: Record<string, Record<string, Described>>;
  };
  const { requestBody } = description.paths['/v1/generate']?.['post'] ?? {};
  return requestBody?.content['application/json']?.example;
}

t.test('a folder that no demo made is left alone', async (t) => {
  const folder = join(t.testdir(), 'mine');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'dear');
  const { code } = await intaglio(environment(folder), 'demo', '--once', '--dir', folder);
  t.equal(code, 1);
  t.ok(existsSync(join(folder, 'file')));
});

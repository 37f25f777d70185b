import { execFile } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

import { HOME } from '../../lab/home.ts';
import { npmCommand, npmEnvironment } from '../../lab/process/npm.ts';
import { serveLetter } from '../fixtures/letter.ts';
import { runProgram } from './programs.ts';

/**
 * Generators of other people make clients from /openapi.json: without a warning, for TypeScript that
 * sends data without a cast, and these clients make documents. They have a package.json of their own,
 * because they need TypeScript 5. The first run installs them.
 */
const FOLDER = join(HOME, 'test/clients/generators');
const MODULES = join(FOLDER, 'node_modules');

interface Generator {
  /** A module that reads openapi.json in its folder. */
  readonly generate: string;
  /** A program over the generated client. Each begins with the same data. */
  readonly program: string;
}

const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    generate: `
import { writeFileSync } from 'node:fs';
import openapi, { astToString } from 'openapi-typescript';
writeFileSync('api.ts', astToString(await openapi(new URL('openapi.json', import.meta.url))));`,
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const client = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': apiKey } });
const stored = await client.POST('/v1/generate', {
  body: { templateId: 'letter', mode: 'async', data },
});
const made = await client.POST('/v1/generate', {
  body: { templateId: 'letter', mode: 'sync' as const, data },
  parseAs: 'blob',
});
const pdf: Blob | undefined = made.data;
const refused = await client.POST('/v1/generate', {
  body: { templateId: 'letter', mode: 'sync', data: {} },
});
console.log(stored.response.status);`,
  },
  '@hey-api/openapi-ts': {
    generate: `
import { createClient } from '@hey-api/openapi-ts';
await createClient({
  input: 'openapi.json',
  output: { path: 'client', module: { extension: '.js' } },
  logs: { level: 'warn', file: false },
});`,
    program: `
import { client } from './client/client.gen.js';
import { generateDocument } from './client/sdk.gen.js';

client.setConfig({ baseUrl, headers: { 'X-Api-Key': apiKey } });
const stored = await generateDocument({ body: { templateId: 'letter', mode: 'async', data } });
const made = await generateDocument({
  body: { templateId: 'letter', mode: 'sync', data },
  parseAs: 'blob',
});
const refused = await generateDocument({ body: { templateId: 'letter', mode: 'sync', data: {} } });
console.log(stored.response?.status);`,
  },
};

const START = `
const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const data = { customer: 'Somchai Jaidee', total: '1250.50', issued: '2026-11-22' };
`;
const END = `
if (!(made.data instanceof Blob)) throw new Error('no PDF');
console.log((await made.data.text()).slice(0, 5));
console.log(refused.error?.code);
`;

const COMPILER =
  '--target es2022 --module nodenext --strict --skipLibCheck --types node --outDir out';

async function runNode(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, out } = await runProgram(process.execPath, cwd, args);
  if (code !== 0) throw new Error(out);
  return out;
}

async function describe(t: Test): Promise<{ url: string; apiKey: string; text: string }> {
  const { url, apiKey } = await serveLetter(t);
  return { url, apiKey, text: await (await fetch(`${url}/openapi.json`)).text() };
}

/** npm writes its list last, so a folder without it was left by a run that was cut off. */
async function install(): Promise<void> {
  if (existsSync(join(MODULES, '.package-lock.json'))) return;
  // The loader of the tests is no business of npm's.
  const env = { ...npmEnvironment(), NODE_OPTIONS: '' };
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)(npmCommand(), options, { cwd: FOLDER, env });
}

t.test('generated clients make documents', async (t) => {
  await install();
  const { url, apiKey, text } = await describe(t);
  for (const [name, { generate, program }] of Object.entries(GENERATORS)) {
    await t.test(name, async (t) => {
      const folder = t.testdir({
        'openapi.json': text,
        'package.json': '{ "type": "module" }',
        'generate.js': generate,
      });
      symlinkSync(MODULES, join(folder, 'node_modules'));
      const [imports = '', ...rest] = program.split('\n\n');
      writeFileSync(join(folder, 'use.ts'), `${imports}\n${START}\n${rest.join('\n\n')}\n${END}`);
      const said = await runNode(folder, 'generate.js');
      t.notMatch(said, /warn|error|deprecat|unsupported|skipp/i, 'without a warning');
      const types = ['--typeRoots', join(HOME, 'node_modules/@types')];
      const tsc = join(MODULES, 'typescript/lib/tsc.js');
      t.equal(
        await runNode(folder, tsc, ...COMPILER.split(' '), ...types, 'use.ts'),
        '',
        'it compiles',
      );
      const out = await runNode(folder, 'out/use.js', url, apiKey);
      t.strictSame(out.trimEnd().split('\n'), ['201', '%PDF-', 'invalid_data']);
    });
  }
});

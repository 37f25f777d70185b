import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { NODE_ARGS } from '../../../lab/service/command-line.ts';
import { HOME } from '../../settings/config.ts';

t.test('an installation without the tools says so, and runs everything else', async (t) => {
  const home = t.testdir();
  for (const part of ['src', 'clients/node/src', 'templates', 'package.json']) {
    cpSync(join(HOME, part), join(home, part), { recursive: true });
  }
  symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
  const flags = NODE_ARGS.slice(0, -1);
  const intaglio = (...args: readonly string[]): { status: number | null; said: string } => {
    const words = [...flags, join(home, 'src/cli.ts'), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };
  const tools = [
    ['tune', '--seconds', '5'],
    ['bench', 'engine', 'A'],
    ['test', '--help'],
    ['check'],
    ['conform', 'a.pdf'],
    ['templates', 'import', 'form.pdf', '--out', 'form.json'],
  ] as const;
  for (const args of tools) {
    const { status, said } = intaglio(...args);
    t.equal(status, 1, args.join(' '));
    t.match(said, /^intaglio: \w+ is a tool, and this installation was made without the tools/);
    t.notMatch(said, /\n\s+at /, 'no stack trace');
  }
  t.equal(intaglio('--help').status, 0);
  const checked = intaglio('templates', 'check', join(home, 'templates/receipt.json'));
  t.equal(checked.status, 0, checked.said);
  // Commands that call a service by the client of clients/node.
  writeFileSync(join(home, 'in.ndjson'), '{"a":1}\n');
  const caller = ['--url', 'http://127.0.0.1:1', '--key', 'ik_x'];
  const batch = ['batch', join(home, 'in.ndjson'), '--template', 'receipt', '--out', home];
  for (const words of [batch, ['runs', 'list']]) {
    const { status, said } = intaglio(...words, ...caller);
    t.equal(status, 1, said);
    t.match(said, /nothing answered at http:\/\/127\.0\.0\.1:1: /);
  }
});

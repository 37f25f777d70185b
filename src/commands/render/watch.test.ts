import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio, NODE_ARGS } from '../../../lab/service/command-line.ts';

const letter = (text: string): string =>
  JSON.stringify({
    templateId: 'letter',
    fields: [{ name: 'customer', type: 'text', required: true }],
    document: { content: [text] },
  });

t.test('render --watch renders again after each save, and ends on SIGINT', async (t) => {
  const folder = t.testdir({ 'letter.json': letter('{{customer}}'), 'data.json': '{}' });
  const [template, data, out] = ['letter.json', 'data.json', 'letter.pdf'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const args = ['render', template, '--data', data, '--out', out, '--watch'];
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], { env: environment(folder) });
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  let heard = Promise.withResolvers<undefined>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      heard.resolve(undefined);
    });
  }
  /** Waits until the command has printed it since the last call. */
  const prints = async (expected: RegExp): Promise<void> => {
    while (!expected.test(printed)) {
      heard = Promise.withResolvers();
      await heard.promise;
    }
    printed = '';
  };
  await prints(/customer: required/);
  t.notOk(existsSync(out));
  writeFileSync(data, '{"customer":"A"}');
  await prints(/letter\.pdf: 1 page/);
  writeFileSync(template, letter('{{custommer}}'));
  await prints(/letter\.json:1:\d+ error .*did you mean "customer"/);
  writeFileSync(template, letter('Dear {{customer}}'));
  await prints(/letter\.pdf: 1 page/);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  t.equal(await ended, 0);
});

t.test('render --watch takes one template', async (t) => {
  const folder = t.testdir({ 'jobs.json': '[]' });
  const jobs = join(folder, 'jobs.json');
  const { code, err } = await intaglio(environment(folder), 'render', '--jobs', jobs, '--watch');
  t.match({ code, err }, { code: 2, err: /--watch takes one template/ });
});

import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../../lab/service/command-line.ts';

const FAULTS = [
  [' note', 'must not begin with a blank'],
  ['no  te', 'must have no two blanks in a row'],
  ['n'.repeat(130), 'must have at most 128 characters'],
] as const;

const fileOf = (templateId: string): string =>
  JSON.stringify({ templateId, name: 'Note', document: { content: ['A note'] } }, null, 2);

t.test('check finds an identifier that draft refuses, and both say what is wrong', async (t) => {
  const files = FAULTS.map(([id], index) => [`${index}.json`, fileOf(id)] as const);
  const folder = t.testdir(Object.fromEntries(files));
  const env = environment(folder);
  const added = await intaglio(env, 'teams', 'add', 'bank', '--name', 'Bank');
  t.equal(added.code, 0, added.err);
  const paths = files.map(([name]) => join(folder, name));
  const checked = await intaglio(env, 'templates', 'check', ...paths);
  t.equal(checked.code, 1);
  for (const [index, [, fault]] of FAULTS.entries()) {
    t.match(checked.out, `${index}.json:2:3 error templateId: ${fault}.`);
    const path = paths[index] ?? '';
    const { code, out, err } = await intaglio(env, 'templates', 'draft', '--team=bank', path);
    t.equal(code, 1);
    t.match(`${out}${err}`, `templateId`);
    t.match(`${out}${err}`, fault);
  }
});

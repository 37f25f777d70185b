import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';

t.test('a file that does not exist is refused with the nearest name of its folder', async (t) => {
  const folder = t.testdir({ 'receipt.json': '{}' });
  const check = (path: string) => intaglio(environment(folder), 'templates', 'check', path);
  const near = join(folder, 'receipt.json');
  t.match(await check(join(folder, 'receit.json')), {
    code: 1,
    err: `receit.json: there is no such file; did you mean ${JSON.stringify(near)}?`,
  });
  t.match(await check(join(folder, 'other')), { code: 1, err: /there is no such file\n$/ });
  t.match(await check(join(folder, 'none/receipt.json')), {
    code: 1,
    err: /there is no folder .*none/,
  });
});

t.test('a document is not written to a file of another kind', async (t) => {
  const folder = t.testdir({
    't.json': '{}',
    'd.json': '{}',
    'jobs.json': '[{"template":"t","out":"o.jpg"}]',
  });
  const render = (...words: readonly string[]) => intaglio(environment(folder), 'render', ...words);
  const [template, data] = [join(folder, 't.json'), join(folder, 'd.json')];
  t.match(await render(template, '--data', data, '--out', 'n.PNG'), {
    code: 2,
    err: /n\.PNG has the name of a picture.*name it n\.pdf; then pdftoppm -r 100 -png n\.pdf n makes/,
  });
  t.match(await render(template, '--data', data, '--out', data), {
    code: 2,
    err: /d\.json has the name of another kind of file, and render writes a PDF: name it .*d\.pdf\n/,
  });
  t.match(await render('--jobs', join(folder, 'jobs.json')), {
    code: 1,
    err: /job 0 cannot be written: o\.jpg has the name of a picture/,
  });
});

t.test('a key: the nearest scope, scopes in one word, and days without their letter', async (t) => {
  const env = environment(t.testdir());
  t.equal((await intaglio(env, 'migrate')).code, 0);
  const add = (...words: readonly string[]) =>
    intaglio(env, 'keys', 'add', '--team', 'retail', ...words);
  t.match(await add('--scope', 'document:read'), {
    code: 2,
    err: /did you mean "documents:read"\?/,
  });
  t.match(await add('--scope', 'generate,runs'), { code: 2, err: /give --scope once for each/ });
  t.match(await add('--scope', 'runs', '--expires', '90'), { code: 2, err: /for 90 days: 90d/ });
  t.match(await add('--scope', 'runs'), {
    code: 1,
    err: /no team at all; add one: .* teams add TEAM/,
  });
});

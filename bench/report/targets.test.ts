import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { SUBJECT_FLAGS } from '../../lab/flags.ts';
import { HOME } from '../../lab/home.ts';
import { targetFault } from './targets.ts';

t.test('files that cannot be written are named before anything is measured', async (t) => {
  const folder = t.testdir({ 'page.md': '' });
  const absent = join(folder, 'nosuch', 'x.json');
  t.equal(targetFault({ json: join(folder, 'x.json'), html: null }), null);
  t.equal(targetFault({ page: join(folder, 'page.md') }), null);
  t.match(targetFault({ json: null, html: absent }), /^--html .*: there is no folder .*nosuch$/);
  t.equal(targetFault({ json: folder }), `--json ${folder}: this is a folder`);
  const main = join(HOME, 'bench/main.ts');
  for (const words of [
    ['engine', 'A', '--json', absent],
    ['profile', 'A', '--html', absent],
    ['engine', 'A', '--page', absent],
    ['--against', 'HEAD', 'A', '--json', absent],
    ['--template', 'templates/receipt.json', '--json', absent],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [
      ...SUBJECT_FLAGS,
      main,
      ...words,
    ]);
    t.equal(status, 2, words.join(' '));
    t.equal(stdout.toString(), '');
    t.match(stderr.toString(), /there is no folder .*nosuch\n$/);
  }
});

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
  t.match(targetFault({ json: folder }), / this is a folder; name a file$/);
  t.match(targetFault({ json: join(folder, 'page.md', 'x') }), / is a file, not a folder$/);
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

function bench(...words: readonly string[]) {
  const main = join(HOME, 'bench/main.ts');
  return spawnSync(process.execPath, [...SUBJECT_FLAGS, main, ...words], { encoding: 'utf8' });
}

t.test('a page without tables of the bench is named before anything is measured', async (t) => {
  const folder = t.testdir({
    'none.md': '# Notes\n',
    'slip.md': '<!-- figures: engin -->\n\n<!-- /figures -->\n',
  });
  const pages: readonly (readonly [name: string, said: RegExp])[] = [
    [
      'nope.md',
      /^--page: cannot read .*nope\.md: there is no such file.*; it takes a Markdown page/,
    ],
    ['none.md', /^--page .*none\.md: it has no table of the bench; it takes a Markdown page/],
    ['slip.md', /^--page .*: no table of the bench is called engin; did you mean "engine"\?/],
  ];
  for (const [name, said] of pages) {
    const { status, stdout, stderr } = bench('engine', 'A', '--page', join(folder, name));
    t.match({ status, stdout, stderr }, { status: 2, stdout: '', stderr: said });
    t.equal(stderr.split('\n').length, 2, stderr);
  }
});

t.test('input that cannot be read is named in a line, without a stack trace', async (t) => {
  const folder = t.testdir({ 'cut.json': '{', 'empty.json': '', 'rows.ndjson': '' });
  const receipt = join(HOME, 'templates/receipt.json');
  for (const [words, said] of [
    [['--template', join(folder, 'nope.json')], /cannot read .*nope\.json: there is no such file/],
    [['--template', folder], /cannot read .*: it is a folder/],
    [['--template', receipt, '--data', folder], /cannot read .*: it is a folder/],
    [['--template', receipt, '--data', join(folder, 'rows.ndjson')], /has no row/],
    [['--against', folder], /cannot read .*: it is a folder/],
    [['--against', join(folder, 'cut.json')], /cut\.json is not valid JSON/],
    [['--against', join(folder, 'nope.json')], /nope\.json: there is no such file/],
    [['--against', 'no-such-commit'], /no commit, branch or tag .* "no-such-commit"/],
  ] as const) {
    const { status, stdout, stderr } = bench(...words);
    t.ok(status === 1 || status === 2, words.join(' '));
    t.equal(stdout, '');
    t.match(stderr, said);
    t.notMatch(stderr, /\n\s+at /);
  }
});

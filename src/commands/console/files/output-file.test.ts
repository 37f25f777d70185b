import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, intaglio, type Finished } from '../../../../lab/service/command-line.ts';

/** Commands must not overwrite a file that somebody may have edited. */

const TEMPLATE = { templateId: 'n', name: 'N', fields: [], document: { content: 'x' } };

interface Place {
  readonly path: (name: string) => string;
  readonly command: (...words: readonly string[]) => Promise<Finished>;
}

function place(t: Test): Place {
  const folder = t.testdir({
    'n.json': JSON.stringify(TEMPLATE),
    'd.json': '{}',
    'own.go': 'package mine\n',
  });
  const env = environment(join(folder, 'var'));
  const path = (name: string): string => join(folder, name);
  return { path, command: (...words) => intaglio(env, ...words) };
}

t.test('export keeps an edited file that has the name of its output', async (t) => {
  const { path, command } = place(t);
  await command('teams', 'add', 'bank', '--name', 'B');
  await command('templates', 'draft', '--team', 'bank', path('n.json'));
  const out = path('copy.json');
  const exported = ['templates', 'export', 'n', '--team', 'bank', '--draft', '--out'];
  t.strictSame(await command(...exported, out), { code: 0, out: '', err: '' });
  t.strictSame(await command(...exported, out), { code: 0, out: '', err: '' }, 'the same bytes');
  writeFileSync(out, 'mine');
  const { code, err } = await command(...exported, out);
  t.equal(code, 0);
  const kept = path('copy-1.json');
  t.equal(err, `intaglio: ${out} existed with other content: it is now ${kept}\n`);
  t.equal(readFileSync(kept, 'utf8'), 'mine');
  t.strictSame(JSON.parse(readFileSync(out, 'utf8')), TEMPLATE);
  t.match(await command(...exported, path('.')), {
    code: 1,
    err: /cannot write .*: it is a folder \(EISDIR\); name a file\n$/,
  });
});

t.test('templates types overwrites only its own output', async (t) => {
  const { path, command } = place(t);
  const types = ['templates', 'types', path('n.json'), '--language', 'go', '--out'];
  t.match(await command(...types, path('own.go')), {
    code: 1,
    err: /own\.go exists, and templates types has not written it: name another file/,
  });
  t.equal(readFileSync(path('own.go'), 'utf8'), 'package mine\n');
  t.equal((await command(...types, path('made.go'))).code, 0);
  t.equal((await command(...types, path('made.go'))).code, 0, 'again');
});

t.test('render names a folder, and a job that would overwrite another', async (t) => {
  const { path, command } = place(t);
  const folder = await command(
    'render',
    path('n.json'),
    '--data',
    path('d.json'),
    '--out',
    path('.'),
  );
  t.match(folder, { code: 1, err: /it is a folder \(EISDIR\); name a file/ });
  const job = { template: path('n.json'), data: path('d.json'), out: path('a.pdf') };
  writeFileSync(path('jobs.json'), JSON.stringify([job, job]));
  t.match(await command('render', '--jobs', path('jobs.json')), {
    code: 1,
    err: /job 1 has the same "out" as an earlier job, and would overwrite its file: .*a\.pdf/,
  });
});

t.test('restore from a path that is not a folder says what to name', async (t) => {
  const { path, command } = place(t);
  const said = /name a folder that \.\/intaglio backup wrote\n$/;
  t.match(await command('restore', path('n.json')), { code: 1, err: said });
  t.match(await command('restore', path('none')), { code: 1, err: said });
});

t.test('a file that is cut off is removed, and one that cannot be opened stays', async (t) => {
  const folder = t.testdir({ 'old.pdf': 'old', d: {} });
  const write = (name: string, bytes: number): string => {
    const script = `import { writeOutput } from ${JSON.stringify(`${import.meta.dirname}/output-file.ts`)};
      try { writeOutput(${JSON.stringify(join(folder, name))}, new Uint8Array(${bytes})); }
      catch (error) { process.stdout.write(error.message); }`;
    const call = [process.execPath, '--input-type=module', '-e', script];
    // No file may be larger than 8 blocks of 512 or 1,024 bytes, as on a disk that is full.
    const limited = ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...call];
    return spawnSync('sh', limited, { encoding: 'utf8' }).stdout;
  };
  t.equal(write('new.pdf', 1_000), '');
  t.match(write('cut.pdf', 100_000), /^cannot write .*cut\.pdf: .* \(EFBIG\); /);
  t.notOk(existsSync(join(folder, 'cut.pdf')));
  t.match(write('none/new.pdf', 1), /: there is no folder .*none; make it, or name another$/);
  t.match(write('d', 1), /it is a folder \(EISDIR\); name a file$/);
  t.equal(readFileSync(join(folder, 'old.pdf'), 'utf8'), 'old');
});

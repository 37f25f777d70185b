import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { missingPackages, provide, searchPath, SYSTEM_PACKAGES } from './packages.ts';

const PROGRAMS = SYSTEM_PACKAGES.flatMap(({ programs }) => programs);

function folder(t: Test, programs: readonly string[]): string {
  const path = t.testdir(Object.fromEntries(programs.map((name) => [name, '#!/bin/sh\n'])));
  for (const name of programs) chmodSync(join(path, name), 0o755);
  return path;
}

t.test('a package is missing when one of its programs is', async (t) => {
  t.strictSame(missingPackages(folder(t, PROGRAMS)), []);
  const without = PROGRAMS.filter((name) => name !== 'pdffonts');
  t.strictSame(
    missingPackages(folder(t, without)).map(({ name }) => name),
    ['poppler-utils'],
  );
  t.equal(missingPackages('/nowhere').length, SYSTEM_PACKAGES.length);
});

t.test('folders of system programs are searched after those of the user', async (t) => {
  t.equal(searchPath('/a:/usr/sbin'), '/a:/usr/sbin:/usr/local/sbin:/sbin');
});

t.test(
  'as root, a failed installation is repeated once, after refreshing the package lists',
  async (t) => {
    const path = t.testdir({ 'apt-get': '' });
    const calls = join(path, 'calls');
    // This apt-get fails until its lists are refreshed, as on a fresh machine; then it provides the
    // programs.
    writeFileSync(
      join(path, 'apt-get'),
      `#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >>'${calls}'
[ "$1" = -o ] && shift 2
case $1 in update) : >'${path}/lists' ;; esac
[ -e '${path}/lists' ] || exit 100
case $1 in install) for name in ${PROGRAMS.join(' ')}; do
  printf '#!/bin/sh\n' >'${path}'/$name; /bin/chmod 755 '${path}'/$name
done ;; esac
`,
    );
    chmodSync(join(path, 'apt-get'), 0o755);
    const module = JSON.stringify(join(import.meta.dirname, 'packages.ts'));
    const script = `import { provide } from ${module};
    console.log(provide(${JSON.stringify(path)}, true, () => undefined).length);`;
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    t.equal(done.stdout, '0\n', done.stderr);
    const names = SYSTEM_PACKAGES.map(({ name }) => name).join(' ');
    const asRoot = 'noninteractive -o DPkg::Lock::Timeout=300';
    const install = `${asRoot} install -y -qq --no-install-recommends ${names}`;
    t.strictSame(readFileSync(calls, 'utf8').trimEnd().split('\n'), [
      install,
      `${asRoot} update -qq`,
      install,
    ]);
  },
);

t.test('without root it prints the command and what will be skipped', async (t) => {
  const lines: string[] = [];
  const missing = provide(folder(t, ['qpdf']), false, (line) => lines.push(line));
  t.equal(missing.length, SYSTEM_PACKAGES.length - 1);
  t.match(lines[0], /sudo apt-get install -y --no-install-recommends poppler-utils /);
  t.equal(lines.filter((line) => line.startsWith('WILL BE SKIPPED')).length, missing.length);
});

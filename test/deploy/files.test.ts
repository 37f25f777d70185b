import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { SETTINGS, unknownSettings } from '../../src/settings/config.ts';
import { HOME } from '../../lab/home.ts';

/** Settings, folders and routes that the files of deploy/ name exist in the service. */

const DEPLOY = join(HOME, 'deploy');
const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

/** The number that the pattern finds; NaN when there is none, which makes every comparison fail. */
function seconds(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]);
}

t.test('every setting that deploy/ names exists', async (t) => {
  const named = files.flatMap((file) => [
    ...new Set(readFileSync(file, 'utf8').match(/INTAGLIO_[A-Z_]*[A-Z]/g)),
  ]);
  t.ok(named.length > 10, `${named.length} names`);
  t.strictSame(unknownSettings(Object.fromEntries(named.map((name) => [name, 'x']))), []);
});

t.test('grace periods for stopping an instance are longer than its shutdown', async (t) => {
  const longest = SETTINGS.shutdownTimeoutMs.absent() / 1000;
  t.ok(seconds(read('intaglio.service'), /^TimeoutStopSec=(\d+)$/m) > longest);
  t.ok(seconds(read('compose/compose.yaml'), /stop_grace_period: (\d+)s/) > longest);
  const pause = seconds(read('helm/intaglio/templates/deployment.yaml'), /sleep, '(\d+)'/);
  const grace = seconds(
    read('helm/intaglio/values.yaml'),
    /^terminationGracePeriodSeconds: (\d+)$/m,
  );
  t.ok(grace > pause + longest);
});

t.test('the example balancer keeps the figures inside', async (t) => {
  const [frontend = ''] =
    /^frontend .*\n(?:[ \t].*\n|\n)*/m.exec(read('compose/haproxy.cfg')) ?? [];
  const lines = frontend.split('\n').map((line) => line.trim());
  const denies = lines.findIndex((line) => line.startsWith('http-request deny'));
  t.match(lines[denies], /deny_status 404 if \{ path,url_dec -i -m beg \/metrics \/readyz \}$/);
  t.ok(
    denies < lines.findIndex((line) => line.startsWith('default_backend')),
    'before any backend',
  );
});

t.test('the image gets every folder that the service reads, and no other', async (t) => {
  const lines = readFileSync(join(HOME, '.dockerignore'), 'utf8').split('\n');
  const kept = new Set(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)));
  for (const name of [
    'intaglio',
    'package.json',
    'package-lock.json',
    'src',
    'clients/node/src',
    'templates',
    'docs',
  ]) {
    t.ok(kept.has(name), name);
  }
  for (const name of ['tools', 'lab', 'bench', 'test', 'scripts']) t.notOk(kept.has(name), name);
});

t.test('the systemd units are valid', async (t) => {
  const units = ['intaglio.service', 'intaglio-backup.service', 'intaglio-backup.timer'];
  const paths = units.map((name) => join(DEPLOY, name));
  const verify = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });
  if (verify.error !== undefined) {
    // The tests do not install systemd; without it only the text is checked.
    t.match(read('intaglio.service'), /^\[Unit\]\n[^]*^\[Service\]\n[^]*^\[Install\]\n/m);
    t.match(read('intaglio-backup.timer'), /^\[Unit\]\n[^]*^\[Timer\]\n[^]*^\[Install\]\n/m);
    return;
  }
  const complaints = verify.stderr.split('\n').filter((line) => line.includes('intaglio'));
  t.strictSame(
    // The program exists only on a machine with the service installed.
    complaints.filter((line) => !line.includes('is not executable')),
    [],
  );
});

t.test('the backup is made of the store of the service, as its user', async (t) => {
  const same = (unit: string): string[] =>
    read(unit)
      .split('\n')
      .filter((line) => /^(?:Environment|EnvironmentFile|User|Group|State\w+)=/.test(line));
  t.equal(same('intaglio.service').length, 7);
  t.strictSame(same('intaglio-backup.service').toSorted(), same('intaglio.service').toSorted());
  const [, program = ''] =
    /^ExecStart=\/opt\/intaglio\/(\S+) \/backup \d+$/m.exec(read('intaglio-backup.service')) ?? [];
  t.ok(statSync(join(HOME, program)).mode & 0o100, 'systemd can start it');
});

t.test('every alert has a row in the runbook: when, what it means, what to do', async (t) => {
  const alerts = read('alerts.yml').matchAll(/^ +- alert: (\w+)$/gm);
  const names = [...alerts].map(([, name = '']) => name);
  t.ok(names.length > 10, `${names.length} alerts`);
  const lines = readFileSync(join(HOME, 'docs/operations.md'), 'utf8').split('\n');
  const rows = lines.flatMap((line) => {
    const [, name, ...cells] = /^\| `(Intaglio\w+)` +\|(.+)\|(.+)\|(.+)\|$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, cells }];
  });
  t.strictSame(rows.map(({ name }) => name).toSorted(), names.toSorted());
  for (const { name, cells } of rows) {
    t.ok(
      cells.every((cell) => cell.trim().length > 10),
      `${name}: no column is empty`,
    );
  }
});

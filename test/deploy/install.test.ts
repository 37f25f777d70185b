import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';

import { endsWithThis } from '../../lab/process/guard.ts';
import { HOME } from '../../lab/home.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { missingOpenssl } from '../store/certificates.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { freePort } from '../../lab/servers/port.ts';
import { renderChart } from './chart.ts';

/** The commands of docs/install.md work when they are copied one after the other. */

const page = readFileSync(join(HOME, 'docs/install.md'), 'utf8');

const runbook = readFileSync(join(HOME, 'docs/operations.md'), 'utf8');

/** The block of code after a mark `<!-- name -->`. */
function block(name: string, text = page): string {
  const found = new RegExp(`<!-- ${name} -->\\s*\`\`\`\\w+\\n([^]*?)\`\`\``).exec(text);
  if (found?.[1] === undefined) throw new Error(`the page has no block ${name}`);
  return found[1];
}

/** Programs of a server that the test must not change: what each does here. */
const SHIMS: Readonly<Record<string, string>> = {
  // Owners need users of the machine; without these options the files are ours.
  install: `args=
    while [ $# -gt 0 ]; do
      case $1 in -o | -g) shift ;; *) args="$args $1" ;; esac
      shift
    done
    exec /usr/bin/install $args`,
  chgrp: 'exit 0',
  setpriv: `while :; do case $1 in --*) shift ;; *) break ;; esac; done
    exec "$@"`,
  date: `[ -z "\${TEST_NOW-}" ] || { echo "$TEST_NOW"; exit; }
    exec /usr/bin/date "$@"`,
  mariadb: 'exec /usr/bin/mariadb --no-defaults --user=root --socket="$TEST_SOCKET" "$@"',
  // Starts what the unit starts, and waits until it serves; or ends it.
  systemctl: `case "$*" in
  *intaglio-backup.timer) exit 0 ;;
  "start intaglio-backup")
    set -a
    . "$TEST_FOLDER/etc/intaglio/env"
    line=$(sed -n 's/^ExecStart=//p' "$TEST_FOLDER/system/intaglio-backup.service")
    exec sh -c "$(echo "$line" | sed "s,/opt/intaglio,$TEST_HOME,; s, /backup , $TEST_FOLDER/backup ,")"
  esac
  case $1 in
  enable | start | restart)
    [ "$1" != restart ] || systemctl stop intaglio
    # The line of the start before must be gone when the loop looks for the next one.
    : > "$TEST_LOG"
    intaglio serve >> "$TEST_LOG" 2>&1 < /dev/null &
    echo $! > "$TEST_PID"
    until grep -q '"listening"' "$TEST_LOG"; do
      kill -0 "$(cat "$TEST_PID")" || { cat "$TEST_LOG"; exit 1; }
      sleep 0.2
    done ;;
  stop)
    kill "$(cat "$TEST_PID")"
    while kill -0 "$(cat "$TEST_PID")" 2> /dev/null; do sleep 0.2; done
  esac`,
};

/** Runs a script to its end; returns its code and output. */
function run(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<[number, string]> {
  const child = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  endsWithThis(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => output.push(chunk));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve([code ?? 1, Buffer.concat(output).toString()]));
  });
}

/** A server as docs/install.md sets it up, and what is typed on it. */
interface Server {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The text with the paths of the page put into the folder. */
  readonly here: (text: string) => string;
  /** Runs lines as somebody who pastes them does: the shell goes on after a line that failed. */
  readonly paste: (text: string, env?: NodeJS.ProcessEnv) => Promise<[number, string]>;
}

/** A server for the steps of the page; a reason when the programs for one are missing. */
async function startServer(t: Test): Promise<Server | string> {
  const reason = missingOpenssl();
  if (reason !== '') return reason;
  const started = await startMariaDb();
  if (started.server === null) return started.reason;
  const { server } = started;
  t.teardown(() => server.stop());
  const folder = await temporaryFolder(t);
  const socket = await socketOf(await server.freshUrl());
  const port = String(await freePort());
  const bin = join(folder, 'bin');
  for (const name of ['bin', 'etc', 'var', 'system']) mkdirSync(join(folder, name));
  writeShims(bin, SHIMS);
  symlinkSync(process.execPath, join(bin, 'node'));
  const here = (text: string): string =>
    text
      .replaceAll('/etc/intaglio', join(folder, 'etc/intaglio'))
      .replaceAll('/var/lib/intaglio', join(folder, 'var/intaglio'))
      .replaceAll('/usr/local/bin/intaglio', join(bin, 'intaglio'))
      .replaceAll('/etc/systemd/system', join(folder, 'system'))
      .replaceAll('/run/mysqld/mysqld.sock', socket)
      .replaceAll('/opt/intaglio', HOME)
      .replaceAll(/(?<=[\s"=])\/backup\b/g, join(folder, 'backup'))
      .replaceAll('8443', port);
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    TEST_SOCKET: socket,
    TEST_FOLDER: folder,
    TEST_HOME: HOME,
    TEST_LOG: join(folder, 'log'),
    TEST_PID: join(folder, 'pid'),
  };
  t.teardown(() => stopService(env.TEST_PID));
  const paste = (text: string, more: NodeJS.ProcessEnv = {}): Promise<[number, string]> =>
    run(here(text), folder, { ...env, ...more });
  return { folder, env, here, paste };
}

function writeShims(bin: string, shims: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(shims)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

/** The steps of the page up to the first backup. */
const STEPS = ['database', 'settings', 'certificate', 'start', 'document', 'backup'];

t.test('one server: from the database to a document, and again after a restore', async (t) => {
  const server = await startServer(t);
  if (typeof server === 'string') return t.comment(server);
  const { folder, env, here } = server;
  const script = [...STEPS, 'restore'].map((step) => here(block(`run: ${step}`)));
  // The key of before the backup makes a document with the template of before it.
  const call = /^curl[^]*?^JSON$/m.exec(here(block('run: document')))?.[0] ?? '';
  const again = call.replace('receipt.pdf', 'again.pdf');
  const [code, output] = await run(['set -eu', ...script, again].join('\n'), folder, env);
  t.equal(code, 0, output);
  for (const name of ['receipt.pdf', 'again.pdf']) {
    t.match(readFileSync(join(folder, name), 'latin1'), /^%PDF-/, name);
  }
  t.match(readFileSync(join(folder, 'etc/intaglio/env'), 'utf8'), /^INTAGLIO_AUDIT_KEY='\w{64}'$/m);
  t.match(output, /^Restored the backup of .*: \d+ rows, \d+ files\.$/m);
  t.notMatch(output, /It has no seal|--accept-unsealed/, 'the key has sealed the backup');
  t.notMatch(output, /^(?:fault|skipped)/m);
  t.match(output, /^ok +certificate: /m);

  // After a change of the audit key a backup of before it is restored with the old key.
  const settings = join(folder, 'etc/intaglio/env');
  const [, old = ''] = /^INTAGLIO_AUDIT_KEY='(\w+)'$/m.exec(readFileSync(settings, 'utf8')) ?? [];
  writeFileSync(join(folder, 'old-key'), `${old}\n`);
  const changed = readFileSync(settings, 'utf8').replace(old, old.split('').toReversed().join(''));
  writeFileSync(settings, changed);
  const restore = here(block('run: restore'));
  const [, refused] = await run(restore, folder, env);
  t.notMatch(refused, /^Restored/m, 'the new key has not sealed it');
  const [, restored] = await run(
    restore.replace('intaglio restore', `INTAGLIO_AUDIT_KEY_FILE=${join(folder, 'old-key')} $&`),
    folder,
    env,
  );
  t.match(restored, /^Restored the backup of /m);
});

t.test('a variable of the caller takes precedence over the settings of the server', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'etc'));
  writeShims(folder, { ...SHIMS, program: 'env' });
  const script = block('run: settings')
    .replaceAll('/etc/intaglio', join(folder, 'etc'))
    .replaceAll('/usr/local/bin/intaglio', join(folder, 'intaglio'))
    .replaceAll('/opt/intaglio/intaglio', join(folder, 'program'));
  const env = { PATH: `${folder}:${process.env['PATH']}`, PASSWORD: 'p' };
  const [made, output] = await run(script, folder, env);
  t.equal(made, 0, output);
  const settings = readFileSync(join(folder, 'etc/env'), 'utf8');
  writeFileSync(join(folder, 'etc/env'), `${settings}INTAGLIO_ENCRYPTION_KEYS_FILE='/etc/keys'\n`);
  /** The variables of the program whose names begin so, when the caller has these. */
  const seen = async (prefix: string, caller: NodeJS.ProcessEnv): Promise<string[]> => {
    const [, printed] = await run('intaglio', folder, { ...env, ...caller });
    return printed.split('\n').filter((line) => line.startsWith(prefix));
  };
  const value = `it's "a" $(key) \\1 \`x\``;
  const audit = (name: string): Promise<string[]> => seen('INTAGLIO_AUDIT', { [name]: value });
  t.strictSame(await audit('INTAGLIO_AUDIT_KEY'), [`INTAGLIO_AUDIT_KEY=${value}`]);
  t.strictSame(await audit('INTAGLIO_AUDIT_KEY_FILE'), [`INTAGLIO_AUDIT_KEY_FILE=${value}`]);
  t.match((await audit('OTHER'))[0], /^INTAGLIO_AUDIT_KEY=\w{64}$/, 'without one the file counts');
  for (const name of ['INTAGLIO_ENCRYPTION_KEYS', 'INTAGLIO_ENCRYPTION_KEYS_COMMAND']) {
    t.strictSame(await seen('INTAGLIO_ENC', { [name]: value }), [`${name}=${value}`]);
  }
  const certificate = { INTAGLIO_TLS_CERT_FILE: '/mine.pem' };
  t.strictSame(
    (await seen('INTAGLIO_TLS', certificate)).toSorted(),
    ['INTAGLIO_TLS_CERT_FILE=/mine.pem', `INTAGLIO_TLS_KEY_FILE=${join(folder, 'etc/tls.key')}`],
    'other settings stay',
  );
  t.strictSame(await seen('given', { INTAGLIO_PORT: '1' }), [], 'nothing else reaches the program');
});

t.test('a step that is done again keeps secrets and keys', async (t) => {
  const server = await startServer(t);
  if (typeof server === 'string') return t.comment(server);
  const { folder, paste } = server;
  const names = ['env', 'tls.pem', 'tls.key', 'files-key'];
  const contents = (): string[] =>
    names.map((name) => readFileSync(join(folder, 'etc/intaglio', name), 'utf8'));
  const blocks = [
    ...STEPS.slice(0, 4).map((step) => block(`run: ${step}`)),
    block('run: encryption', runbook),
  ];
  const [, output] = await paste(blocks.join('\n'));
  t.match(output, /^\w+ encrypts \d+ files?$/m, 'the key is in use');
  const before = contents();
  t.match(before[0], /^INTAGLIO_ENCRYPTION_KEYS_FILE=.*files-key'$/m);
  t.match(before[3], /^[\w+/]{43}=\n$/);
  const restart = 'systemctl stop intaglio';
  const [, again] = await paste([restart, ...blocks].join('\n'));
  t.strictSame(contents(), before);
  // A new server gets the user of the database with the password of the kept settings.
  const [, kept] = await paste(`${block('run: kept password')}\necho "password: $PASSWORD"`);
  const [, password = ''] = /:\/\/intaglio:(\w{48})@/.exec(before[0] ?? '') ?? [];
  t.equal(kept, `password: ${password}\n`);
  t.match(again, /etc\/intaglio\/env: .*(?:exist|overwrite)/i, 'and says so');
});

t.test('a restore can be pasted again and again, and keeps what was there', async (t) => {
  const server = await startServer(t);
  if (typeof server === 'string') return t.comment(server);
  const { folder, paste } = server;
  const restore = block('run: restore');
  const [code, output] = await paste(
    ['set -eu', ...STEPS.map((step) => block(`run: ${step}`))].join('\n'),
  );
  t.equal(code, 0, output);
  const teams = async (): Promise<string> => (await paste('intaglio teams list'))[1];
  const aside = (where: string, prefix: string): string[] =>
    readdirSync(join(folder, where)).filter((name) => name.startsWith(prefix));
  for (const count of [1, 2, 3]) {
    await paste(`intaglio teams add later-${count} --name Later`);
    const [, told] = await paste(restore);
    t.match(told, /^Restored the backup of /m, `time ${count}`);
    t.match(await teams(), /\bretail\b/, `time ${count}: the rows of the backup`);
    t.notMatch(await teams(), /\blater-/, `time ${count}: no rows of after it`);
    t.equal(aside('backup', 'before-restore-').length, count, told);
    t.equal(aside('var/intaglio', 'files.before-restore-').length, count, told);
    t.notOk(aside('var/intaglio/files', 'files').length, 'no files inside those files');
  }
  // What was stored before a restore comes back from the backup that it made.
  const [, second] = aside('backup', 'before-restore-').toSorted();
  await paste(restore.replace(/^FROM=.*$/m, `FROM=/backup/${second}`));
  t.match(await teams(), /\blater-2\b/);

  // Nothing is touched when there is no backup to restore.
  const [, missing] = await paste(restore.replace(/^FROM=.*$/m, 'FROM=/backup/none'));
  t.match(missing, /backup\/none\/manifest\.json/);
  t.notMatch(missing, /Restored/);
  // Nor when the rows of now cannot be kept: here the folder for them is taken.
  const taken = 'before-restore-20300101T000000Z';
  mkdirSync(join(folder, 'backup', taken, 'rows'), { recursive: true });
  const [, kept] = await paste(restore, { TEST_NOW: taken.replace('before-restore-', '') });
  t.match(kept, /is not empty: name another folder/);
  t.notMatch(kept, /Restored/);
  t.match(await teams(), /\blater-2\b/);
  const health = 'curl --fail --silent --insecure https://127.0.0.1:8443/readyz';
  t.match((await paste(health))[1], /"status":"ready"/, 'the service goes on');

  // A restore that stopped halfway is done again by the same lines.
  const [first = ''] = aside('backup', '2');
  const rows = join(folder, 'backup', first, 'rows');
  renameSync(rows, `${rows}.away`);
  const [, stopped] = await paste(restore);
  t.match(stopped, /the backup is damaged/);
  renameSync(`${rows}.away`, rows);
  const [, mended] = await paste(restore);
  t.match(mended, /^Restored the backup of /m);
  t.match(await teams(), /\bretail\b/);
  t.match((await paste(health))[1], /"status":"ready"/);
});

t.test('an update can be pasted twice: the version before it stays', async (t) => {
  const folder = await temporaryFolder(t);
  const bin = join(folder, 'bin');
  const opt = (name: string): string => join(folder, 'opt', name);
  const versionAt = (name: string): string => readFileSync(join(opt(name), 'intaglio'), 'utf8');
  for (const name of ['bin', 'system', 'etc']) mkdirSync(join(folder, name));
  writeShims(bin, { systemctl: 'exit 0', intaglio: '[ "$1" != backup ] || mkdir -p "$2"' });
  const install = (name: string, version: string): void => {
    mkdirSync(join(opt(name), 'deploy'), { recursive: true });
    writeFileSync(join(opt(name), 'intaglio'), version);
    for (const unit of readdirSync(join(HOME, 'deploy'))) {
      if (/\.(?:service|timer)$/.test(unit)) writeFileSync(join(opt(name), 'deploy', unit), '');
    }
  };
  const paste = (name: string): Promise<[number, string]> =>
    run(
      block(`run: ${name}`)
        .replaceAll('/etc/intaglio', join(folder, 'etc'))
        .replaceAll('/etc/systemd/system', join(folder, 'system'))
        .replaceAll('/opt/', `${join(folder, 'opt')}/`)
        .replaceAll(/(?<=[\s"=])\/backup\b/g, join(folder, 'backup')),
      folder,
      { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    );
  writeFileSync(join(folder, 'etc/env'), 'settings');
  install('intaglio', 'one');
  install('intaglio.before', 'zero');
  install('intaglio.next', 'two');
  for (const times of ['once', 'twice']) {
    const [code, output] = await paste('switch');
    t.equal(code === 0, times === 'once', output);
    t.equal(versionAt('intaglio'), 'two', times);
    t.equal(versionAt('intaglio.before'), 'one', times);
  }
  install('intaglio.failed', 'older');
  for (const times of ['once', 'twice']) {
    const [code, output] = await paste('go back');
    t.equal(code === 0, times === 'once', output);
    t.equal(versionAt('intaglio'), 'one', times);
    t.equal(versionAt('intaglio.failed'), 'two', times);
  }
  // Two updates, a second apart, leave two backups.
  writeShims(bin, { date: 'cat now' });
  for (const now of ['20300101T000000Z', '20300101T000001Z']) {
    writeFileSync(join(folder, 'now'), now);
    const [code, output] = await paste('before update');
    t.equal(code, 0, output);
    t.equal(readFileSync(join(folder, `etc/env.before-update-${now}`), 'utf8'), 'settings');
  }
  t.equal(readdirSync(join(folder, 'backup')).length, 2);
});

t.test('old backups are removed after a good one only', async (t) => {
  const folder = await temporaryFolder(t);
  const backups = join(folder, 'backups');
  for (const name of ['deploy', 'backups']) mkdirSync(join(folder, name));
  copyFileSync(join(HOME, 'deploy/backup.sh'), join(folder, 'deploy/backup.sh'));
  const old = ['20300101T000000Z', '20300102T000000Z', 'before-restore-20300101T000000Z'];
  for (const [index, name] of old.entries()) {
    mkdirSync(join(backups, name));
    const at = Date.now() / 1_000 - (index === 1 ? 13 : 20) * 86_400;
    utimesSync(join(backups, name), at, at);
  }
  const make = (intaglio: string): Promise<[number, string]> => {
    writeShims(folder, { intaglio });
    return run(`deploy/backup.sh ${backups} 14`, folder, process.env);
  };
  const [failed] = await make('mkdir "$2"; exit 1');
  t.equal(failed, 1);
  const kept = readdirSync(backups).toSorted();
  t.equal(kept.length, old.length + 1, 'all are kept, and what there is of the new one');
  rmdirSync(join(backups, kept.find((name) => !old.includes(name)) ?? 'none'));
  const [made, output] = await make('mkdir "$2"');
  t.equal(made, 0, output);
  const left = readdirSync(backups);
  t.equal(left.length, old.length, 'the new one instead of the oldest');
  t.notOk(left.includes('20300101T000000Z'));
});

/** The socket of a server of these tests, which lies beside its data. */
async function socketOf(url: string): Promise<string> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection(url);
  const [rows] = await connection.query('select @@socket as socket, @@datadir as data');
  await connection.end();
  const [row] = rows as { socket: string; data: string }[];
  return row?.socket ?? join(dirname(row?.data ?? ''), 's.sock');
}

function stopService(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch (error) {
    // It was never started, or has ended.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

t.test('Prometheus scrapes the service of the page over HTTPS', async (t) => {
  const { scrape_configs: jobs } = parse(block('scrape over https', runbook)) as {
    scrape_configs: {
      scheme: string;
      tls_config: object;
      static_configs: { targets: string[] }[];
    }[];
  };
  const [, address = ''] = /^INTAGLIO_BASE_URL='(.*)'$/m.exec(page) ?? [];
  const urls = jobs.map((job) => `${job.scheme}://${job.static_configs[0]?.targets[0]}`);
  t.strictSame(urls, [address]);
  t.strictSame(Object.keys(jobs[0]?.tls_config ?? {}), ['ca_file']);
});

t.test('cluster: the values render, and the secrets are those that are created', async (t) => {
  const values = parse(block('render')) as Readonly<Record<string, { secretName?: string }>>;
  const documents = renderChart(values);
  t.ok(documents.length >= 9);
  for (const name of ['database', 'files', 'links', 'audit']) {
    const secret = values[name]?.secretName ?? '';
    t.match(page, `kubectl create secret generic ${secret} --from-literal=`, name);
  }
});

t.test('container: the options of the page fit the image', async (t) => {
  const image = readFileSync(join(HOME, 'deploy/Containerfile'), 'utf8');
  t.match(image, /^VOLUME \/data$/m);
  t.match(page, '--volume intaglio:/data');
  t.match(image, /^EXPOSE 8080$/m);
  t.match(page, '--publish 127.0.0.1:8080:8080');
  t.match(image, /^WORKDIR \/opt\/intaglio$/m);
  t.match(page, 'podman exec intaglio ./intaglio doctor');
});

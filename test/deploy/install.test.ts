import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
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

/** The block of code after a mark `<!-- name -->`. */
function block(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\s*\`\`\`\\w+\\n([^]*?)\`\`\``).exec(page);
  if (found?.[1] === undefined) throw new Error(`docs/install.md has no block ${name}`);
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
  mariadb: 'exec /usr/bin/mariadb --no-defaults --user=root --socket="$TEST_SOCKET" "$@"',
  // Starts what the unit starts, and waits until it serves; or ends it.
  systemctl: `case $1 in
  enable | start)
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
  const child = spawn('sh', ['-eu', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

t.test('one server: from the database to a document, and again after a restore', async (t) => {
  const reason = missingOpenssl();
  if (reason !== '') return t.comment(reason);
  const started = await startMariaDb();
  if (started.server === null) return t.comment(started.reason);
  const { server } = started;
  t.teardown(() => server.stop());
  const folder = await temporaryFolder(t);
  const socket = await socketOf(await server.freshUrl());
  const port = String(await freePort());
  const bin = join(folder, 'bin');
  for (const name of ['bin', 'etc', 'var', 'system']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(SHIMS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  symlinkSync(process.execPath, join(bin, 'node'));
  const here = (text: string): string =>
    text
      .replaceAll('/etc/intaglio', join(folder, 'etc/intaglio'))
      .replaceAll('/var/lib/intaglio', join(folder, 'var/intaglio'))
      .replaceAll('/usr/local/bin/intaglio', join(bin, 'intaglio'))
      .replaceAll('/etc/systemd/system', join(folder, 'system'))
      .replaceAll('/run/mysqld/mysqld.sock', socket)
      .replaceAll('/opt/intaglio', HOME)
      .replaceAll('/backup/', `${join(folder, 'backup')}/`)
      .replaceAll(' /backup\n', ` ${join(folder, 'backup')}\n`)
      .replaceAll('8443', port);
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    TEST_SOCKET: socket,
    TEST_LOG: join(folder, 'log'),
    TEST_PID: join(folder, 'pid'),
  };
  t.teardown(() => stopService(env.TEST_PID));
  const steps = ['database', 'settings', 'certificate', 'start', 'document', 'backup', 'restore'];
  const script = steps.map((step) => here(block(`run: ${step}`)));
  // The key of before the backup makes a document with the template of before it.
  const call = /^curl[^]*?^JSON$/m.exec(here(block('run: document')))?.[0] ?? '';
  const again = call.replace('receipt.pdf', 'again.pdf');
  const [code, output] = await run([...script, again].join('\n'), folder, env);
  t.equal(code, 0, output);
  for (const name of ['receipt.pdf', 'again.pdf']) {
    t.match(readFileSync(join(folder, name), 'latin1'), /^%PDF-/, name);
  }
  t.match(readFileSync(join(folder, 'etc/intaglio/env'), 'utf8'), /^INTAGLIO_AUDIT_KEY='\w{64}'$/m);
  t.match(output, /^Restored the backup of .*: \d+ rows, \d+ files\.$/m);
  t.notMatch(output, /It has no seal|--accept-unsealed/, 'the key has sealed the backup');
  t.notMatch(output, /^(?:fault|skipped)/m);
  t.match(output, /^ok +certificate: /m);
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

import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { isProtectedPdf } from '../../src/protect/check.ts';
import { environment, serve } from '../../lab/service/command-line.ts';
import { post } from '../../lab/service/gateway.ts';
import type { Answer, OptionsService } from './service.ts';
import { answerOf, canary, setUpTeam, startOptionsService } from './service.ts';

/** Responses of the service when qpdf is missing, or fails in any way. */

const PROTECTED = { protection: { userPassword: 'secret' } };

const QPDF =
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'qpdf'))
    .find((place) => spawnSync(place, ['--version']).status === 0) ?? 'qpdf';

/** Writes an executable shell script, replacing it as a whole so that none is seen half written. */
function script(place: string, lines: string): void {
  rmSync(place, { force: true });
  writeFileSync(place, `#!/bin/sh\n${lines}\n`);
  chmodSync(place, 0o755);
}

/** Requests both modes at once: neither may deliver a file. */
async function refusals(service: OptionsService, name: string): Promise<Answer[]> {
  return Promise.all([
    service.generate('letter', 'sync', name, PROTECTED),
    service.generate('letter', 'async', name, PROTECTED),
  ]);
}

function checkRefusal(t: Test, answer: Answer, status: number, code: string, what: string): void {
  t.equal(answer.status, status, what);
  t.equal(answer.json['code'], code, what);
  t.notMatch(answer.bytes.toString('latin1'), '%PDF', what);
}

/** The contents of the files under a folder. */
function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((place) => [place, readFileSync(place, 'latin1')]),
  );
}

/** Names of this service in the folders for temporary files. */
function spools(): string[] {
  return ['/dev/shm', tmpdir()]
    .flatMap((folder) => readdirSync(folder))
    .filter((name) => /^intaglio-\d|^#\d/.test(name));
}

t.test('qpdf comes and goes while the service runs', async (t) => {
  const qpdf = join(t.testdir(), 'qpdf');
  const service = await startOptionsService(t, { protector: { qpdf } });
  const isRefused = async (): Promise<void> => {
    for (const answer of await refusals(service, canary())) {
      checkRefusal(t, answer, 503, 'protection_unavailable', 'without qpdf');
    }
    t.equal(
      (await service.generate('letter', 'sync', canary())).status,
      200,
      'other requests succeed',
    );
  };
  await isRefused();
  symlinkSync(QPDF, qpdf);
  const { status, bytes } = await service.generate('letter', 'sync', canary(), PROTECTED);
  t.equal(status, 200);
  t.ok(isProtectedPdf(bytes));
  rmSync(qpdf);
  await isRefused();
  // The program exists, but starting it fails.
  script(qpdf, 'exit 0');
  writeFileSync(qpdf, '#!/no/such/interpreter\n');
  await isRefused();
  chmodSync(qpdf, 0o644);
  await isRefused();
  const failed = (await service.audit()).filter(({ outcome }) => outcome === 'failed');
  t.equal(failed.length, 8);
  t.ok(failed.every(({ code }) => code === 'protection_unavailable'));
});

t.test('qpdf that fails gives 500, and nothing of the file anywhere', async (t) => {
  const folder = t.testdir();
  const qpdf = join(folder, 'qpdf');
  script(qpdf, 'exit 2');
  const service = await startOptionsService(t, { protector: { qpdf, timeoutMs: 300 } });
  const before = new Set(spools());
  const names: string[] = [];
  const fakes = {
    'exits 2': 'exit 2',
    'exits 2 with a good file': `${QPDF} "$@"; exit 2`,
    hangs: 'sleep 600 & wait',
    'is killed': 'kill -9 $$',
    'is killed after its output': `${QPDF} "$@"; kill -9 $$`,
    'gives the file unencrypted': `exec ${QPDF} --decrypt /proc/self/fd/3 -`,
    'gives the input back': 'exec cat /proc/self/fd/3',
    'gives the input after a good file': `${QPDF} "$@"; cat /proc/self/fd/3`,
    'encrypts with 128 bits': `exec ${QPDF} --encrypt a b 128 --use-aes=y -- /proc/self/fd/3 -`,
    'gives nothing': 'exit 0',
  };
  for (const [what, lines] of Object.entries(fakes)) {
    script(qpdf, lines);
    const name = canary();
    names.push(name);
    for (const answer of await refusals(service, name)) {
      checkRefusal(t, answer, 500, 'internal_error', what);
    }
  }
  t.strictSame(
    spools().filter((name) => !before.has(name)),
    [],
    'no spool is left',
  );
  const kept = [...contents(service.folder)];
  t.ok(kept.length > 0);
  for (const [place, held] of kept) {
    t.notOk(/\.pdf$|%PDF-/.test(place) || held.startsWith('%PDF'), `a file is left: ${place}`);
    t.notOk(
      names.some((name) => held.includes(name)),
      `body text in ${place}`,
    );
  }
  t.notOk(
    names.some((name) => service.logged.join('').includes(name)),
    'body text in the log',
  );
  const records = await service.audit();
  const failed = records.filter(({ code }) => code === 'internal_error');
  t.equal(failed.length, 2 * names.length);
  script(qpdf, `exec ${QPDF} "$@"`);
  // The time limit above is short: a busy machine may need two tries.
  let answer = await service.generate('letter', 'sync', canary(), PROTECTED);
  for (let tries = 0; answer.status !== 200 && tries < 20; tries++) {
    answer = await service.generate('letter', 'sync', canary(), PROTECTED);
  }
  t.ok(isProtectedPdf(answer.bytes), 'protection is back when qpdf is');
});

/** Whether this machine lets a test mount file systems. */
const mounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/dev/shm']);

t.test(
  'no room for the spool',
  { skip: mounts.status === 0 ? false : 'file systems cannot be mounted here' },
  async (t) => {
    const folder = t.testdir({ var: {}, tmp: {} });
    const team = await setUpTeam(join(folder, 'var'));
    const tiny = 'mount -t tmpfs -o size=4k none';
    const wrapped = `${tiny} /dev/shm && ${tiny} "$TMPDIR" && exec "$@"`;
    // A script has no library: each document goes through the spool to the program.
    const program = join(folder, 'qpdf');
    script(program, `exec ${QPDF} "$@"`);
    const more = { TMPDIR: join(folder, 'tmp'), INTAGLIO_QPDF: program };
    const env = environment(join(folder, 'var'), more);
    const { url } = await serve(t, env, ['unshare', '-rm', 'sh', '-c', wrapped, 'sh']);
    const headers = { 'x-api-key': team };
    const body = { templateId: 'letter', data: { name: canary() } };
    const generate = async (asked: object): Promise<Answer> =>
      answerOf(await post(`${url}/v1/generate`, headers, { ...body, ...asked }));
    for (const mode of ['sync', 'async']) {
      const answer = await generate({ mode, options: PROTECTED });
      checkRefusal(t, answer, 500, 'internal_error', 'a full disk');
    }
    t.equal((await generate({ mode: 'async' })).status, 201, 'requests that need no spool succeed');
  },
);

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { type MariaDb, startMariaDb } from '../../../lab/servers/mariadb.ts';
import { isProtectedPdf } from '../../../src/protect/check.ts';
import { openStore } from '../../../src/store/open.ts';
import type { RunSpec } from '../../../src/store/runs/types.ts';
import { Authority } from '../../sign/authority.ts';
import { pdfsig } from '../../sign/judges.ts';
import { temporaryFolder } from '../../store/dialects.ts';
import type { Place } from '../invariants.ts';
import { addRun, BY_ROW, documentOf, ENCRYPTION, hasRows, KEY, passwordOf } from './guarded-run.ts';
import { countFaults, manifestOf, prepare, rowFaults, serve, untilSettled } from './kill-run.ts';

/**
 * Runs with passwords, with signatures of a token and with both, in whose middle the service, its helper
 * processes and the database are killed. More kills: INTAGLIO_TEST_KILLS=20.
 */

const ROWS = 1_000;
const KILLS = Number(process.env['INTAGLIO_TEST_KILLS'] ?? 4);
const KILL_MS_MAX = 1_500;
/** How long the database is away. */
const AWAY_MS = 300;
/** Documents of the run that pdfsig judges. */
const JUDGED = 10;
const PIN = '567890';
/** Command lines of the processes beside the service that hold qpdf and a token. */
const HELPER = /src\/(protect|sign\/token)\/host\.ts/;

const authority = new Authority(tap.testdir());

/** A token with a key, and the settings of a service that signs by it. */
function tokenSettings(): Readonly<Record<string, string>> {
  const usage = 'keyUsage=critical,digitalSignature,nonRepudiation';
  authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], usage);
  mkdirSync(authority.path('tokens'));
  const conf = authority.path('softhsm.conf');
  writeFileSync(conf, `directories.tokendir = ${authority.path('tokens')}\n`);
  const env = { ...process.env, SOFTHSM2_CONF: conf };
  const softhsm = (...words: readonly string[]): void => {
    execFileSync('softhsm2-util', words, { cwd: authority.folder, env, stdio: 'pipe' });
  };
  softhsm('--init-token', '--free', '--label', 'bank', '--so-pin', '123456', '--pin', PIN);
  const about = ['--token', 'bank', '--label', 'ec', '--id', '01', '--pin', PIN];
  softhsm('--import', 'ec.key', ...about);
  writeFileSync(authority.path('pin'), `${PIN}\n`);
  const module = '/usr/lib/softhsm/libsofthsm2.so';
  const pkcs11 = { module, token: 'bank', key: 'ec', pinFile: 'pin' };
  const bank = { pkcs11, certificates: 'ec.chain.pem', timeoutMs: 60_000 };
  writeFileSync(authority.path('signers.json'), JSON.stringify({ teams: { bank } }));
  return { INTAGLIO_SIGNERS_FILE: authority.path('signers.json'), SOFTHSM2_CONF: conf };
}

/** Kills the helper processes of a service. */
function killHelpers(servicePid: number): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (Number(parent) === servicePid && HELPER.test(command)) {
        process.kill(Number(name), 'SIGKILL');
      }
    } catch {
      // The process has ended meanwhile.
    }
  }
}

interface Scene {
  readonly place: Place;
  /** null: the database is a file. */
  readonly server: MariaDb | null;
  readonly settings: Readonly<Record<string, string>>;
}

/** Kills service, helpers and database in turn, each at a random moment. */
async function killOften({ place, server, settings }: Scene): Promise<void> {
  let service = await serve(place, settings);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(Math.random() * KILL_MS_MAX);
    const victim = (['helpers', 'service', 'database'] as const)[kill % 3];
    if (victim === 'database' && server !== null) {
      await server.kill();
      await pause(AWAY_MS);
      await server.restart();
    } else if (victim === 'helpers') {
      killHelpers(service.pid ?? 0);
    } else {
      service.kill('SIGKILL');
      await once(service, 'exit');
      service = await serve(place, settings);
    }
  }
  service.kill('SIGKILL');
  await once(service, 'exit');
}

async function killRun(t: Test, scene: Scene, spec: Partial<RunSpec>): Promise<void> {
  const { place, settings } = scene;
  await prepare(place);
  const filesUrl = `file:${join(place.folder, 'files')}`;
  const store = await openStore({
    databaseUrl: place.databaseUrl,
    filesUrl,
    encryption: ENCRYPTION,
  });
  t.teardown(() => store.close());
  const added = await addRun(store, ROWS, spec);
  await killOften(scene);
  const service = await serve(place, settings);
  const run = await untilSettled(place, added.runId);
  service.kill('SIGTERM');
  await once(service, 'exit');
  t.equal(run.state, 'done');
  const rows = await manifestOf(store, run);
  t.strictSame(rowFaults({ place, rows: ROWS, invalidEach: ROWS + 1 }, rows), []);
  t.strictSame(countFaults(run, rows), []);
  if (spec.protection !== undefined)
    t.notOk(await hasRows(store, run), 'no key of its rows is left');
  let bare = 0;
  for (const [index, row] of rows.entries()) {
    const pdf = await documentOf(store, row);
    const isWithout =
      (spec.signature === true && !isSigned(pdf)) ||
      (spec.protection !== undefined && !isProtectedPdf(pdf));
    if (isWithout) bare += 1;
    if (spec.signature !== true || index % (ROWS / JUDGED) !== 0) continue;
    const password = spec.protection === undefined ? [] : ['-upw', passwordOf(index)];
    t.match(await pdfsig(authority, pdf, password), /Signature is Valid/, row.rowId);
    t.equal(row.certificateSerial, authority.serialOf('ec'));
  }
  t.equal(bare, 0, 'no document without its password or signature');
}

/** Whether the value of a signature is filled in: a place for one holds zeros. */
function isSigned(pdf: Buffer): boolean {
  return /\/Contents ?<30[0-9a-f]{8}/i.test(pdf.toString('latin1'));
}

const encrypted = { INTAGLIO_ENCRYPTION_KEYS: KEY.toString('base64') };
const signed = { ...encrypted, ...tokenSettings() };
const KINDS = [
  ['with passwords', { protection: BY_ROW }, encrypted],
  ['with signatures', { signature: true }, signed],
  ['with both', { protection: BY_ROW, signature: true }, signed],
] as const;

await tap.test('kills in the middle of a run (sqlite)', async (t) => {
  for (const [name, spec, settings] of KINDS) {
    await t.test(name, async (t) => {
      const folder = await temporaryFolder(t);
      const place = { databaseUrl: `sqlite:${join(folder, 'intaglio.db')}`, folder };
      await killRun(t, { place, server: null, settings }, spec);
    });
  }
});

const started = await startMariaDb();
const { server } = started;
if (server === null) {
  await tap.test('kills in the middle of a run (mysql)', { skip: started.reason }, () => undefined);
} else {
  tap.teardown(() => server.stop());
  await tap.test('kills in the middle of a run (mysql)', async (t) => {
    for (const [name, spec, settings] of KINDS) {
      await t.test(name, async (t) => {
        const place = { databaseUrl: await server.freshUrl(), folder: await temporaryFolder(t) };
        await killRun(t, { place, server, settings }, spec);
      });
    }
  });
}

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { until } from '../../../lab/process/waiting.ts';
import { startMariaDb } from '../../../lab/servers/mariadb.ts';
import { intaglio } from '../../../lab/service/command-line.ts';
import { type Instance, type LogLine, startProcess } from '../../../lab/service/process.ts';
import { isProtectedPdf } from '../../../src/protect/check.ts';
import { openStore } from '../../../src/store/open.ts';
import type { RunRecord } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { Authority } from '../../sign/authority.ts';
import { pdfsig } from '../../sign/judges.ts';
import { temporaryFolder } from '../../store/dialects.ts';
import { addRun, BY_ROW, documentOf, hasRows, opens, passwordOf } from './guarded-run.ts';
import { countAudits, countFaults, manifestOf, prepare, rowFaults } from './kill-run.ts';

/**
 * Two instances work at runs with passwords and signatures while their keys are rotated, their clocks
 * are set, and a run is paused, resumed and cancelled.
 */

/** Rows of the run that goes on through all changes, of the one that is paused, of the cancelled one. */
const ROWS = { both: 2_500, other: 500, dropped: 8_000 } as const;
const JUDGED = 10;
const HOUR_MS = 3_600_000;
const CLOCK = new URL('./wrong-clock.ts', import.meta.url);

const authority = new Authority(tap.testdir());
const usage = 'keyUsage=critical,digitalSignature,nonRepudiation';
authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], usage);

interface Scene {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly store: Store;
  /** Writes the keys of both instances, in base64, the first one first. */
  readonly setKeys: (keys: readonly Buffer[]) => void;
  readonly env: Readonly<Record<string, string>>;
}

async function sceneOf(t: Test, first: Buffer): Promise<Scene | null> {
  const { server } = await startMariaDb();
  if (server === null) return null;
  t.teardown(() => server.stop());
  const folder = await temporaryFolder(t);
  const databaseUrl = await server.freshUrl();
  await prepare({ databaseUrl, folder });
  const filesUrl = `file:${join(folder, 'files')}`;
  let keys: readonly Buffer[] = [first];
  const store = await openStore({ databaseUrl, filesUrl, encryption: { keys: () => keys } });
  t.teardown(() => store.close());
  const keysFile = join(folder, 'keys');
  const setKeys = (all: readonly Buffer[]): void => {
    keys = all;
    writeFileSync(keysFile, `${all.map((key) => key.toString('base64')).join(',')}\n`);
  };
  setKeys(keys);
  const bank = { pkcs12: 'ec.p12', passwordFile: 'password' };
  writeFileSync(authority.path('signers.json'), JSON.stringify({ teams: { bank } }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    INTAGLIO_DATABASE_URL: databaseUrl,
    INTAGLIO_FILES_URL: filesUrl,
    INTAGLIO_LINK_SECRETS: 'a secret of the test that is long enough to sign links',
    INTAGLIO_ENCRYPTION_KEYS_FILE: keysFile,
    INTAGLIO_SIGNERS_FILE: authority.path('signers.json'),
    INTAGLIO_PORT: '0',
    INTAGLIO_POOL_THREADS: '1',
  };
  return { folder, databaseUrl, store, setKeys, env };
}

interface Served extends Instance {
  readonly lines: readonly LogLine[];
  readonly setClock: (byMs: number) => void;
}

async function startOne(t: Test, { folder, env }: Scene, name: string): Promise<Served> {
  const clockFile = join(folder, `clock-${name}`);
  const lines: LogLine[] = [];
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import ${CLOCK.href}`;
  const instance = await startProcess({
    env: { ...env, NODE_OPTIONS: options, CLOCK_FILE: clockFile },
    onLine: (line) => lines.push(line),
  });
  t.teardown(() => instance.stop());
  return { ...instance, lines, setClock: (byMs) => writeFileSync(clockFile, String(byMs)) };
}

async function find(store: Store, { runId }: RunRecord): Promise<RunRecord> {
  const found = await store.runs.find('bank', runId);
  if (!found.found) throw new Error('the run was not found');
  return found.value;
}

/** Puts a new key in front, wraps all keys by it, and takes the old one away. */
async function rotate(t: Test, scene: Scene, instances: readonly Served[], old: Buffer) {
  const next = randomBytes(32);
  const hasRead = (count: number) => async (): Promise<boolean> =>
    instances.every(
      ({ lines }) => lines.filter(({ msg }) => msg === 'secret changed').length === count,
    );
  const before = instances[0]?.lines.filter(({ msg }) => msg === 'secret changed').length ?? 0;
  scene.setKeys([next, old]);
  await until(hasRead(before + 1));
  const { code, out, err } = await intaglio(scene.env, 'encryption', 'rewrap');
  t.equal(code, 0, `${out}${err}`);
  scene.setKeys([next]);
  await until(hasRead(before + 2));
  return next;
}

tap.test('keys, clocks and people change while two instances make runs', async (t) => {
  let key = randomBytes(32);
  const scene = await sceneOf(t, key);
  if (scene === null) return;
  const { store } = scene;
  const both = await addRun(store, ROWS.both, { protection: BY_ROW, signature: true });
  const other = await addRun(store, ROWS.other, { protection: BY_ROW });
  const dropped = await addRun(store, ROWS.dropped, { protection: BY_ROW });
  const one = await startOne(t, scene, 'one');
  const two = await startOne(t, scene, 'two');
  await until(async () => {
    const runs = await Promise.all([both, dropped].map((run) => find(store, run)));
    return runs.every(({ counts }) => counts.stored > 0);
  });
  // The certificate is valid for 30 days.
  for (const instance of [one, two]) instance.setClock(31 * 24 * HOUR_MS);
  await until(async () => (await find(store, both)).reasons.length > 0);
  t.match(await find(store, both), {
    state: 'running',
    reasons: [{ name: 'signer', actual: /has expired/ }],
    counts: { failed: 0 },
  });
  one.setClock(0);
  two.setClock(-3 * HOUR_MS);
  key = await rotate(t, scene, [one, two], key);
  await store.runs.move(other.runId, { from: ['checking', 'running'], to: 'paused' });
  const resumed = await Promise.all([
    store.runs.resume(other.runId),
    store.runs.resume(other.runId),
  ]);
  t.ok(resumed.filter(Boolean).length <= 1, 'resumed once');
  one.setClock(HOUR_MS);
  await rotate(t, scene, [one, two], key);
  two.setClock(0);
  const cancel = { from: ['checking', 'running', 'paused'], to: 'cancelled' } as const;
  t.ok(await store.runs.move(dropped.runId, cancel), 'cancelled in the middle');
  const atCancel = (await find(store, dropped)).counts.stored;
  t.notOk(await hasRows(store, dropped), 'nobody reads the rows of a cancelled run');
  await until(async () => {
    await pause(200);
    const states = await Promise.all(
      [both, other].map(async (run) => (await find(store, run)).state),
    );
    return states.every((state) => state !== 'checking' && state !== 'running');
  });
  t.equal((await find(store, dropped)).counts.stored, atCancel, 'nothing is stored after it');
  for (const [run, count, isSigned] of [
    [both, ROWS.both, true],
    [other, ROWS.other, false],
  ] as const) {
    const done = await find(store, run);
    t.match(done, { state: 'done', reasons: [] });
    const rows = await manifestOf(store, done);
    const place = { databaseUrl: scene.databaseUrl, folder: scene.folder };
    t.strictSame(rowFaults({ place, rows: count, invalidEach: count + 1 }, rows), []);
    t.strictSame(countFaults(done, rows), []);
    t.equal(await countAudits(store, done.runId), count, 'an audit record for each document');
    t.notOk(await hasRows(store, done), 'no key of its rows is left');
    const path = join(scene.folder, 'document.pdf');
    let bare = 0;
    for (const [index, row] of rows.entries()) {
      const pdf = await documentOf(store, row);
      if (!isProtectedPdf(pdf) || (isSigned && row.certificateSerial === undefined)) bare += 1;
      if (index % (count / JUDGED) !== 0) continue;
      writeFileSync(path, pdf);
      t.ok(opens(path, passwordOf(index)), `${row.rowId} opens by its own password`);
      t.notOk(opens(path, passwordOf(index + 1)), 'and not by that of the next row');
      if (!isSigned) continue;
      const verdict = await pdfsig(authority, pdf, ['-upw', passwordOf(index)]);
      t.match(verdict, /Signature is Valid/);
    }
    t.equal(bare, 0, 'no document without its password or signature');
  }
});

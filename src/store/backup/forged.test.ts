import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';

import { temporaryFolder } from '../../../test/store/dialects.ts';
import { addDocument } from '../../../test/store/samples.ts';
import { digest } from '../ids.ts';
import { backUpStore, openStore, restoreStore, type StoreSettings } from '../open.ts';
import { StorageUnavailable } from '../terms.ts';

/** Changes a backup in each way that somebody could who had it in between. */

const KEY = 'k1 of the audit, of thirty-two bytes';
const DOCUMENTS = 6;
/** Coprime to the length of the lines that the cut files have. */
const STEP = 11;

interface Manifest {
  tables: Record<string, { rows: number; sha256: string }>;
  fileList?: string;
  sha256?: string;
  seal?: unknown;
  [name: string]: unknown;
}

interface Sample {
  readonly folder: string;
  readonly documentIds: readonly string[];
}

function settingsIn(folder: string): StoreSettings & { readonly auditKey: string } {
  return {
    databaseUrl: `sqlite:${join(folder, 'db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    auditKey: KEY,
  };
}

async function makeBackup(t: Test): Promise<Sample> {
  const folder = await temporaryFolder(t);
  const store = await openStore(settingsIn(folder));
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.teams.add({ teamId: 'thief', name: 'Thief' });
  const documentIds: string[] = [];
  for (let count = 0; count < DOCUMENTS; count += 1) {
    documentIds.push((await addDocument(store, Buffer.from(`%PDF ${count} %%EOF`))).documentId);
  }
  await store.close();
  await backUpStore(settingsIn(folder), join(folder, 'backup'));
  return { folder: join(folder, 'backup'), documentIds };
}

const sha256Of = (path: string): string => digest(readFileSync(path)).toString('hex');

/** Writes the manifest anew, as anybody can who does not have the key. */
function forgeManifest(
  folder: string,
  change: (manifest: Manifest) => void = () => undefined,
): void {
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  for (const [name, table] of Object.entries(manifest.tables)) {
    table.sha256 = sha256Of(join(folder, `rows/${name}.ndjson`));
  }
  const list = join(folder, 'files.ndjson');
  if (existsSync(list)) manifest.fileList = sha256Of(list);
  change(manifest);
  const { sha256, seal, ...content } = manifest;
  const end =
    sha256 === undefined ? {} : { sha256: digest(JSON.stringify(content)).toString('hex'), seal };
  writeFileSync(path, JSON.stringify({ ...content, ...end }));
}

const withoutSeal = (manifest: Manifest): void => {
  if ('seal' in manifest) manifest.seal = null;
};

function replaceIn(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
  writeFileSync(path, text.replaceAll(from, to));
}

interface Attack {
  readonly what: string;
  readonly change: (folder: string, documentIds: readonly string[]) => void;
  /** What the message says when the manifest was made anew and an operator accepted that. */
  readonly unsealed?: RegExp;
}

const fileOf = (folder: string, id = ''): string =>
  join(folder, 'files', id.slice(-2), `${id}.pdf`);

const ATTACKS: readonly Attack[] = [
  {
    what: 'a row of another team',
    change: (folder) => replaceIn(join(folder, 'rows/documents.ndjson'), '"bank"', '"thief"'),
  },
  {
    what: 'a row that is gone',
    change: (folder) => {
      const path = join(folder, 'rows/audit.ndjson');
      const [columns = ''] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, `${columns}\n`);
    },
  },
  {
    what: 'an id that leads out of the file store',
    change: (folder, [id = '']) => {
      const path = `${id.slice(0, 8)}/../../../../victim/letter`;
      replaceIn(join(folder, 'rows/documents.ndjson'), id, path);
      mkdirSync(join(folder, 'files', 'er'), { recursive: true });
      cpSync(fileOf(folder, id), join(folder, 'files', 'er', 'letter.pdf'));
      if (existsSync(join(folder, 'files.ndjson'))) {
        replaceIn(join(folder, 'files.ndjson'), id, path);
      }
    },
    unsealed: /has a row whose id or size is none/,
  },
  {
    what: 'an id of a key that is none',
    change: (folder) => {
      const path = join(folder, 'rows/audit.ndjson');
      const [columns = '', row = ''] = readFileSync(path, 'utf8').split('\n');
      const cells = JSON.parse(row) as unknown[];
      cells[(JSON.parse(columns) as string[]).indexOf('audit_id')] = '../key';
      writeFileSync(path, `${columns}\n${JSON.stringify(cells)}\n`);
    },
    unsealed: /row 1 of .*audit\.ndjson has no valid audit_id/,
  },
  {
    what: 'a text where the column has a number',
    change: (folder) => {
      const path = join(folder, 'rows/teams.ndjson');
      const [columns = '', row = '', ...rest] = readFileSync(path, 'utf8').split('\n');
      const cells = JSON.parse(row) as unknown[];
      cells[(JSON.parse(columns) as string[]).indexOf('active')] = 'yes';
      writeFileSync(path, [columns, JSON.stringify(cells), ...rest].join('\n'));
    },
    unsealed: /row 1 of .*teams\.ndjson has no valid active/,
  },
  {
    what: 'a column that its table has not',
    change: (folder) => replaceIn(join(folder, 'rows/teams.ndjson'), '"active"', '"row_check"'),
    unsealed: /does not name the columns of its table/,
  },
];

/** Restores into a fresh place; the error, or null. Nothing may be left when there is one. */
async function restoreError(
  t: Test,
  folder: string,
  isUnsealedAccepted: boolean,
  settings: Partial<StoreSettings> = {},
): Promise<unknown> {
  const place = await temporaryFolder(t);
  const target = { ...settingsIn(join(place, 'a', 'b')), ...settings };
  mkdirSync(join(place, 'a', 'b', 'files'), { recursive: true });
  mkdirSync(join(place, 'victim'));
  const error: unknown = await restoreStore(target, folder, { isUnsealedAccepted }).then(
    () => null,
    (reason: unknown) => reason,
  );
  t.strictSame(readdirSync(join(place, 'victim')), [], 'no file is written beside the store');
  // Without the file, nothing was opened.
  if (error === null || !existsSync(join(place, 'a', 'b', 'db'))) return error;
  const store = await openStore(target);
  await store.migrate();
  t.strictSame(await store.teams.list(), [], 'no row is restored');
  await store.close();
  return error;
}

async function isRefused(
  t: Test,
  folder: string,
  message: RegExp,
  isUnsealedAccepted = false,
): Promise<void> {
  const error = await restoreError(t, folder, isUnsealedAccepted);
  t.ok(error instanceof StorageUnavailable, `it is refused, not broken: ${String(error)}`);
  t.match(String(error), message);
}

t.test('a backup whose rows were changed is refused', async (t) => {
  const { folder, documentIds } = await makeBackup(t);
  for (const { what, change, unsealed } of ATTACKS) {
    await t.test(what, async (t) => {
      const changed = join(await temporaryFolder(t), 'backup');
      cpSync(folder, changed, { recursive: true });
      change(changed, documentIds);
      await isRefused(t, changed, /was changed or cut/);
      await isRefused(t, changed, /was changed or cut/, true);
      forgeManifest(changed);
      await isRefused(t, changed, /its seal was not made with INTAGLIO_AUDIT_KEY/);
      forgeManifest(changed, withoutSeal);
      await isRefused(t, changed, /made without INTAGLIO_AUDIT_KEY.*--accept-unsealed/);
      if (unsealed !== undefined) await isRefused(t, changed, unsealed, true);
    });
  }
});

t.test('a backup whose files were changed is refused', async (t) => {
  const { folder, documentIds } = await makeBackup(t);
  const changes: readonly (readonly [string, RegExp, (folder: string) => void])[] = [
    [
      'another file',
      /is not the file that was stored/,
      (folder) => writeFileSync(fileOf(folder, documentIds[0]), '%PDF 9 %%EOF'),
    ],
    [
      'two files in the place of each other',
      /is not the file that was stored/,
      (folder) => {
        const [first, second] = [fileOf(folder, documentIds[0]), fileOf(folder, documentIds[1])];
        renameSync(first, `${first}.x`);
        renameSync(second, first);
        renameSync(`${first}.x`, second);
      },
    ],
    [
      'a longer file',
      /is not the file that was stored: it has 13 bytes/,
      (f) => writeFileSync(fileOf(f, documentIds[0]), 'x'.repeat(13)),
    ],
    ['a file that is gone', /\.pdf is missing/, (folder) => rmSync(fileOf(folder, documentIds[0]))],
    [
      'a link',
      /is a link/,
      (folder) => {
        const path = fileOf(folder, documentIds[0]);
        renameSync(path, join(folder, 'elsewhere'));
        symlinkSync(join(folder, 'elsewhere'), path);
      },
    ],
    [
      'a link to a folder',
      /is a link/,
      (folder) => {
        renameSync(join(folder, 'rows'), join(folder, 'elsewhere'));
        symlinkSync(join(folder, 'elsewhere'), join(folder, 'rows'));
      },
    ],
    [
      'a pipe',
      /is a special file/,
      (folder) => {
        rmSync(fileOf(folder, documentIds[0]));
        execFileSync('mkfifo', [fileOf(folder, documentIds[0])]);
      },
    ],
    [
      'a table without its file',
      /is missing/,
      (folder) => rmSync(join(folder, 'rows/audit.ndjson')),
    ],
    ['a list that is gone', /is missing/, (folder) => rmSync(join(folder, 'files.ndjson'))],
  ];
  for (const [what, message, change] of changes) {
    await t.test(what, async (t) => {
      const changed = join(await temporaryFolder(t), 'backup');
      cpSync(folder, changed, { recursive: true });
      change(changed);
      await isRefused(t, changed, message);
      await isRefused(t, changed, message, true);
    });
  }
});

t.test('a manifest that was changed is refused, although it fits the files', async (t) => {
  const { folder } = await makeBackup(t);
  const changes: readonly (readonly [string, RegExp, (manifest: Manifest) => void])[] = [
    ['a table less', /lacks the table audit/, (manifest) => void delete manifest.tables['audit']],
    [
      'a table more',
      /has a table that its schema has not/,
      (manifest) => {
        const { audit = { rows: 0, sha256: '' } } = manifest.tables;
        manifest.tables['sqlite_master'] = audit;
      },
    ],
    ['a schema before a table', /has a table/, (manifest) => void (manifest['schema'] = 3)],
    ['a schema as text', /changed or cut/, (manifest) => void (manifest['schema'] = '25')],
    ['a format as text', /changed or cut/, (manifest) => void (manifest['format'] = '1')],
    ['a later schema', /newer version/, (manifest) => void (manifest['schema'] = 9_999)],
    ['another field', /changed or cut/, (manifest) => void (manifest['expired'] = [])],
  ];
  for (const [what, message, change] of changes) {
    await t.test(what, async (t) => {
      const changed = join(await temporaryFolder(t), 'backup');
      cpSync(folder, changed, { recursive: true });
      if (what === 'a table more') {
        cpSync(join(changed, 'rows/audit.ndjson'), join(changed, 'rows/sqlite_master.ndjson'));
      }
      forgeManifest(changed, (manifest) => {
        withoutSeal(manifest);
        change(manifest);
      });
      await isRefused(t, changed, message, true);
    });
  }
});

t.test('a backup that was cut at any byte is refused', async (t) => {
  const { folder } = await makeBackup(t);
  const place = settingsIn(await temporaryFolder(t));
  for (const name of ['manifest.json', 'files.ndjson', 'rows/teams.ndjson']) {
    const path = join(folder, name);
    const whole = readFileSync(path);
    let refused = 0;
    // The line feed at the end of the manifest says nothing.
    const lengths = whole.length - (name === 'manifest.json' ? 1 : 0);
    const step = name === 'manifest.json' ? 1 : STEP;
    let tried = 0;
    for (let length = lengths - 1; length >= 0; length -= step) {
      tried += 1;
      truncateSync(path, length);
      const error: unknown = await restoreStore(place, folder).catch((reason: unknown) => reason);
      if (error instanceof StorageUnavailable && /was changed or cut/.test(error.message))
        refused += 1;
    }
    t.equal(refused, tried, `${name}, at each of ${tried} lengths`);
    writeFileSync(path, whole);
  }
  t.equal((await restoreStore(place, folder)).authenticity, 'sealed');
});

t.test('a seal is compared with the key of the audit', async (t) => {
  const { folder } = await makeBackup(t);
  t.equal(await restoreError(t, folder, false), null, 'with its key');
  const other = await restoreError(t, folder, false, { auditKey: `${KEY} no more` });
  t.match(String(other), /sealed with the key [0-9a-f]{8}, and INTAGLIO_AUDIT_KEY is the key/);
  const none = await restoreError(t, folder, false, { auditKey: '' });
  t.match(String(none), /sealed with the key [0-9a-f]{8}: set INTAGLIO_AUDIT_KEY/);
  for (const auditKey of [`${KEY} no more`, '']) {
    t.equal(await restoreError(t, folder, true, { auditKey }), null, 'an operator vouches for it');
  }
});

t.test('a backup of a version without lists of files needs an operator', async (t) => {
  const { folder, documentIds } = await makeBackup(t);
  const path = join(folder, 'manifest.json');
  const { fileList, sha256, seal, ...content } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  t.ok(fileList !== undefined && sha256 !== undefined && seal !== undefined);
  const old = { ...content, format: 1, runFiles: {}, expired: [documentIds[0]] };
  writeFileSync(path, JSON.stringify(old));
  rmSync(join(folder, 'files.ndjson'));
  rmSync(fileOf(folder, documentIds[0]));
  rmSync(fileOf(folder, documentIds[1]));
  await isRefused(t, folder, /an earlier version made it.*--accept-unsealed/);
  const place = settingsIn(await temporaryFolder(t));
  const report = await restoreStore(place, folder, { isUnsealedAccepted: true });
  t.match(report, {
    authenticity: 'accepted',
    files: DOCUMENTS - 2,
    missing: [documentIds[1]],
    missingCount: 1,
  });
});

t.test('a restore that is refused takes no store of files', async (t) => {
  const { folder } = await makeBackup(t);
  const place = await temporaryFolder(t);
  const store = await openStore({ ...settingsIn(place), filesUrl: `file:${place}/own` });
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.close();
  for (const areFilesAccepted of [false, true]) {
    await t.rejects(restoreStore(settingsIn(place), folder, { areFilesAccepted }), /is in use/);
    t.notOk(existsSync(join(place, 'files', '.owner')));
  }
});

t.test('a table of another program is left out, so that the backup can be restored', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openStore(settingsIn(folder));
  await store.migrate();
  await store.close();
  const other = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  other.exec('create table reports (report_id text primary key); insert into reports values (1)');
  other.close();
  const { manifest } = await backUpStore(settingsIn(folder), join(folder, 'backup'));
  t.notOk('reports' in manifest.tables);
  const place = settingsIn(await temporaryFolder(t));
  t.equal((await restoreStore(place, join(folder, 'backup'))).authenticity, 'sealed');
});

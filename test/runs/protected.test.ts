import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import { until } from '../../lab/process/waiting.ts';
import { createProtector } from '../../src/protect/protector.ts';
import { callerOf, refused, type RunCaller } from '../fixtures/runs/caller.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/** Runs whose documents open with a password of their row, by the real renderer and qpdf. */

const RENDERER = new URL('../../src/workers/render.ts', import.meta.url);
const CSV = { 'content-type': 'text/csv' };
const FIELDS = [
  { name: 'customer', type: 'text', required: true },
  { name: 'total', type: 'number', required: false },
  { name: 'born', type: 'date', required: false, secret: true },
  { name: 'card', type: 'text', required: false, secret: true },
];
const DOCUMENT = { content: ['A statement for {{customer}}: {{total}}'], compress: false };
/** 17051990 or, in the Buddhist era, 17052533. */
const BORN = { text: '{{born}}', format: { pattern: 'ddMMyyyy', calendar: 'buddhist' } };
const CARD = { text: '{{card}}', format: { mask: 'XXXXXXXXXXXXxxxx' } };
const PROTECTION = { userPassword: BORN, ownerPassword: CARD };

const KEYS = [randomBytes(32)];

async function callerAt(
  t: Test,
  place: StorePlace,
  keys: () => readonly Uint8Array[] = () => KEYS,
) {
  const protector = createProtector({ qpdf: 'qpdf', timeoutMs: 20_000, concurrencyMax: 2 });
  t.teardown(() => protector.close());
  await place.open(t);
  const caller = await callerOf(t, {
    parts: { protector },
    store: {
      databaseUrl: place.databaseUrl,
      filesUrl: `file:${join(place.folder, 'files')}`,
      encryption: { keys },
    },
    pool: { module: RENDERER, settings: { templateCacheMb: 16, fontsDir: null }, memoryMb: 512 },
  });
  await caller.service.publish('bank', 'receipt', { fields: FIELDS, document: DOCUMENT });
  return caller;
}

/** Whether qpdf opens the file by the password; '' stands for none. */
function opens(pdf: Buffer, password: string, folder: string): boolean {
  const path = join(folder, 'document.pdf');
  writeFileSync(path, pdf);
  try {
    execFileSync('qpdf', [`--password=${password}`, '--check', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Stored {
  readonly row: string;
  readonly outcome: string;
  readonly documentId: string;
}

async function manifestOf({ get }: RunCaller, url: string): Promise<readonly Stored[]> {
  const lines = (await (await get(`${url}/manifest`)).text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Stored);
}

async function documentOf({ service, get }: RunCaller, id: string): Promise<Buffer> {
  return Buffer.from(
    await (await get(`${service.url}/v1/documents/${id}?download=1`)).arrayBuffer(),
  );
}

/** All bytes below a folder. */
function bytesIn(folder: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
}

await overDialects('a run with protection', async (t, newPlace) => {
  await t.test('each document opens by the password of its row and by no other', async (t) => {
    const place = await newPlace();
    const caller = await callerAt(t, place);
    const { make, put, act, reach, service } = caller;
    const url = await make({ options: { protection: PROTECTION } });
    const rows = Array.from({ length: 6 }, (_, at) => ({
      id: `C${at}`,
      born: `19${90 + at}-0${at + 1}-17`,
      user: `170${at + 1}25${33 + at}`,
      card: `40000000000012${34 + at}`,
      owner: `12${34 + at}`,
    }));
    const lines = rows.map(({ id, born, card }) => `${id},1.05,${born},${card}\n`).join('');
    await put(url, 1, `customer,total,born,card\n${lines}`, CSV);
    t.notOk(bytesIn(place.folder).includes(rows[0]?.born ?? '-'), 'rows are stored encrypted');
    await act(url, 'start');
    const done = await reach(url, 'done');
    t.match(done, { counts: { stored: 6 }, passwordsByRow: true });
    const manifest = await manifestOf(caller, url);
    for (const { row, documentId } of manifest) {
      const pdf = await documentOf(caller, documentId);
      const opening = rows
        .flatMap(({ id, user, owner }) => [
          [id, user],
          [id, owner],
        ])
        .filter(([, password]) => opens(pdf, password ?? '', place.folder));
      t.strictSame([...new Set(opening.map(([id]) => id))], [row], `${row} by its own alone`);
      t.equal(opening.length, 2, 'by user and owner password');
      t.notOk(opens(pdf, '', place.folder), 'and not without');
    }
    const audit = JSON.stringify(await service.audit());
    const shown = [service.logged.join('\n'), audit, JSON.stringify(done)].join('\n');
    for (const { user, born, card } of rows) {
      for (const secret of [user, born, card]) {
        t.notOk(shown.includes(secret), 'no log, audit or response has a password');
        t.notOk(bytesIn(place.folder).includes(secret), 'nor has a file');
      }
    }
    const files = bytesIn(join(place.folder, 'files'));
    t.notOk(files.includes('%PDF'), 'and files are encrypted once more at rest');
  });

  await t.test('an owner password at random opens nothing, and permissions bind', async (t) => {
    const place = await newPlace();
    const caller = await callerAt(t, place);
    const { make, put, act, reach } = caller;
    const permissions = { copy: false, modify: false };
    const random = { ownerPassword: { random: true }, permissions };
    const shown = async (protection: object, words: readonly string[]): Promise<string> => {
      const url = await make({ options: { protection } });
      await put(url, 1, `customer,total,born,card\nC1,1.05,1990-05-17,4000000000001234\n`, CSV);
      await act(url, 'start');
      t.match(await reach(url, 'done'), { counts: { stored: 1 } });
      const [row] = await manifestOf(caller, url);
      const path = join(place.folder, 'document.pdf');
      writeFileSync(path, await documentOf(caller, row?.documentId ?? ''));
      return execFileSync('qpdf', ['--show-encryption', ...words, path], { encoding: 'utf8' });
    };
    const kept = await shown({ userPassword: BORN, permissions }, ['--password=17052533']);
    t.match(kept, /is owner password/, 'without an owner password, the user has all rights');
    const bound = await shown({ userPassword: BORN, ...random }, ['--password=17052533']);
    t.match(bound, /is user password/);
    t.notMatch(bound, /is owner password/);
    t.match(bound, /extract for any purpose: not allowed/);
    t.match(await shown(random, []), /modify other: not allowed/, 'opened without a password');
  });

  await t.test('rows without a usable password are invalid before anything is made', async (t) => {
    const caller = await callerAt(t, await newPlace());
    const { make, put, act, reach, get } = caller;
    const url = await make({ options: { protection: PROTECTION } });
    const lines = [
      'C1,1.05,1990-05-17,4000000000001234',
      'C2,1.05,,4000000000001234',
      'C3,1.05,1990-05-17,123',
      `C4,1.05,1990-05-17,400000000000123\u{e000}`,
    ];
    await put(url, 1, `customer,total,born,card\n${lines.join('\n')}\n`, CSV);
    await act(url, 'start');
    t.match(await reach(url, 'stopped'), { counts: { stored: 0, invalid: 3, pending: 1 } });
    const { rows } = (await (await get(`${url}/exceptions`)).json()) as { rows: object[] };
    t.match(rows, [
      { line: 3, fields: [{ field: 'born', reason: 'password expected: the row makes it empty' }] },
      { line: 4, fields: [{ field: 'card', reason: /does not fit the mask of the password/ }] },
      { line: 5, fields: [{ field: 'card', reason: /character that readers of PDF do not take/ }] },
    ]);
    // A column of fixed width without a value, and one that SASLprep leaves nothing of.
    for (const card of [' '.repeat(16), '\u{ad}', '\u{3000}']) {
      const blank = await make({ options: { protection: { userPassword: 'no-{{card}}' } } });
      await put(blank, 1, `customer,card\nC1,"${card}"\n`, CSV);
      await act(blank, 'start');
      t.match(await reach(blank, 'stopped'), { counts: { stored: 0, invalid: 1 } });
    }
  });

  await t.test('without the key of its rows the run waits and says so, and goes on', async (t) => {
    let keys: readonly Uint8Array[] = KEYS;
    const caller = await callerAt(t, await newPlace(), () => keys);
    const { make, put, act, reach, run, get, service } = caller;
    const url = await make({ options: { protection: PROTECTION } });
    const lines = ['C1,1.05,1990-05-17,4000000000001234', 'C2,1.05,,4000000000001234'];
    await put(url, 1, `customer,total,born,card\n${lines.join('\n')}\n`, CSV);
    // As after a restart with another key in the settings.
    keys = [randomBytes(32)];
    await act(url, 'start');
    await until(async () => (await run(url)).reasons.length > 0);
    const expected = /^key [0-9a-f]{16}$/;
    const reasons = [{ name: 'key', expected, actual: 'missing on an instance' }];
    t.match(await run(url), { state: 'checking', counts: { stored: 0 }, reasons });
    t.match(service.logged.join(''), /a run waits for the key of its rows/);
    keys = KEYS;
    t.match(await reach(url, 'stopped'), {
      counts: { stored: 0, pending: 1, invalid: 1 },
      reasons: [{ name: 'invalid' }],
    });
    keys = [randomBytes(32)];
    const listed = await get(`${url}/exceptions`);
    t.equal(listed.status, 503, 'rows that cannot be read now are no error of the service');
    t.match(await listed.json(), { code: 'storage_unavailable' });
    await act(url, 'withdraw', { rows: [{ part: 1, line: 3 }] });
    await act(url, 'start');
    await until(async () => (await run(url)).reasons.length > 0);
    t.match(await run(url), { state: 'running', reasons });
    keys = KEYS;
    t.match(await reach(url, 'done'), { counts: { stored: 1, withdrawn: 1 }, reasons: [] });
  });

  await t.test('the keys of its rows are destroyed with its end', async (t) => {
    const place = await newPlace();
    const caller = await callerAt(t, place);
    const { make, put, act, reach } = caller;
    const store = await place.open(t, { encryption: { keys: () => KEYS } });
    const url = await make({ options: { protection: PROTECTION } });
    const lines = ['C1,1.05,1990-05-17,4000000000001234', 'C2,1.05,,4000000000001234'];
    await put(url, 1, `customer,total,born,card\n${lines.join('\n')}\n`, CSV);
    const runId = url.slice(-36);
    const isReadable = async (): Promise<boolean> => {
      const part = await store.runWork.part(runId, 1);
      if (part === null) throw new Error('the run has no part');
      return store.runWork.openPart({ ...part, checkedTo: 0 }).then(
        (file) => file.close().then(() => true),
        () => false,
      );
    };
    t.ok(await isReadable(), 'while it waits');
    await act(url, 'start', { onInvalid: 'skip' });
    await reach(url, 'stopped');
    t.ok(await isReadable(), 'a stopped run goes on with its rows');
    await put(
      url,
      2,
      '{"#part":1,"#line":3,"customer":"C2","total":"1.05","born":"1991-05-17","card":"4000000000001235"}\n',
    );
    await act(url, 'start');
    t.match(await reach(url, 'done'), { counts: { stored: 2 } });
    t.notOk(await isReadable(), 'done: nobody reads the rows again');
  });

  await t.test('a row without data any more is corrected as a whole, or not at all', async (t) => {
    const caller = await callerAt(t, await newPlace());
    const { make, put, act, reach, get } = caller;
    const url = await make({ options: { protection: PROTECTION }, invalidShareMax: 0.5 });
    const lines = ['C1,1.05,1990-05-17,4000000000001234', 'C2,1.05,,4000000000001234'];
    await put(url, 1, `customer,total,born,card\n${lines.join('\n')}\n`, CSV);
    await act(url, 'start');
    t.match(await reach(url, 'done'), { counts: { stored: 1, invalid: 1 } });
    const partial = '#part,#line,customer,born,card\n1,3,C2,1991-05-17,4000000000001235\n';
    await put(url, 2, partial, CSV);
    await act(url, 'start');
    t.match(await reach(url, 'stopped'), { counts: { stored: 1, invalid: 1, refused: 1 } });
    t.match(await (await get(`${url}/exceptions?outcome=refused`)).json(), {
      rows: [{ fields: [{ field: 'total', reason: /can no longer be read/ }] }],
    });
    const whole = '#part,#line,customer,total,born,card\n1,3,C2,1.05,1991-05-17,4000000000001235\n';
    await put(url, 3, whole, CSV);
    await act(url, 'start');
    t.match(await reach(url, 'done'), { counts: { stored: 2, invalid: 0 } });
  });
});

t.test('a run with protection is refused with what is to be set or changed', async (t) => {
  const folder = t.testdir({});
  const place = {
    name: 'sqlite',
    databaseUrl: `sqlite:${join(folder, 'intaglio.db')}`,
    folder,
    open: () => Promise.resolve(undefined),
  } as unknown as StorePlace; // These members are all that `callerAt` uses.
  const { service, post } = await callerAt(t, place, () => []);
  const make = (protection: unknown, more: object = {}): Promise<string> =>
    refused(
      post(`${service.url}/v1/runs`, {
        templateId: 'receipt',
        idField: 'customer',
        options: { protection },
        ...more,
      }),
    );
  t.match(await make(PROTECTION), /^protection_unavailable: .*Set INTAGLIO_ENCRYPTION_KEYS/);
  t.match(await make({}), /needs a userPassword/);
  t.match(await make({ userPassword: 'secret' }), /userPassword: needs a field of the row/);
  t.match(await make({ userPassword: '{{name}}' }), /no field "name"/);
  t.match(await make({ userPassword: '{{total}}' }), /a number field makes no password/);
  t.match(await make({ userPassword: '{{customer}}' }), /lists show the ids of rows/);
  t.match(
    await make({ userPassword: { text: '{{born}}', format: { mask: 'xx' } } }),
    /format\.mask has no effect on a date field/,
  );
  t.match(
    await make({ userPassword: { text: '{{born}}', format: { pattern: 'QQ' } } }),
    /format\.pattern uses QQ/,
  );
  t.match(await make(PROTECTION, { documentsPerPrint: 10 }), /documentsPerPrint: print files/);
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import tap, { type Test } from 'tap';
import { until } from '../../lab/process/waiting.ts';
import { createProtector } from '../../src/protect/protector.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { callerOf, type RunCaller } from '../fixtures/runs/caller.ts';
import { Authority } from '../sign/authority.ts';
import { type Candidate, judgeTogether } from '../sign/judge-together.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/**
 * Runs whose documents open with a password of their row and are signed, by the real parts. More rows:
 * INTAGLIO_TEST_SIGNED_ROWS=1000.
 */

const RENDERER = new URL('../../src/workers/render.ts', import.meta.url);
const CSV = { 'content-type': 'text/csv' };
const FIELDS = [
  { name: 'customer', type: 'text', required: true },
  { name: 'born', type: 'date', required: true, secret: true },
];
const DOCUMENT = { content: ['A statement for {{customer}}'] };
const BORN = { text: '{{born}}', format: { pattern: 'ddMMyyyy', calendar: 'buddhist' } };
const OPTIONS = { options: { protection: { userPassword: BORN }, signature: true } };
const KEY = Buffer.alloc(32, 'a key of the test');
/** The authorities run in this process, on a machine that may be busy. */
const timeoutMs = 60_000;

const authority = new Authority(tap.testdir());
const USAGE = 'keyUsage=critical,digitalSignature,nonRepudiation';
const PKCS12 = { pkcs12: 'ec.p12', passwordFile: 'password', timeoutMs };

async function callerAt(t: Test, place: StorePlace, entry: object): Promise<RunCaller> {
  const path = authority.path('signers.json');
  writeFileSync(path, JSON.stringify({ teams: { bank: entry } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  const protector = createProtector({ qpdf: 'qpdf', timeoutMs, concurrencyMax: 2 });
  t.teardown(() => protector.close());
  await place.open(t);
  const caller = await callerOf(t, {
    parts: { signing, protector },
    store: {
      databaseUrl: place.databaseUrl,
      filesUrl: `file:${join(place.folder, 'files')}`,
      encryption: { keys: () => [KEY] },
    },
    pool: { module: RENDERER, settings: { templateCacheMb: 16, fontsDir: null }, memoryMb: 512 },
  });
  await caller.service.publish('bank', 'receipt', { fields: FIELDS, document: DOCUMENT });
  return caller;
}

interface Stored {
  readonly row: string;
  readonly documentId: string;
  readonly certificateSerial: string;
}

async function manifestOf({ get }: RunCaller, url: string): Promise<readonly Stored[]> {
  const lines = (await (await get(`${url}/manifest`)).text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Stored);
}

async function documentOf({ service, get }: RunCaller, id: string): Promise<Buffer> {
  const response = await get(`${service.url}/v1/documents/${id}?download=1`);
  return Buffer.from(await response.arrayBuffer());
}

const COUNT = Number(process.env['INTAGLIO_TEST_SIGNED_ROWS'] ?? 5);
/** Documents that are tried with the password of each of them; others with their own and the next. */
const TRIED_WITH_ALL = 5;
const DAYS_APART = 2;

/** Customers of whom each is born on another day. */
const ROWS = Array.from({ length: COUNT }, (_, at) => {
  const born = new Date(Date.UTC(1950, 0, 1 + at * DAYS_APART)).toISOString().slice(0, 10);
  const [year = '', month = '', day = ''] = born.split('-');
  return { customer: `C${at}`, born, password: `${day}${month}${Number(year) + 543}` };
});
const LINES = ROWS.map(({ customer, born }) => `${customer},${born}\n`).join('');

/** Waits until each row is stored; a run that stores nothing more is given up. */
async function untilStored(count: () => Promise<number>): Promise<void> {
  for (let stored = 0; stored < COUNT; stored = await count()) {
    await until(async () => {
      await pause(100);
      return (await count()) > stored;
    });
  }
}

/** Documents that are judged together. */
const BATCH = 100;

/** The passwords that a document is tried with; the first is its own. */
function triedWith(at: number): readonly string[] {
  const others = at < TRIED_WITH_ALL ? ROWS.slice(0, TRIED_WITH_ALL) : ROWS.slice(at, at + 2);
  const own = ROWS[at]?.password ?? '';
  return [own, ...others.map(({ password }) => password).filter((other) => other !== own)];
}

async function judge(t: Test, caller: RunCaller, url: string): Promise<void> {
  const certificateSerial = authority.serialOf('ec');
  const manifest = await manifestOf(caller, url);
  t.match(
    manifest,
    ROWS.map(({ customer }) => ({ row: customer, certificateSerial })),
  );
  for (let from = 0; from < manifest.length; from += BATCH) {
    const batch: Candidate[] = [];
    for (const [index, { documentId }] of manifest.slice(from, from + BATCH).entries()) {
      const pdf = await documentOf(caller, documentId);
      batch.push({ pdf, passwords: triedWith(from + index) });
    }
    const verdicts = await judgeTogether(authority, batch);
    for (const [index, { openedBy, signature, cms }] of verdicts.entries()) {
      const own = ROWS[from + index]?.password;
      t.strictSame(openedBy, [own], 'it opens by the password of its row and no other');
      t.match(signature, /Common Name: ec\n[^]*Signature is Valid/);
      t.match(cms, /CMS Verification successful/);
      if (index === 0) t.match(signature, /Certificate is Trusted/);
    }
  }
}

await overDialects('a run with passwords and signatures', async (t, newPlace) => {
  const revocation = await authority.revocation(t);
  const ocsp = `authorityInfoAccess=OCSP;URI:${revocation.url}`;
  authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], `${USAGE}\n${ocsp}`);
  const timeStampUrl = await authority.timeStamps(t, undefined, ocsp);
  for (const [level, more] of [
    ['B-B', {}],
    ['B-LT', { timeStampUrl, longTerm: { ageSeconds: 0 } }],
  ] as const) {
    await t.test(`each document has both (${level})`, async (t) => {
      const place = await newPlace();
      const caller = await callerAt(t, place, { ...PKCS12, ...more });
      const { make, put, act, reach, run } = caller;
      const url = await make(OPTIONS);
      await put(url, 1, `customer,born\n${LINES}`, CSV);
      await act(url, 'start');
      await untilStored(async () => (await run(url)).counts['stored'] ?? 0);
      const done = await reach(url, 'done');
      t.match(done, { counts: { stored: COUNT }, signed: true, passwordsByRow: true });
      await judge(t, caller, url);
    });
  }

  await t.test('while its signer is away, nothing of it is stored', async (t) => {
    const place = await newPlace();
    const away = { ...PKCS12, timeStampUrl: 'http://127.0.0.1:1/' };
    const { make, put, act, run, service } = await callerAt(t, place, away);
    const url = await make(OPTIONS);
    await put(url, 1, `customer,born\n${LINES}`, CSV);
    const before = filesIn(place.folder);
    await act(url, 'start');
    await until(async () => (await run(url)).reasons.length > 0);
    t.match(await run(url), { state: 'running', reasons: [{ name: 'signer' }] });
    t.strictSame(filesIn(place.folder), before, 'no file with a document');
    const shown = service.logged.join('');
    for (const { password, born } of ROWS)
      t.notOk(shown.includes(password) || shown.includes(born));
  });
});

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'base64'));
}

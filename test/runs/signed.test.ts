import { createPrivateKey, privateEncrypt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import tap, { type Test } from 'tap';
import { until } from '../../lab/process/waiting.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { callerOf, refused, type RunCaller, rows } from '../fixtures/runs/caller.ts';
import { Authority } from '../sign/authority.ts';
import { pdfsig } from '../sign/judges.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/** Runs whose documents are signed, by the real renderer and signers. */

const RENDERER = new URL('../../src/workers/render.ts', import.meta.url);
const DOCUMENT = { content: ['A note for {{customer}}: {{total}}'] };
const SIGNED = { options: { signature: true } };
const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
/** The authorities run in this process, on a machine that may be busy. */
const timeoutMs = 60_000;

const authority = new Authority(tap.testdir());
authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], SIGNING);
authority.issue('rsa', ['rsa:2048'], SIGNING);
const PKCS12 = { pkcs12: 'ec.p12', passwordFile: 'password', timeoutMs };

async function callerAt(t: Test, place: StorePlace, entry: object): Promise<RunCaller> {
  const path = authority.path('signers.json');
  writeFileSync(path, JSON.stringify({ teams: { bank: entry } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  await place.open(t);
  const caller = await callerOf(t, {
    parts: { signing },
    store: {
      databaseUrl: place.databaseUrl,
      filesUrl: `file:${join(place.folder, 'files')}`,
      encryption: { keys: () => [Buffer.alloc(32, 'a key of the test')] },
    },
    pool: { module: RENDERER, settings: { templateCacheMb: 16, fontsDir: null }, memoryMb: 512 },
  });
  await caller.service.publish('bank', 'receipt', { document: DOCUMENT });
  return caller;
}

interface Stored {
  readonly row: string;
  readonly outcome: string;
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

/** DER before a SHA-256 digest in a signature of PKCS #1 (RFC 8017, 9.2). */
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** A signer over HTTP that a test can switch off; it counts what it is asked. */
async function remoteSigner(t: Test) {
  const key = createPrivateKey(authority.read('rsa.key'));
  const state = {
    url: '',
    isUp: true,
    /** Of so many requests one is refused; 0: none. */
    refusesEach: 0,
    asked: 0,
    refused: 0,
    atOnce: 0,
    atOnceMax: 0,
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    state.atOnce += 1;
    state.atOnceMax = Math.max(state.atOnceMax, state.atOnce);
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      state.asked += 1;
      const { digest } = JSON.parse(Buffer.concat(parts).toString()) as { digest: string };
      const signed = Buffer.concat([DIGEST_INFO, Buffer.from(digest, 'base64')]);
      const signature = privateEncrypt(key, signed).toString('base64');
      const isRefused =
        !state.isUp || (state.refusesEach > 0 && state.asked % state.refusesEach === 0);
      if (isRefused) state.refused += 1;
      setTimeout(() => {
        state.atOnce -= 1;
        response.statusCode = isRefused ? 503 : 200;
        response.end(JSON.stringify({ signature }));
      }, 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return state;
}

await overDialects('a run with signatures', async (t, newPlace) => {
  await t.test(
    'each document is signed, and manifest and audit name the certificate',
    async (t) => {
      const caller = await callerAt(t, await newPlace(), PKCS12);
      const { make, put, act, reach, service, get } = caller;
      const url = await make(SIGNED);
      await put(url, 1, rows(9));
      await act(url, 'start');
      t.match(await reach(url, 'done'), { counts: { stored: 9 }, signed: true });
      const certificateSerial = authority.serialOf('ec');
      const manifest = await manifestOf(caller, url);
      t.match(
        manifest,
        Array.from({ length: 9 }, (_, at) => ({ row: `C${at}`, certificateSerial })),
      );
      for (const { documentId } of manifest) {
        const verdict = await pdfsig(authority, await documentOf(caller, documentId));
        t.match(verdict, /Signature is Valid/);
        t.match(verdict, /Total document signed/);
      }
      const made = (await service.audit()).filter(({ action }) => action === 'generate');
      t.match(
        made,
        Array.from({ length: 9 }, () => ({ signer: 'CN=ec', certificateSerial })),
      );
      const csv = await (await get(`${url}/manifest?format=csv`)).text();
      t.ok(csv.includes(`,${certificateSerial}\n`), 'the CSV, too');
    },
  );

  await t.test('while its signer fails it waits, and goes on by itself', async (t) => {
    const remote = await remoteSigner(t);
    const entry = { url: remote.url, certificates: 'rsa.chain.pem', timeoutMs };
    const caller = await callerAt(t, await newPlace(), entry);
    const { make, put, act, reach, run, service } = caller;
    remote.isUp = false;
    const url = await make(SIGNED);
    await put(url, 1, rows(600));
    await act(url, 'start');
    const reasons = [{ name: 'signer', expected: 'a signature', actual: 'it answered 503' }];
    await until(async () => (await run(url)).reasons.length > 0);
    t.match(await run(url), { state: 'running', reasons, counts: { stored: 0, failed: 0 } });
    const log = service.logged.join('');
    t.match(log, /a run waits for its signer.*it answered 503/);
    t.ok(remote.refused <= 16, `${remote.refused} digests at the first attempts`);
    remote.isUp = true;
    t.match(await reach(url, 'done'), { reasons: [], counts: { stored: 600, failed: 0 } });
    t.ok(remote.atOnceMax <= 8, `${remote.atOnceMax} requests at a time`);
    t.equal((await manifestOf(caller, url)).length, 600);
  });

  await t.test('a signer that refuses one request in twenty ends a run, too', async (t) => {
    const remote = await remoteSigner(t);
    const entry = { url: remote.url, certificates: 'rsa.chain.pem', timeoutMs };
    const caller = await callerAt(t, await newPlace(), entry);
    const { make, put, act, reach } = caller;
    remote.refusesEach = 20;
    const url = await make(SIGNED);
    await put(url, 1, rows(600));
    await act(url, 'start');
    t.match(await reach(url, 'done'), { counts: { stored: 600, failed: 0 } });
    t.ok(remote.refused >= 30, `${remote.refused} refused`);
    t.ok(remote.asked < 900, `${remote.asked} asked: rows that were signed are not signed again`);
  });

  await t.test('rows are checked while the signer is away', async (t) => {
    const remote = await remoteSigner(t);
    const entry = { url: remote.url, certificates: 'rsa.chain.pem', timeoutMs };
    const { make, put, act, run } = await callerAt(t, await newPlace(), entry);
    remote.isUp = false;
    const waiting = await make(SIGNED);
    await put(waiting, 1, rows(10));
    await act(waiting, 'start');
    await until(async () => (await run(waiting)).reasons.length > 0);
    const url = await make(SIGNED);
    for (let part = 1; part <= 12; part += 1) await put(url, part, rows(5, part * 5));
    await act(url, 'start', { dryRun: true });
    await until(async () => (await run(url)).state === 'receiving');
    t.match(await run(url), { counts: { received: 60, invalid: 0 }, reasons: [] });
    t.match(await run(waiting), { state: 'running', reasons: [{ name: 'signer' }] });
    remote.isUp = true;
    await until(async () => (await run(waiting)).state === 'done');
  });

  await t.test('a run without signatures goes on meanwhile', async (t) => {
    const remote = await remoteSigner(t);
    const entry = { url: remote.url, certificates: 'rsa.chain.pem', timeoutMs };
    const { make, put, act, reach, run } = await callerAt(t, await newPlace(), entry);
    remote.isUp = false;
    const url = await make(SIGNED);
    await put(url, 1, rows(10));
    await act(url, 'start');
    await until(async () => (await run(url)).reasons.length > 0);
    const other = await make();
    await put(other, 1, rows(10));
    await act(other, 'start');
    t.match(await reach(other, 'done'), { counts: { stored: 10 } });
    t.match(await act(url, 'cancel'), { state: 'cancelled', counts: { stored: 0 } });
  });
});

tap.test('a run asks once for the proofs of each certificate', async (t) => {
  const place = sqlitePlace(t);
  const revocation = await authority.revocation(t);
  const ocsp = `authorityInfoAccess=OCSP;URI:${revocation.url}`;
  authority.issue('lasting', ['rsa:2048'], `${SIGNING}\n${ocsp}`);
  const timeStampUrl = await authority.timeStamps(t, undefined, ocsp);
  // Requests may reuse no answer: a run does nevertheless, as long as the answer is valid.
  const longTerm = { ageSeconds: 0 };
  const key = { pkcs12: 'lasting.p12', passwordFile: 'password', timeoutMs };
  const caller = await callerAt(t, place, { ...key, timeStampUrl, longTerm });
  const { make, put, act, reach } = caller;
  const url = await make(SIGNED);
  await put(url, 1, rows(12));
  await act(url, 'start');
  t.match(await reach(url, 'done'), { counts: { stored: 12 } });
  t.strictSame(revocation.asked, { ocsp: 2, crl: 0 }, 'the signer and the time stamp');
  for (const { documentId } of (await manifestOf(caller, url)).slice(0, 2)) {
    const pdf = await documentOf(caller, documentId);
    t.match(await pdfsig(authority, pdf), /Signature is Valid/);
    t.match(pdf.toString('latin1'), /\/OCSPs\[\d+ 0 R \d+ 0 R\]/, 'with both proofs');
  }
});

tap.test('what a run with signatures cannot have is refused with a sentence', async (t) => {
  const { service, post, make, put, act, reach } = await callerAt(t, sqlitePlace(t), PKCS12);
  const create = (more: object): Promise<string> =>
    refused(
      post(`${service.url}/v1/runs`, { templateId: 'receipt', idField: 'customer', ...more }),
    );
  t.match(await create({ ...SIGNED, documentsPerPrint: 9 }), /documentsPerPrint: print files/);
  t.match(await create({ options: { signature: 1 } }), /signature/);
  // A template that must be signed needs a run that asks for it.
  await service.publish('bank', 'receipt', { document: DOCUMENT, signature: true });
  const url = await make();
  await put(url, 1, rows(2));
  await act(url, 'start');
  t.match(await reach(url, 'stopped'), { counts: { stored: 0 } });
  const signed = await make(SIGNED);
  await put(signed, 1, rows(2));
  await act(signed, 'start');
  t.match(await reach(signed, 'done'), { counts: { stored: 2 } });
});

function sqlitePlace(t: Test): StorePlace {
  const folder = t.testdir({});
  const databaseUrl = `sqlite:${join(folder, 'intaglio.db')}`;
  return { name: 'sqlite', databaseUrl, folder, open: notOpened };
}

/** `callerAt` needs the place only; the service opens it. */
function notOpened(): Promise<never> {
  return Promise.resolve(undefined as never);
}

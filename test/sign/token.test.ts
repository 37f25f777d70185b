import { setTimeout as delay } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { readSigners, type Signer, SignersError } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { TokenKey } from '../../src/sign/token/token.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { atSomePace } from '../../lab/pace.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { opensslVerify, pdfsig } from './judges.ts';

/** Keys on a PKCS#11 token: SoftHSM, with a store in the folder of the test. */

const authority = new Authority(t.testdir());
mkdirSync(authority.path('tokens'));
writeFileSync(
  authority.path('softhsm.conf'),
  `directories.tokendir = ${authority.path('tokens')}\n`,
);
process.env['SOFTHSM2_CONF'] = authority.path('softhsm.conf');
const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
authority.issue('rsa', ['rsa:3072'], SIGNING);
authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], SIGNING);

function softhsm(...words: readonly string[]): void {
  execFileSync('softhsm2-util', words, { cwd: authority.folder, stdio: 'pipe' });
}

const PIN = '567890';
softhsm('--init-token', '--free', '--label', 'bank', '--so-pin', '123456', '--pin', PIN);
for (const [index, name] of ['rsa', 'ec'].entries()) {
  const about = ['--token', 'bank', '--label', name, '--id', `0${index + 1}`, '--pin', PIN];
  softhsm('--import', `${name}.key`, ...about);
}
writeFileSync(authority.path('pin'), `${PIN}\n`);
writeFileSync(authority.path('wrong'), '000000\n');

const MODULE = '/usr/lib/softhsm/libsofthsm2.so';

async function signers(
  name: string,
  changes: object = {},
  entry: object = {},
): Promise<ReadonlyMap<string, Signer>> {
  const place = { module: MODULE, token: 'bank', key: name, pinFile: 'pin', ...changes };
  const path = authority.path('signers.json');
  const bank = { pkcs11: place, certificates: `${name}.chain.pem`, timeoutMs: 60_000, ...entry };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  return readSigners(path);
}

for (const name of ['rsa', 'ec']) {
  t.test(`a key on a token signs (${name})`, async (t) => {
    const signing = createSigning(await signers(name), pino({ level: 'silent' }));
    const signature = { isAsked: true, ...signing.offerFor('bank') };
    const template = shareTemplate(sampleTemplate({}));
    for (let count = 0; count < 2; count++) {
      const document = await render(template, SAMPLE_DATA, { signature });
      const place = document.signature ?? { from: 0, to: 0, catalogAt: 0 };
      const outcome = await signing.sign('bank', document.pdf, place);
      if (!outcome.ok) return t.fail(outcome.code);
      const { pdf } = outcome.value;
      t.equal(opensslVerify(authority, pdf, place), 0, 'openssl cms -verify');
      t.match(await pdfsig(authority, pdf), /Signature is Valid[^]*Certificate is Trusted/);
    }
  });
}

t.test('signatures at the same time are not mixed up', async (t) => {
  const signer = (await signers('rsa')).get('bank');
  const values = await Promise.all(
    ['a', 'b', 'a'].map(async (text) => signer?.sign(Buffer.from(text))),
  );
  const [one, two, three] = values.map((value) => Buffer.from(value ?? []).toString('hex'));
  t.equal(one, three);
  t.not(one, two);
});

t.test('a refusal of the token stops the start, with a message without secrets', async (t) => {
  const cases: [object, RegExp][] = [
    [{ module: '/nowhere.so' }, /teams\.bank: PKCS#11: the module cannot be loaded/],
    [{ token: 'other' }, /no token has this label/],
    [{ key: 'other' }, /no private key with this label/],
    [{ pinFile: 'wrong' }, /the PIN is wrong/],
  ];
  for (const [changes, wanted] of cases) {
    const wrong = await signers('rsa', changes).catch((error: unknown) => error);
    t.ok(wrong instanceof SignersError);
    t.match(String(wrong), wanted);
    t.notMatch(String(wrong), /567890|000000|nowhere/);
  }
});

/** Process ids of the token hosts that this process started. */
function hosts(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      const isHost = words.includes('sign/token/host.ts') && Number(parent) === process.pid;
      return isHost ? [Number(name)] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

t.test('a process that dies is replaced at the next signature', async (t) => {
  const signer = (await signers('ec')).get('bank');
  t.ok(await signer?.sign(Buffer.from('a')));
  const pids = hosts();
  t.ok(pids.length > 0);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  const first = await signer?.sign(Buffer.from('a')).catch((error: unknown) => error);
  t.ok(first instanceof Uint8Array || String(first).includes('hung or crashed'));
  t.ok((await signer?.sign(Buffer.from('b'))) instanceof Uint8Array);
});

t.test('a token that is slower than its time limit signs nothing', async (t) => {
  const slow = await signers('rsa', {}, { timeoutMs: 1 }).catch((error: unknown) => error);
  t.match(String(slow), /hung or crashed/);
});

/** A process that replies with its own id, unless it is asked to sign "never". */
const FAKE_HOST = `process.on('message', ({ id, kind, data }) => {
  if (kind === 'sign' && Buffer.from(data, 'base64').toString() === 'never') return;
  const value = Buffer.from(String(process.pid)).toString('base64');
  process.send({ id, ok: true, value });
});
process.on('disconnect', () => process.exit(0));`;

async function sign(key: TokenKey, text: string): Promise<string> {
  return Buffer.from(await key.sign(Buffer.from(text), 'rsa')).toString();
}

/** Whether the process of a slow token was kept and that of a hanging one replaced. */
async function replacedAndKept(timeoutMs: number): Promise<string> {
  const place = { module: 'm', token: 't', key: 'k' };
  const open = (): TokenKey =>
    new TokenKey(place, PIN, timeoutMs, { hostFile: authority.path('fake-host.mjs') });
  const [slow, hanging] = [open(), open()];
  const [slowPid, hangingPid] = [await sign(slow, 'a'), await sign(hanging, 'a')];
  const failures = [slow, hanging].map((key) => sign(key, 'never').catch(String));
  // This reply comes after the other request was sent.
  await sign(slow, 'b');
  const [first = '', second = ''] = await Promise.all(failures);
  const isSaid = first.includes('too slow for so many') && second.includes('hung or crashed');
  const isKept = (await sign(slow, 'c')) === slowPid;
  const isReplaced = (await sign(hanging, 'c')) !== hangingPid;
  return isSaid && isKept && isReplaced ? '' : `${first}; ${second}; ${isKept}; ${isReplaced}`;
}

t.test('a token that hangs is replaced; one that is slow keeps its session', async (t) => {
  writeFileSync(authority.path('fake-host.mjs'), FAKE_HOST);
  // A process that starts on a busy machine may need longer for its first reply.
  await atSomePace(t, (pace) => replacedAndKept(3_000 * pace).catch(String));
});

const BANK = { module: MODULE, token: 'bank', key: 'rsa' };

/** Runs without the tokens of the test: they are in another folder meanwhile. */
async function withoutTokens(run: () => Promise<void>): Promise<void> {
  renameSync(authority.path('tokens'), authority.path('away'));
  mkdirSync(authority.path('tokens'));
  try {
    await run();
  } finally {
    rmSync(authority.path('tokens'), { recursive: true });
    renameSync(authority.path('away'), authority.path('tokens'));
  }
}

/** Kills the hosts and waits until they are gone: a process outlives its SIGKILL for a moment. */
async function endHosts(): Promise<void> {
  const ended = new Set(hosts());
  for (const pid of ended) process.kill(pid, 'SIGKILL');
  while (hosts().some((pid) => ended.has(pid))) await delay(5);
}

t.test('a token that was away signs again without a restart', async (t) => {
  const key = new TokenKey(BANK, PIN, 60_000, { pauseMs: 0 });
  t.ok(await key.sign(Buffer.from('a'), 'rsa'));
  const before = hosts();
  await withoutTokens(async () => {
    await endHosts();
    // The first signature may still meet the host that ends.
    await key.sign(Buffer.from('a'), 'rsa').catch(String);
    const failed = await key.sign(Buffer.from('a'), 'rsa').catch(String);
    t.match(failed, /no token has this label/);
  });
  t.ok((await key.sign(Buffer.from('a'), 'rsa')) instanceof Uint8Array);
  t.ok(before.length > 0);
});

t.test('a token that is away is left alone for a while', async (t) => {
  const key = new TokenKey(BANK, PIN, 60_000, { pauseMs: 600_000 });
  await withoutTokens(async () => {
    t.match(await key.sign(Buffer.from('a'), 'rsa').catch(String), /no token has this label/);
  });
  await endHosts();
  t.match(await key.sign(Buffer.from('a'), 'rsa').catch(String), /no token has this label/);
  t.strictSame(hosts(), [], 'no process was started');
});

t.test('a wrong PIN is tried once; a check of the signers tries none', async (t) => {
  const path = authority.path('signers.json');
  const wrong = await signers('rsa', { pinFile: 'wrong' }).catch((error: unknown) => error);
  t.match(wrong, { isPinRefused: true });
  t.equal((await readSigners(path, 'find')).size, 1);
  const key = new TokenKey(BANK, '000000', 60_000, { pauseMs: 0 });
  t.match(await key.sign(Buffer.from('a'), 'rsa').catch(String), /the PIN is wrong/);
  await endHosts();
  t.match(await key.sign(Buffer.from('a'), 'rsa').catch(String), /the PIN is wrong/);
  t.strictSame(hosts(), [], 'no process was started');
  const place = { module: MODULE, token: 'other', key: 'rsa', pinFile: 'pin' };
  const entry = { pkcs11: place, certificates: 'rsa.chain.pem' };
  writeFileSync(path, JSON.stringify({ teams: { bank: entry } }));
  const other = await readSigners(path, 'find').catch(String);
  t.match(other, /teams\.bank: PKCS#11: no token has this label/);
});

t.test('two tokens of one label are a fault', async (t) => {
  softhsm('--init-token', '--free', '--label', 'twin', '--so-pin', '123456', '--pin', PIN);
  softhsm('--init-token', '--free', '--label', 'twin', '--so-pin', '123456', '--pin', '111111');
  for (const use of ['open', 'find'] as const) {
    const place = { module: MODULE, token: 'twin', key: 'rsa', pinFile: 'pin' };
    const entry = { pkcs11: place, certificates: 'rsa.chain.pem' };
    writeFileSync(authority.path('signers.json'), JSON.stringify({ teams: { bank: entry } }));
    const wrong = await readSigners(authority.path('signers.json'), use).catch(String);
    t.match(wrong, /several tokens have this label/);
  }
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { environment, intaglio, start } from '../../lab/service/command-line.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { issueAll } from './foreign/certificates.ts';

/** Signers are checked before they sign: by the commands, at the start, and at each signature. */

const folder = t.testdir();
mkdirSync(join(folder, 'var'));
const authority = new Authority(folder);
issueAll(authority);
for (const name of ['p256', 'encipher', 'web', 'expired', 'future']) {
  const made = ['-in', `${name}.pem`, '-certfile', 'ca.pem', '-out', `${name}.p12`];
  const words = [
    'pkcs12',
    '-export',
    '-inkey',
    `${name}.key`,
    ...made,
    '-passout',
    'file:password',
  ];
  execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
}
const signersFile = join(folder, 'signers.json');
const env = environment(join(folder, 'var'), { INTAGLIO_SIGNERS_FILE: signersFile });

function write(entry: object): void {
  writeFileSync(signersFile, JSON.stringify({ teams: { bank: entry } }));
}

function byFile(name: string): object {
  return { pkcs12: `${name}.p12`, passwordFile: 'password' };
}

const FAULTS: readonly (readonly [string, object, RegExp])[] = [
  ['no file', { pkcs12: 'nowhere.p12', passwordFile: 'password' }, /teams\.bank: .*nowhere/],
  ['wrong usage', byFile('encipher'), /teams\.bank: .*not for signing documents/],
  ['wrong purpose', byFile('web'), /teams\.bank: .*not for signing documents/],
  ['expired', byFile('expired'), /teams\.bank: .*has expired at 2021-01-01T00:00:00/],
  ['not valid yet', byFile('future'), /teams\.bank: .*is not valid before 2048-01-01T00:00:00/],
];

t.test('signers that no reader would accept are faults of readSigners', async (t) => {
  for (const [name, entry, wanted] of FAULTS) {
    write(entry);
    t.match(String(await readSigners(signersFile).catch((error: unknown) => error)), wanted, name);
  }
  write(byFile('p256'));
  t.equal((await readSigners(signersFile)).size, 1);
});

t.test('serve --check, doctor and serve name them', async (t) => {
  const [, entry, wanted] = FAULTS[3] ?? FAULTS[0]!;
  write(entry);
  for (const words of [['serve', '--check'], ['doctor'], ['serve']]) {
    const { code, out, err } = await intaglio({ ...env, INTAGLIO_PORT: '0' }, ...words);
    t.equal(code, 1, words.join(' '));
    t.match(`${out}${err}`, wanted, words.join(' '));
  }
  write(byFile('p256'));
  t.equal((await intaglio(env, 'serve', '--check')).code, 0);
});

t.test('a signer for a team that does not exist is named with its cure', async (t) => {
  const named = /teams\.bank: there is no such team; .*\.\/intaglio teams add/;
  write(byFile('p256'));
  t.match(await intaglio(env, 'serve', '--check'), { code: 0, err: named });
  t.match((await intaglio(env, 'doctor')).out, /^warning +signers: .*teams\.bank: there is no/m);
  const { child, nextLine } = start(t, env, 'serve');
  let line = await nextLine();
  while (!named.test(line) && !line.includes('"listening"')) line = await nextLine();
  t.match(line, named);
  child.kill();
  t.equal((await intaglio(env, 'teams', 'add', 'bank', '--name', 'Bank')).code, 0);
  t.notMatch((await intaglio(env, 'serve', '--check')).err, named);
  t.match((await intaglio(env, 'doctor')).out, SOUND);
});

const SOUND = /^ok +signers: 1 read; the first certificate expires/m;

t.test('after its expiry a signer signs nothing', async (t) => {
  write(byFile('p256'));
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const signers = await readSigners(signersFile);
  for (const [time, wanted] of [
    ['2049-12-30T00:00:00Z', { ok: true }],
    ['2050-01-01T00:00:00Z', { ok: false, code: 'signing_unavailable' }],
    ['2024-12-31T00:00:00Z', { ok: false, code: 'signing_unavailable' }],
  ] as const) {
    const signing = createSigning(signers, log, () => Date.parse(time));
    const signature = { isAsked: true, ...signing.offerFor('bank') };
    const made = await render(shareTemplate(sampleTemplate({})), SAMPLE_DATA, { signature });
    const place = made.signature ?? { from: 0, to: 0, catalogAt: 0 };
    t.match(await signing.sign('bank', made.pdf, place), wanted, time);
  }
  t.match(lines.join(''), /has expired at 2049-12-31[^]*is not valid before 2025-01-01/);
});

t.test('a wrong PIN ends the start with 78, and a check does not try it', async (t) => {
  mkdirSync(join(folder, 'tokens'));
  const conf = join(folder, 'softhsm.conf');
  writeFileSync(conf, `directories.tokendir = ${join(folder, 'tokens')}\n`);
  const secrets = ['--so-pin', '123456', '--pin', '567890'];
  const words = ['--init-token', '--free', '--label', 'bank', ...secrets];
  const hsm = { ...process.env, SOFTHSM2_CONF: conf };
  execFileSync('softhsm2-util', words, { env: hsm, stdio: 'pipe' });
  writeFileSync(join(folder, 'wrong'), '000000\n');
  const module = '/usr/lib/softhsm/libsofthsm2.so';
  const pkcs11 = { module, token: 'bank', key: 'p256', pinFile: 'wrong' };
  write({ pkcs11, certificates: 'p256.pem', timeoutMs: 60_000 });
  const tokens = { ...env, INTAGLIO_PORT: '0', SOFTHSM2_CONF: conf };
  const { code, err } = await intaglio(tokens, 'serve');
  t.equal(code, 78, err);
  t.match(err, /teams\.bank: PKCS#11: the PIN is wrong/);
  t.equal((await intaglio(tokens, 'serve', '--check')).code, 0);
  write({ pkcs11: { ...pkcs11, token: 'other' }, certificates: 'p256.pem' });
  const check = await intaglio(tokens, 'serve', '--check');
  t.equal(check.code, 1);
  t.match(check.err, /no token has this label/);
});

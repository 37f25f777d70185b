import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { type Finished, intaglioOf, nodeOptions } from '../../lab/service/command-line.ts';
import { HOME } from '../../lab/home.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { Authority } from './authority.ts';
import { issueAll } from './foreign/certificates.ts';
import { NEW_YEAR_MS, Workshop } from './foreign/samples.ts';

/** How somebody with a PDF and the root certificate, but without the service's database, checks it. */

const folder = t.testdir();
const home = join(folder, 'checkout');
mkdirSync(home);
cpSync(join(HOME, 'src'), join(home, 'src'), {
  recursive: true,
  filter: (path) => !path.endsWith('.test.ts'),
});
cpSync(join(HOME, 'package.json'), join(home, 'package.json'));
for (const name of ['node_modules', 'clients']) symlinkSync(join(HOME, name), join(home, name));

const env = { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: nodeOptions('') };
const authority = new Authority(folder);
issueAll(authority);
authority.issue('bank', ['rsa:2048'], 'keyUsage=critical,digitalSignature,nonRepudiation');
const shop = new Workshop(authority);
const ca = authority.path('ca.pem');
mkdirSync(join(folder, 'other'));
const otherRoot = new Authority(join(folder, 'other')).path('ca.pem');
const signed = shop.signed('rsa').bytes;

async function verify(pdf: Uint8Array, ...words: readonly string[]): Promise<Finished> {
  return verifyWith({}, pdf, ...words);
}

async function verifyWith(
  more: Readonly<Record<string, string>>,
  pdf: Uint8Array,
  ...words: readonly string[]
): Promise<Finished> {
  const file = join(folder, 'sent.pdf');
  writeFileSync(file, pdf);
  return intaglioOf(home, { ...env, ...more }, 'verify', file, ...words);
}

const ALONE =
  /^Only the signatures are checked, because there is no database \S+\/var\/intaglio\.db /;

t.test('without a database a trusted signature over the file is enough', async (t) => {
  const told = await verify(signed, '--trust', ca);
  t.equal(told.code, 0, told.err);
  t.match(told.out, ALONE);
  t.match(told.out, /\nSignature by CN=rsa, .*: valid\.\n/);
  t.match(
    told.out,
    /not that the service has a record\nof it\. .* set INTAGLIO_DATABASE_URL as it/,
  );
  t.notMatch(told.out, /ssued by this service:|names Intaglio|print file/);
  const { out, code } = await verify(signed, '--trust', ca, '--json');
  t.equal(code, 0);
  const told2 = JSON.parse(out) as Record<string, unknown>;
  t.strictSame(Object.keys(told2), ['issued', 'sha256', 'signatures']);
  t.equal(told2['issued'], null, 'neither issued nor not issued');
  t.match(told2['signatures'], [{ isValid: true, isTrusted: true, after: 'nothing' }]);
  t.notOk(existsSync(join(home, 'var')), 'no database was created');
});

t.test('several trusted signatures, one over the other, are enough', async (t) => {
  const twice = shop.again(shop.signed('rsa'), 'p256').bytes;
  t.match(await verify(twice, '--trust', ca), { code: 0, out: ALONE });
});

t.test('without a database any doubt about a signature ends with 1', async (t) => {
  const root = ['--trust', ca];
  const flipped = Buffer.from(signed);
  flipped.writeUInt8(flipped.readUInt8(60) ^ 1, 60);
  const added = shop.signed('rsa').update(new Map([[1, `${shop.signed('rsa').text(1)} `]])).bytes;
  const half = Buffer.from(signed.toString('latin1').replace('/ByteRange', '/ByteRang_'), 'latin1');
  const cases = [
    ['no root certificate', signed, [], /: valid\.\n[^]*\nNOT VERIFIED: anybody can make a cert/],
    ['another root certificate', signed, ['--trust', otherRoot], /: NOT VALID\.\n[^]*not lead to/],
    ['a changed byte', flipped, root, /: NOT VALID\.\n[^]*has changed/],
    ['an update', added, root, /: NOT VALID\.\n[^]*the file was changed after it was signed/],
    ['an unreadable signature', half, root, /cannot be read: NOT VALID\.\n/],
  ] as const;
  for (const [name, pdf, words, said] of cases) {
    const { code, out } = await verify(pdf, ...words);
    t.equal(code, 1, name);
    t.match(out, ALONE, name);
    t.match(out, said, name);
    t.notMatch(out, 'This shows who signed', name);
  }
});

t.test('a file that nobody signed cannot be judged without a database', async (t) => {
  const stampOnly = shop
    .plain()
    .sign((content) => shop.token('tsa', content, NEW_YEAR_MS), { subFilter: 'ETSI.RFC3161' });
  for (const pdf of [shop.plain().bytes, stampOnly.bytes]) {
    const { code, out, err } = await verify(pdf, '--trust', ca, '--json');
    t.match({ code, out }, { code: 1, out: '' });
    t.match(
      err,
      /sent\.pdf has no signature, and there is no database .*: it cannot be judged here/,
    );
    t.match(err, /by Verify in its Studio, or by this command with INTAGLIO_DATABASE_URL/);
  }
  const zip = await verify(Buffer.from('PK\x03\x04 a.pdf'), '--trust', ca);
  t.match(zip, { code: 1, err: /is a ZIP file, which is no document: unpack it/ });
});

t.test('a database that is configured is asked, or the command fails', async (t) => {
  const file = join(folder, 'url');
  writeFileSync(file, `sqlite:${join(folder, 'absent.db')}\n`);
  for (const [more, said] of [
    [{ INTAGLIO_DATABASE_URL: 'mysql://u:p@127.0.0.1:1/x' }, /the connection was refused/],
    [{ INTAGLIO_DATABASE_URL: `sqlite:${join(folder, 'absent.db')}` }, /there is no database/],
    [{ INTAGLIO_DATABASE_URL_FILE: file }, /there is no database \S+\/absent\.db/],
  ] as const) {
    const { code, out, err } = await verifyWith(more, signed, '--trust', ca);
    t.match({ code, out }, { code: 1, out: '' });
    t.match(err, said);
  }
  const team = await verify(signed, '--trust', ca, '--team', 'bank');
  t.match(team, { code: 1, out: '', err: /there is no database/ });
  const { code, err } = await intaglioOf(home, env, 'verify', '--reference', 'R-1');
  t.match({ code, err }, { code: 1, err: /there is no database/ });
});

t.test('a link to a disk that is not mounted is a database that cannot be asked', async (t) => {
  const place = join(home, 'var');
  const absent = join(folder, 'not-mounted');
  const refused = { code: 1, out: '', err: /there is no database/ };
  symlinkSync(absent, place);
  t.match(await verify(signed, '--trust', ca), refused);
  rmSync(place);
  mkdirSync(place);
  symlinkSync(join(absent, 'intaglio.db'), join(place, 'intaglio.db'));
  t.match(await verify(signed, '--trust', ca), refused);
  rmSync(place, { recursive: true });
});

/** A document of the engine, as it is and signed as the service signs it. */
async function documents(): Promise<{
  readonly unsigned: Uint8Array;
  readonly signed: Uint8Array;
}> {
  const path = authority.path('signers.json');
  const bank = { pkcs12: 'bank.p12', passwordFile: 'password', timeoutMs: 60_000 };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const template = shareTemplate(sampleTemplate({}));
  const made = await render(template, SAMPLE_DATA, { signature });
  const place = made.signature ?? { from: 0, to: 0, catalogAt: 0 };
  const outcome = await signing.sign('bank', made.pdf, place);
  if (!outcome.ok) throw new Error(outcome.code);
  const { pdf } = await render(template, SAMPLE_DATA, {});
  return { unsigned: pdf, signed: outcome.value.pdf };
}

t.test('a database at the default place is asked', async (t) => {
  const added = await intaglioOf(home, env, 'teams', 'add', 'bank', '--name', 'Bank');
  t.equal(added.code, 0, added.err);
  const made = await documents();
  const told = await verify(made.signed, '--trust', ca);
  t.match(told, { code: 1, out: /^Not issued by this service: .*bytes\.\nSignature by CN=bank/ });
  t.notMatch(told.out, /names Intaglio|saved again|print file/, 'no program saved it again');
  t.match(told.out, /: valid\.\n[^]*\nThe database is sqlite:/);
  for (const pdf of [made.unsigned, Buffer.concat([made.signed, Buffer.from('\n%%EOF\n')])]) {
    const { code, out } = await verify(pdf, '--trust', ca);
    t.match({ code, out }, { code: 1, out: /names Intaglio as the program that made it/ });
  }
});

t.test('the commands of docs/signing.md have pdfsig trust the certificate', async (t) => {
  const page = readFileSync(join(HOME, 'docs/signing.md'), 'utf8');
  const [, commands = ''] = /```sh\n(mkdir trusted\n[^`]+)```/.exec(page) ?? [];
  t.match(commands, /\ncertutil -A .*\npdfsig /);
  const cwd = join(folder, 'recipient');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'roots.pem'), authority.read('ca.pem'));
  writeFileSync(join(cwd, 'statement.pdf'), (await documents()).signed);
  const { stdout, stderr } = spawnSync('sh', ['-e', '-c', commands], { cwd, encoding: 'utf8' });
  t.match(stdout, /Total document signed\n/, stderr);
  t.match(stdout, /Signature is Valid\.\n.*Certificate is Trusted\./);
});

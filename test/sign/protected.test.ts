import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { render, shareTemplate, tryRender } from '../../lab/render.ts';
import { createProtector } from '../../src/protect/protector.ts';
import { protectToSign } from '../../src/protect/signature-room.ts';
import { asCertificate } from '../../src/sign/long-term/revocation.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { verifyFile } from '../../src/sign/verification/verify-signature.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import type { SignaturePlace } from '#engine';
import { Authority } from './authority.ts';
import { opensslVerify, pdfsig } from './judges.ts';

/** Documents with passwords and a signature: protected first, signed afterwards. */

const authority = new Authority(t.testdir());
const revocation = await authority.revocation(t);
const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
const OCSP = `authorityInfoAccess=OCSP;URI:${revocation.url}`;
authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], `${SIGNING}\n${OCSP}`);
const timeStampUrl = await authority.timeStamps(t, undefined, OCSP);
const anchors = [asCertificate(new X509Certificate(authority.read('ca.pem')))];

const [USER, OWNER, OTHER] = ['17052533', 'the owner of it', '17052534'];
const PROTECTION = { userPassword: USER, ownerPassword: OWNER, permissions: { copy: false } };
const PROGRAMS = {
  library: createProtector({ qpdf: 'qpdf', timeoutMs: 60_000, concurrencyMax: 2 }),
  // A script is not the program that the library belongs to.
  program: createProtector({ qpdf: script(), timeoutMs: 60_000, concurrencyMax: 2 }),
};
t.teardown(() => Promise.all(Object.values(PROGRAMS).map((one) => one.close())));
await Promise.all(Object.values(PROGRAMS).map((one) => one.available()));

function script(): string {
  const path = authority.path('qpdf-script');
  writeFileSync(path, '#!/bin/sh\nexec qpdf "$@"\n', { mode: 0o755 });
  return path;
}

const LEVELS = {
  'B-B': {},
  'B-LT': { timeStampUrl, longTerm: {} },
} as const;

interface Made {
  readonly pdf: Uint8Array;
  readonly place: SignaturePlace;
  /** Bytes of the protected file, without the update. */
  readonly signedBytes: number;
}

async function make(
  level: keyof typeof LEVELS,
  { more = {}, document = {}, by = PROGRAMS.library } = {},
): Promise<Made> {
  const path = authority.path('signers.json');
  const bank = {
    pkcs12: 'ec.p12',
    passwordFile: 'password',
    timeoutMs: 60_000,
    ...LEVELS[level],
  };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const template = shareTemplate(sampleTemplate(more, document));
  const made = await render(template, SAMPLE_DATA, { signature, isProtected: true });
  if (made.signature === undefined) throw new Error('no place for a signature');
  const secured = await protectToSign(by, made.pdf, PROTECTION, made.signature);
  if (!secured.ok) throw new Error(secured.message);
  const { pdf, place } = secured.value;
  const signed = await signing.sign('bank', pdf, place);
  if (!signed.ok) throw new Error(signed.message);
  return { pdf: signed.value.pdf, place, signedBytes: pdf.length };
}

function printed(program: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}` : '';
}

/** Judges a document by programs of other authors, and by ours. */
async function judge(t: Test, level: keyof typeof LEVELS, made: Made): Promise<void> {
  const { pdf, place, signedBytes } = made;
  const file = authority.path('judged.pdf');
  writeFileSync(file, pdf);
  for (const password of [USER, OWNER]) {
    const checked = printed('qpdf', ['--check', `--password=${password}`, file]);
    t.match(checked, /No syntax or stream encoding errors found/, 'qpdf');
    const drawn = printed('mutool', ['draw', '-q', '-F', 'txt', '-p', password, file]);
    t.match(drawn, /หนังสือรับรองยอด/, 'mutool');
    const option = password === USER ? '-upw' : '-opw';
    const verdict = await pdfsig(authority, pdf, [option, password]);
    t.match(verdict, /Signature is Valid/);
    t.match(verdict, /Certificate is Trusted/);
  }
  t.match(printed('qpdf', ['--show-encryption', `--password=${USER}`, file]), /AESv3/);
  for (const password of [OTHER, '']) {
    t.equal(printed('qpdf', ['--check', `--password=${password}`, file]), '', 'no other password');
    t.equal(printed('mutool', ['draw', '-q', '-F', 'txt', '-p', password, file]), '');
    await t.rejects(pdfsig(authority, pdf, ['-upw', password]), 'nor pdfsig');
  }
  t.equal(opensslVerify(authority, pdf, place, signedBytes), 0, 'openssl cms -verify');
  const [own] = await verifyFile(pdf, anchors);
  const after = level === 'B-LT' ? 'validation data' : 'nothing';
  t.match(own, { isIntact: true, isTrusted: true, level, after });
}

const DOCUMENTS = {
  'as a table, readable': {},
  'with objects in streams': { document: { compress: true, tagged: true } },
  'with a field on the page': {
    more: { signatureField: { x: 340, y: 700, width: 200, height: 60, reason: 'ออกให้ {{name}}' } },
    document: { compress: true },
  },
} as const;

for (const level of ['B-B', 'B-LT'] as const) {
  for (const [name, shape] of Object.entries(DOCUMENTS)) {
    t.test(`${level}, ${name}: opened by its passwords alone, and valid`, async (t) => {
      await judge(t, level, await make(level, shape));
    });
  }
  t.test(`${level}, protected by the program`, async (t) => {
    await judge(t, level, await make(level, { by: PROGRAMS.program }));
  });
}

t.test('validation data is in clear, and readers of the store find it', async (t) => {
  const { pdf } = await make('B-LT');
  const file = authority.path('store.pdf');
  writeFileSync(file, pdf);
  const json = printed('qpdf', ['--json', `--password=${USER}`, file]);
  const { qpdf } = JSON.parse(json) as { qpdf: [unknown, Record<string, { value?: object }>] };
  const values = Object.values(qpdf[1]).map(({ value }) => value as Record<string, unknown>);
  const dss = values.find((value) => value?.['/Type'] === '/DSS');
  const certificates = dss?.['/Certs'] as readonly string[];
  t.equal(certificates.length, 4);
  for (const reference of certificates) {
    const number = reference.split(' ', 1)[0] ?? '';
    const der = authority.path('certificate.der');
    const words = ['show', '-b', '-p', USER, '-o', der, file, number];
    t.equal(spawnSync('mutool', words).status, 0);
    t.match(printed('openssl', ['x509', '-inform', 'DER', '-in', der, '-subject']), /subject/);
    const shown = spawnSync('qpdf', [
      `--password=${USER}`,
      `--show-object=${number}`,
      '--filtered-stream-data',
      file,
    ]);
    writeFileSync(der, shown.stdout);
    t.match(printed('openssl', ['x509', '-inform', 'DER', '-in', der, '-subject']), /subject/);
  }
});

t.test('texts of the signature are encrypted, its value is not', async (t) => {
  const { pdf } = await make('B-B', DOCUMENTS['with a field on the page']);
  const text = Buffer.from(pdf).toString('latin1');
  t.notMatch(text, /\/M ?\(D:2026/, 'the time');
  t.notMatch(text, /Signature1/, 'the name of the field');
  t.match(text, /\/ByteRange \[ 0 \d+ +\d+ +\d+ +\] \/Contents <3082/);
});

t.test('a protected document without room is not signed', async (t) => {
  const { pdf, signature } = await render(shareTemplate(sampleTemplate({})), SAMPLE_DATA, {
    signature: { isAsked: true, bytesMax: 2_000, signer: 'Bank' },
  });
  if (signature === undefined) throw new Error('no place for a signature');
  const lost = { protect: () => Promise.resolve({ ok: true as const, value: new Uint8Array(9) }) };
  const outcome = await protectToSign(lost, pdf, PROTECTION, signature);
  t.match(outcome, { ok: false, code: 'internal_error' });
});

t.test('archive documents are signed, and not protected', async (t) => {
  const template = shareTemplate(sampleTemplate({ archive: 'PDF/A-3u' }));
  const signature = { isAsked: true, bytesMax: 2_000, signer: 'Bank' };
  const refused = await tryRender(template, SAMPLE_DATA, { signature, isProtected: true });
  t.match(refused, { ok: false, code: 'bad_request' });
});

import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import t from 'tap';
import { readSigners, SignersError } from '../../src/sign/signers.ts';
import { signPdf } from '../../src/sign/sign-pdf.ts';
import { SigningError } from '../../src/sign/signing-error.ts';
import { createSigning, type Signing } from '../../src/sign/signing.ts';
import type { RenderedDocument } from '#engine';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { faultsOf, render, shareTemplate, tryRender } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { opensslVerify, pdfsig, timeStampVerify } from './judges.ts';

/** poppler and OpenSSL verify signatures under a certification authority of the test. */

const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
const RSA = ['rsa:3072'];
const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const LOG = pino({ level: 'silent' });
const TEMPLATE = shareTemplate(sampleTemplate({}));

const authority = new Authority(t.testdir());
authority.issue('rsa', RSA, SIGNING);
authority.issue('ec', EC, SIGNING);
writeFileSync(authority.path('token'), 'token of the signer\n');

async function signingBy(entry: object): Promise<Signing> {
  const path = authority.path('signers.json');
  writeFileSync(path, JSON.stringify({ teams: { bank: entry } }));
  return createSigning(await readSigners(path), LOG);
}

function byFile(name: string, more: object = {}): object {
  return { pkcs12: `${name}.p12`, passwordFile: 'password', ...more };
}

async function awaiting(signing: Signing, template = TEMPLATE): Promise<RenderedDocument> {
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  return render(template, SAMPLE_DATA, { signature });
}

async function signed(signing: Signing, template = TEMPLATE): Promise<RenderedDocument> {
  const document = await awaiting(signing, template);
  if (document.signature === undefined) throw new Error('no place for a signature');
  const outcome = await signing.sign('bank', document.pdf, document.signature);
  if (!outcome.ok) throw new Error(outcome.code);
  return document;
}

const withoutProofs = (): Promise<never> => Promise.reject(new SigningError('no long-term data'));

const NOWHERE = { from: 0, to: 0, catalogAt: 0 };

/** The exit code of OpenSSL: 0 when the signature is valid for the signed bytes. */
function verifies({ pdf, signature = NOWHERE }: RenderedDocument): number | null {
  return opensslVerify(authority, pdf, signature);
}

for (const name of ['rsa', 'ec'] as const) {
  t.test(`a key of a PKCS#12 file signs (${name})`, async (t) => {
    const signing = await signingBy(byFile(name));
    const times = [`${name}.pem`, 'ca.pem'].map((file) => {
      return Date.parse(new X509Certificate(authority.read(file)).validTo);
    });
    t.equal(signing.expiresAtMs, Math.min(...times), 'the first of the chain expires');
    const document = await signed(signing);
    t.equal(verifies(document), 0, 'openssl cms -verify');
    const verdict = await pdfsig(authority, document.pdf);
    t.match(verdict, /Signature is Valid/);
    t.match(verdict, /Certificate is Trusted/);
    t.match(verdict, /Signature Type: ETSI\.CAdES\.detached/);
    t.match(verdict, /Total document signed/);
    t.match(verdict, new RegExp(`Common Name: ${name}`));
    t.equal(faultsOf(authority.path('a.pdf'), document.pdf), '');
  });

  t.test(`a signature in the place of a longer one leaves nothing of that (${name})`, async (t) => {
    const document = await awaiting(await signingBy(byFile(name)));
    const signer = (await readSigners(authority.path('signers.json'))).get('bank');
    const { pdf, signature: place } = document;
    if (signer === undefined || place === undefined) throw new Error('nothing to sign');
    await t.rejects(signPdf(pdf, place, signer, withoutProofs), { name: 'SigningError' });
    pdf.fill(0x66, place.from + 1, place.to - 1);
    await signPdf(pdf, place, signer);
    const room = Buffer.from(pdf.subarray(place.from, place.to)).toString('latin1');
    t.match(room, /^<[0-9a-f]+0{1000}>$/);
    t.equal(verifies(document), 0, 'openssl cms -verify');
  });

  t.test(`a signer behind HTTP signs by the digest alone (${name})`, async (t) => {
    const seen: Buffer[] = [];
    const url = await authority.remote(t, name, seen);
    const entry = { url, certificates: `${name}.chain.pem`, tokenFile: 'token' };
    const document = await signed(await signingBy(entry));
    t.equal(verifies(document), 0);
    t.match(await pdfsig(authority, document.pdf), /Signature is Valid/);
    t.equal(seen.length, 1);
    t.strictSame(Object.keys(JSON.parse(String(seen[0])) as object), ['algorithm', 'digest']);
  });
}

t.test('any byte changed after signing invalidates the signature', async (t) => {
  const { pdf, signature: place = NOWHERE } = await signed(await signingBy(byFile('ec')));
  const { from, to } = place;
  const places = [9, 200, from - 40, to + 3, pdf.length - 12];
  for (const at of places) {
    const spoilt = pdf.slice();
    spoilt[at] = (spoilt[at] ?? 0) ^ 1;
    t.notOk(opensslVerify(authority, spoilt, place) === 0, `byte ${at}`);
  }
});

t.test('a time stamp is part of the signature', async (t) => {
  const timeStampUrl = await authority.timeStamps(t);
  const document = await signed(await signingBy(byFile('rsa', { timeStampUrl })));
  t.equal(verifies(document), 0);
  t.match(await pdfsig(authority, document.pdf), /Signature is Valid[^]*Certificate is Trusted/);
  const place = document.signature ?? NOWHERE;
  t.match(timeStampVerify(authority, document.pdf, place), /Verification: OK/);
  const words = ['cms', '-cmsout', '-print', '-inform', 'DER', '-in', 'cms'];
  const printed = spawnSync('openssl', words, { cwd: authority.folder }).stdout.toString();
  t.match(printed, /id-smime-aa-timeStampToken/);
  t.match(printed, /id-smime-aa-signingCertificateV2/);
});

async function attempt(entry: object): ReturnType<Signing['sign']> {
  const signing = await signingBy(entry);
  const { pdf, signature } = await awaiting(signing);
  return signing.sign('bank', pdf, signature ?? NOWHERE);
}

t.test('a failure to sign delivers no document', async (t) => {
  const unavailable = { ok: false, code: 'signing_unavailable' };
  const away = 'http://127.0.0.1:1/';
  t.match(
    await attempt(byFile('rsa', { timeStampUrl: away })),
    unavailable,
    'no authority answers',
  );
  const spoilt = await authority.timeStamps(t, () => Buffer.from('no token'));
  t.match(
    await attempt(byFile('rsa', { timeStampUrl: spoilt })),
    unavailable,
    'it answers nonsense',
  );
  const remote = { certificates: 'rsa.chain.pem', tokenFile: 'token' };
  t.match(await attempt({ ...remote, url: away }), unavailable, 'no signer answers');
  const url = await authority.remote(t, 'ec', []);
  t.match(await attempt({ ...remote, url }), unavailable, 'it signs with another key');
  t.match(await attempt({ ...remote, url, tokenFile: 'password' }), unavailable, 'it refuses');
});

t.test('a bad or missing answer of a signer behind HTTP never becomes a signature', async (t) => {
  const unavailable = { ok: false, code: 'signing_unavailable' };
  const answers: ((response: ServerResponse) => void)[] = [
    ...[
      'null',
      '[]',
      '{}',
      '{"signature": 1}',
      '{"signature": ""}',
      '{"signature": "AAAA"}',
      '',
    ].map((text) => (response: ServerResponse) => void response.end(text)),
    (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    (response) => void response.writeHead(500).end('{"signature": "AAAA"}'),
    (response) => void response.end(Buffer.alloc(70_000, 'A')),
    (response) => response.socket?.destroy(),
    // It accepts the request and never responds, or never ends its response.
    () => undefined,
    (response) => void response.write('{"signature": "'),
  ];
  for (const [index, answer] of answers.entries()) {
    const url = await authority.answering(t, answer);
    const entry = { url, certificates: 'ec.chain.pem', timeoutMs: index < 11 ? 60_000 : 300 };
    t.match(await attempt(entry), unavailable, `answer ${index}`);
  }
});

t.test('signed archive documents keep their level', async (t) => {
  const signing = await signingBy(byFile('ec'));
  for (const level of ['2u', '3a'] as const) {
    const template = shareTemplate(sampleTemplate({ archive: `PDF/A-${level}` }));
    const document = await signed(signing, template);
    t.strictSame(findViolations(document.pdf, level), []);
    if (level === '3a') t.strictSame(findViolations(document.pdf, 'ua'), []);
    t.match(await pdfsig(authority, document.pdf), /Signature is Valid/);
  }
});

t.test('a template may require a signature; without one no document is delivered', async (t) => {
  const template = shareTemplate(sampleTemplate({ signature: true }));
  const room = { isAsked: false, bytesMax: 5_000, signer: 'bank' };
  t.ok((await render(template, SAMPLE_DATA, { signature: room })).signature);
  t.match(await tryRender(template, SAMPLE_DATA), { ok: false, code: 'signing_unavailable' });
  const both = await tryRender(template, SAMPLE_DATA, { signature: room, isProtected: true });
  t.match(both, { ok: true }, 'passwords and a signature go together');
  t.notOk((await render(TEMPLATE, SAMPLE_DATA, { signature: room })).signature);
});

t.test('a signed document is attached without its signature', async (t) => {
  const { pdf } = await signed(await signingBy(byFile('ec')));
  const merged = await render(TEMPLATE, SAMPLE_DATA, { attachments: [pdf] });
  t.notMatch(Buffer.from(merged.pdf).toString('latin1'), /\/Type\/Sig/);
  t.equal(faultsOf(authority.path('m.pdf'), merged.pdf), '');
});

t.test(
  'a refused signers file is reported by the place of its fault, never with a secret',
  async (t) => {
    const cases: [object, RegExp][] = [
      [{}, /teams\/bank|teams/],
      [{ pkcs12: 'rsa.p12' }, /teams/],
      [{ pkcs12: 'rsa.p12', passwordFile: 'token' }, /teams\.bank: .*password is wrong/],
      [{ pkcs12: 'ca.pem', passwordFile: 'password' }, /teams\.bank/],
      [{ url: 'https://a', certificates: 'password' }, /certificates: no certificate/],
    ];
    for (const [entry, wanted] of cases) {
      const wrong = await signingBy(entry).catch((error: unknown) => error);
      t.ok(wrong instanceof SignersError);
      t.match(String(wrong), wanted);
      t.notMatch(String(wrong), /secret of the file|token of the signer/);
    }
  },
);

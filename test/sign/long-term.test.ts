import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning, type Signing } from '../../src/sign/signing.ts';
import type { SignaturePlace } from '#engine';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { faultsOf, render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { opensslVerify, pdfsig, timeStampVerify } from './judges.ts';

/**
 * PAdES B-LT: a signed document carries the proofs that its certificates were valid (ETSI EN 319
 * 142-1).
 */

const authority = new Authority(t.testdir());
const revocation = await authority.revocation(t);
const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
const OCSP = `authorityInfoAccess=OCSP;URI:${revocation.url}`;
const CRL = `crlDistributionPoints=URI:${revocation.url}ca.crl`;
authority.issue('ocsp-only', ['rsa:2048'], `${SIGNING}\n${OCSP}`);
authority.issue('crl-only', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], `${SIGNING}\n${CRL}`);
authority.issue('silent', ['rsa:2048'], SIGNING);
const timeStampUrl = await authority.timeStamps(t, undefined, OCSP);
/** The authority runs in this process, on a machine that may be busy. */
const timeoutMs = 60_000;
const TEMPLATE = shareTemplate(sampleTemplate({}));

interface Signed {
  readonly pdf: Uint8Array;
  readonly place: SignaturePlace;
  /** Bytes before the update. */
  readonly length: number;
}

const reasons: string[] = [];
const LOG = pino({ level: 'warn' }, { write: (line) => void reasons.push(line) });

async function signingBy(name: string, longTerm: object = {}): Promise<Signing> {
  const path = authority.path('signers.json');
  const entry = {
    pkcs12: `${name}.p12`,
    passwordFile: 'password',
    timeStampUrl,
    longTerm,
    timeoutMs,
  };
  writeFileSync(path, JSON.stringify({ teams: { bank: entry } }));
  return createSigning(await readSigners(path), LOG);
}

async function attempt(signing: Signing, template = TEMPLATE): Promise<Signed | null> {
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const document = await render(template, SAMPLE_DATA, { signature });
  if (document.signature === undefined) throw new Error('no place for a signature');
  const outcome = await signing.sign('bank', document.pdf, document.signature);
  if (!outcome.ok) return null;
  const { pdf } = outcome.value;
  return { pdf, place: document.signature, length: document.pdf.length };
}

async function sign(signing: Signing, template = TEMPLATE): Promise<Signed> {
  const signed = await attempt(signing, template);
  if (signed === null) throw new Error(reasons.at(-1));
  return signed;
}

for (const [name, wanted] of [
  ['ocsp-only', { OCSPs: 2, CRLs: 0 }],
  ['crl-only', { OCSPs: 1, CRLs: 1 }],
] as const) {
  t.test(`every certificate has its proof, and readers accept the file (${name})`, async (t) => {
    const { pdf, place, length } = await sign(await signingBy(name));
    t.equal(opensslVerify(authority, pdf, place, length), 0, 'openssl cms -verify');
    t.match(timeStampVerify(authority, pdf, place), /Verification: OK/);
    const verdict = await pdfsig(authority, pdf);
    t.match(verdict, /Signature is Valid/);
    t.match(verdict, /Certificate is Trusted/);
    t.equal(faultsOf(authority.path('a.pdf'), pdf), '');
    const json = spawnSync('qpdf', ['--json', authority.path('a.pdf')]).stdout.toString();
    const { qpdf } = JSON.parse(json) as { qpdf: [unknown, Record<string, { value?: object }>] };
    const dss = Object.values(qpdf[1]).find(
      ({ value }) => value !== undefined && '/Type' in value && value['/Type'] === '/DSS',
    )?.value as Record<string, unknown[]>;
    t.equal(dss['/OCSPs']?.length ?? 0, wanted.OCSPs);
    t.equal(dss['/CRLs']?.length ?? 0, wanted.CRLs);
    // The signer's, the time-stamp authority's, the responder's and the authority's.
    t.equal(dss['/Certs']?.length, 4);
  });
}

t.test('archive documents keep their level, with objects in streams and without', async (t) => {
  const signing = await signingBy('ocsp-only');
  for (const [archive, compress] of [
    ['2u', false],
    ['3a', true],
  ] as const) {
    const signatureField = { x: 340, y: 700, width: 200, height: 60 };
    const keys = { archive: `PDF/A-${archive}`, signatureField };
    const template = shareTemplate(sampleTemplate(keys, { compress }));
    const { pdf } = await sign(signing, template);
    t.strictSame(findViolations(pdf, archive), []);
    t.equal(faultsOf(authority.path('a.pdf'), pdf), '');
    const merged = await render(TEMPLATE, SAMPLE_DATA, { attachments: [pdf] });
    t.equal(faultsOf(authority.path('m.pdf'), merged.pdf), '');
    t.notMatch(Buffer.from(merged.pdf).toString('latin1'), /\/Type\/(Sig|DSS)/);
  }
});

t.test('an answer is reused, also by documents signed at the same time', async (t) => {
  const before = revocation.asked.ocsp;
  const signing = await signingBy('ocsp-only');
  await Promise.all([sign(signing), sign(signing)]);
  await sign(signing);
  t.equal(revocation.asked.ocsp - before, 2, 'one for each certificate');
  const eager = await signingBy('ocsp-only', { ageSeconds: 0 });
  await sign(eager);
  await sign(eager);
  t.equal(revocation.asked.ocsp - before, 6);
});

t.test('a file may give the proof when a certificate has no address', async (t) => {
  authority.crl();
  const before = { ...revocation.asked };
  const { pdf } = await sign(await signingBy('silent', { files: ['ca.crl'] }));
  t.match(Buffer.from(pdf).toString('latin1'), /\/Type\/DSS\/Certs\[.*\]\/CRLs\[/);
  t.strictSame(revocation.asked, before, 'nobody was asked');
});

t.test('without a proof there is no signature', async (t) => {
  t.equal(await attempt(await signingBy('silent')), null);
  t.match(reasons.at(-1), /no source says whether certificate [0-9a-f]+ is revoked/);
  t.equal(await attempt(await signingBy('silent', { files: ['ca.pem', 'away'] })), null);
  revocation.isUp = false;
  t.equal(await attempt(await signingBy('ocsp-only')), null);
  t.equal(await attempt(await signingBy('crl-only')), null);
  revocation.isUp = true;
  t.notMatch(reasons.join(''), /127\.0\.0\.1/, 'no address in the log');
});

t.test('a revoked certificate signs nothing', async (t) => {
  for (const name of ['ocsp-only', 'crl-only']) {
    authority.revoke(name);
    t.equal(await attempt(await signingBy(name)), null);
    t.match(reasons.at(-1), /is revoked/);
  }
});

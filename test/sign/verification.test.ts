import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { asCertificate } from '../../src/sign/long-term/revocation.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { readSignedFile } from '../../src/sign/verification/signed-file.ts';
import { type Verdict, verifyFile } from '../../src/sign/verification/verify-signature.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { Nss } from './foreign/nss.ts';

/** What `./intaglio verify` says about signatures of unchanged and of changed files. */

const authority = new Authority(t.testdir());
const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
authority.issue('rsa', ['rsa:2048'], SIGNING);
authority.issue('ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], SIGNING);
const timeStampUrl = await authority.timeStamps(t);
authority.crl();
const anchors = [asCertificate(new X509Certificate(authority.read('ca.pem')))];

async function sign(name: string, more: object, document: object = {}): Promise<Uint8Array> {
  const path = authority.path('signers.json');
  const bank = { pkcs12: `${name}.p12`, passwordFile: 'password', timeoutMs: 60_000, ...more };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const template = shareTemplate(sampleTemplate({ archive: 'PDF/A-3a' }, document));
  const made = await render(template, SAMPLE_DATA, { signature });
  const place = made.signature ?? { from: 0, to: 0, catalogAt: 0 };
  const outcome = await signing.sign('bank', made.pdf, place);
  if (!outcome.ok) throw new Error(outcome.code);
  return outcome.value.pdf;
}

async function judge(pdf: Uint8Array, trusted = anchors): Promise<Verdict | null> {
  return (await verifyFile(pdf, trusted))[0] ?? null;
}

/** Whether a verdict reports no change at all. */
function isWhole(verdict: Verdict | null, level: Verdict['level']): boolean {
  if (verdict === null || verdict.level !== level) return false;
  const { isIntact, after, isTrusted, timeStamp } = verdict;
  const stamped = timeStamp === null || (timeStamp.isIntact && timeStamp.isTrusted === true);
  return isIntact && after !== 'changes' && isTrusted === true && stamped;
}

/** Bytes changed in each test; INTAGLIO_CHANGED_BYTES sets more. */
const COUNT = Number(process.env['INTAGLIO_CHANGED_BYTES'] ?? 40);
const LONG_TERM = { timeStampUrl, longTerm: { files: ['ca.crl'] } };
const CASES = [
  { level: 'B-B', name: 'rsa', more: {}, after: 'nothing' },
  { level: 'B-T', name: 'ec', more: { timeStampUrl }, after: 'nothing' },
  { level: 'B-LT', name: 'ec', more: LONG_TERM, after: 'validation data' },
] as const;

for (const { level, name, more, after } of CASES) {
  t.test(`${level}: an unchanged file has a valid signature`, async (t) => {
    for (const compress of [true, false]) {
      const pdf = await sign(name, more, { compress });
      const wanted = { isIntact: true, after, level, signer: `CN=${name}` };
      const serialNumber = authority.serialOf(name);
      t.match(await judge(pdf), { ...wanted, serialNumber, isTrusted: true });
      t.match(await judge(pdf, []), { ...wanted, isTrusted: null });
      const timeStamp = (await judge(pdf))?.timeStamp ?? null;
      if (level === 'B-B') t.equal(timeStamp, null);
      else t.match(timeStamp, { isIntact: true, authority: 'CN=tsa', isTrusted: true });
    }
  });

  t.test(`${level}: any changed byte is reported`, async (t) => {
    const pdf = await sign(name, more);
    t.ok(isWhole(await judge(pdf), level));
    const { from = 0, to = 0 } = readSignedFile(pdf).signatures[0] ?? {};
    const unreported: number[] = [];
    const step = pdf.length / COUNT;
    for (let place = Math.random() * step; place < pdf.length; place += step) {
      const at = Math.floor(place);
      const spoilt = Uint8Array.from(pdf);
      spoilt[at] = (spoilt[at] ?? 0) ^ 1;
      if (isWhole(await judge(spoilt), level)) unreported.push(at);
    }
    // Inside the room of the signature, nothing covers the container around what is signed: lengths,
    // version numbers, identifiers that are there twice. They are 167 of its 8,027 digits (B-T, every
    // digit tried), so that 40 places hit 0.1 of them on average, and four in one of a million runs.
    const isInside = (at: number): boolean => at >= from && at < to;
    t.strictSame(
      unreported.filter((at) => !isInside(at)),
      [],
    );
    t.ok(unreported.length <= 3 + COUNT / 100, `${unreported.length} in the room of the signature`);
    for (const longer of ['\n', '%', '1 0 obj\n<<>>\nendobj\n']) {
      const verdict = await judge(Buffer.concat([pdf, Buffer.from(longer)]));
      t.match(verdict, { after: 'changes' });
    }
  });
}

t.test('an update that changes pages does not count as validation data', async (t) => {
  const pdf = await sign('ec', LONG_TERM, { compress: false });
  const text = Buffer.from(pdf).toString('latin1');
  const changed = Buffer.from(
    text.replace(/(\/Extensions<<\/ESIC.*\n)/, '/PageMode/UseNone$1'),
    'latin1',
  );
  t.notOk(changed.equals(pdf));
  t.match(await judge(changed), { isIntact: true, after: 'changes' });
});

t.test('signatures by other programs after that of the service are listed', async (t) => {
  const nss = new Nss(authority, 'rsa');
  const faults: string[] = [];
  const later = { after: 'signatures', faults };
  const whole = { after: 'nothing', faults };
  for (const compress of [true, false]) {
    const own = await sign('ec', LONG_TERM, { compress });
    const two = nss.sign(own, 'rsa');
    t.match(await verifyFile(two, anchors), [{ ...later, level: 'B-LT' }, whole]);
    const three = nss.sign(two, 'rsa');
    t.match(await verifyFile(three, anchors), [{ ...later, level: 'B-LT' }, later, whole]);
    // Nothing beside the signatures was changed, which a change of one byte shows.
    const at = three.indexOf('/Annots', own.length);
    three.write('/Annotx', at, 'latin1');
    t.match(await verifyFile(three, anchors), [{ after: 'changes', faults: ['changes'] }, {}, {}]);
  }
  const { pdf } = await render(shareTemplate(sampleTemplate({})), SAMPLE_DATA);
  t.match(await verifyFile(nss.sign(pdf, 'rsa'), anchors), [whole]);
});

t.test('an authority that is not trusted is reported', async (t) => {
  const other = new Authority(t.testdir());
  const stranger = [asCertificate(new X509Certificate(other.read('ca.pem')))];
  t.match(await judge(await sign('rsa', { timeStampUrl }), stranger), {
    isIntact: true,
    isTrusted: false,
    timeStamp: { isIntact: true, isTrusted: false },
  });
});

t.test('a file without a signature has none', async (t) => {
  const { pdf } = await render(shareTemplate(sampleTemplate({})), SAMPLE_DATA);
  t.strictSame(await verifyFile(pdf, []), []);
  const text = '/ByteRange[0 1 3 2]<>';
  t.strictSame(await verifyFile(Buffer.from(text), []), []);
});

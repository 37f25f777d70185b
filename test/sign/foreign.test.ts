import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { asCertificate } from '../../src/sign/long-term/revocation.ts';
import { verifyFile } from '../../src/sign/verification/verify-signature.ts';
import { Authority } from './authority.ts';
import { issueAll } from './foreign/certificates.ts';
import { foreignCms, movedRanges, shadowUpdates, wrongUsages } from './foreign/forgeries.ts';
import { hiddenUpdates } from './foreign/hidden.ts';
import { JAVA_SAMPLES, opensslSamples } from './foreign/genuine.ts';
import { oddUpdates } from './foreign/odd-updates.ts';
import { type Sample, Workshop } from './foreign/samples.ts';
import { fuzzUpdates } from './update-fuzz.ts';

/** Files that other programs signed, and forged ones: each is judged as the tables say. */

const authority = new Authority(t.testdir());
issueAll(authority);
const shop = new Workshop(authority);
const anchors = [authority.read('ca.pem'), read('java-ca.pem')].map((pem) =>
  asCertificate(new X509Certificate(pem)),
);

function read(name: string): Buffer {
  return readFileSync(new URL(`foreign/files/${name}`, import.meta.url));
}

async function judge(t: Test, samples: readonly Sample[]): Promise<void> {
  for (const { name, pdf, signatures } of samples) {
    const verdicts = await verifyFile(pdf, anchors);
    const told = verdicts.map(({ faults, ...rest }) => ({ ...rest, faults: faults.join() }));
    const wanted = signatures.map(({ faults, notes = [], ...rest }) => {
      return { ...rest, notes, ...(faults === undefined ? {} : { faults: faults.join() }) };
    });
    t.match(told, wanted, name);
    t.equal(told.length, wanted.length, `${name}: number of signatures`);
  }
}

const byOpenssl = opensslSamples(shop);
/** The genuine files that the tables have at least, so that none goes missing unnoticed. */
const GENUINE_MIN = 40;

t.test('files that OpenSSL signed are valid', async (t) => judge(t, byOpenssl));
t.test('files that PDFBox signed are valid', async (t) => judge(t, JAVA_SAMPLES));
t.test('the tables have at least 40 different genuine files', async (t) => {
  const names = new Set([...byOpenssl, ...JAVA_SAMPLES].map(({ name }) => name));
  t.ok(names.size >= GENUINE_MIN, `${names.size} files`);
});
t.test('a CMS of another file signs nothing', async (t) => judge(t, foreignCms(shop)));
t.test('a moved range or a spoilt room is named', async (t) => judge(t, movedRanges(shop)));
t.test('updates that change the document are named', async (t) => judge(t, shadowUpdates(shop)));
t.test('what an update hides is named', async (t) => judge(t, hiddenUpdates(shop)));
t.test('wrong usages, times and digests are named', async (t) => judge(t, wrongUsages(shop)));
t.test('updates that readers understand differently are changes', async (t) =>
  judge(t, oddUpdates(shop)),
);
t.test('random updates: a file that counts as signed shows what was signed', async (t) => {
  const { valid, wrong } = await fuzzUpdates(60, Math.floor(Math.random() * 1e6));
  t.strictSame(wrong, []);
  t.comment(`${valid} of 60 count as signed`);
});

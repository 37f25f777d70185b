import { readFileSync } from 'node:fs';
import type { Expected, Sample, Workshop } from './samples.ts';
import { NEW_YEAR_MS } from './samples.ts';
import { asBer, stamped } from './cms-maker.ts';
import { crlOf } from './certificates.ts';

const WHOLE = { after: 'nothing', faults: [] } as const;
const SIGNED_LATER = { after: 'signatures', faults: [] } as const;

/** Files that OpenSSL signed, in DER and BER, with one, two and three signatures. */
export function opensslSamples(shop: Workshop): readonly Sample[] {
  const samples: Sample[] = [];
  const add = (name: string, pdf: Uint8Array, ...signatures: readonly Expected[]): void =>
    void samples.push({ name, pdf, signatures });
  for (const key of ['rsa', 'p256', 'p384', 'p521']) {
    for (const [words, level] of [
      [['-cades'], 'B-B'],
      [[], 'CMS'],
    ] as const) {
      const signed = { ...WHOLE, level };
      add(`${key} ${level} DER`, shop.signed(key, words).bytes, signed);
      const ber = shop.plain().sign((content) => asBer(shop.cms(key, content, words)));
      add(`${key} ${level} BER`, ber.bytes, signed);
    }
  }
  for (const [key, digest] of [
    ['rsa', 'sha384'],
    ['rsa', 'sha512'],
    ['p256', 'sha384'],
    ['p521', 'sha512'],
  ] as const) {
    add(`${key} ${digest}`, shop.signed(key, ['-cades', '-md', digest]).bytes, WHOLE);
  }
  const pss = ['-cades', '-keyopt', 'rsa_padding_mode:pss'];
  add('RSA-PSS', shop.signed('rsa', pss).bytes, WHOLE);
  add('no key usage', shop.signed('plain-usage').bytes, WHOLE);
  add('e-mail protection', shop.signed('mail').bytes, WHOLE);
  const two = shop.again(shop.signed('rsa'), 'p256');
  add('two signatures', two.bytes, SIGNED_LATER, WHOLE);
  const three = shop.again(two, 'p521');
  add('three signatures', three.bytes, SIGNED_LATER, SIGNED_LATER, WHOLE);
  const shown = shop.signed('rsa').sign((content) => shop.cms('p256', content), {
    appearance: '1 0 0 rg 0 0 9 9 re f',
  });
  add('a second one that shows', shown.bytes, { ...SIGNED_LATER, notes: ['drawn_over'] }, WHOLE);
  samples.push(...stampedSamples(shop));
  return samples;
}

function stampedSamples(shop: Workshop): readonly Sample[] {
  const plain = shop.stamped('p256', 'tsa', NEW_YEAR_MS);
  const old = shop.stamped('expired', 'tsa-old', Date.UTC(2020, 5, 1));
  const crl = crlOf(shop.authority, []);
  const ber = shop
    .plain()
    .sign((content) =>
      asBer(stamped(shop.cms('rsa', content), (value) => shop.token('tsa', value, NEW_YEAR_MS))),
    );
  const stamp = shop
    .signed('p256')
    .sign((content) => shop.token('tsa', content, NEW_YEAR_MS), { subFilter: 'ETSI.RFC3161' });
  return [
    { name: 'time stamp', pdf: plain.bytes, signatures: [{ ...WHOLE, level: 'B-T' }] },
    { name: 'expired since the stamp', pdf: old.bytes, signatures: [{ ...WHOLE, level: 'B-T' }] },
    { name: 'time stamp BER', pdf: ber.bytes, signatures: [{ ...WHOLE, level: 'B-T' }] },
    {
      name: 'validation data by another program',
      pdf: shop.withStore(plain, [crl]).bytes,
      signatures: [{ after: 'validation data', faults: [], level: 'B-LT' }],
    },
    {
      name: 'validation data, then a second signature',
      pdf: shop.again(shop.withStore(plain, [crl]), 'rsa').bytes,
      signatures: [{ ...SIGNED_LATER, level: 'B-LT' }, WHOLE],
    },
    {
      name: 'a time stamp of the file',
      pdf: stamp.bytes,
      signatures: [SIGNED_LATER, { ...WHOLE, level: 'time stamp' }],
    },
  ];
}

const JAVA: readonly (readonly [string, readonly Expected[]])[] = [
  ['java-rsa-ber', [WHOLE]],
  ['java-rsa-der', [WHOLE]],
  ['java-p256-ber', [WHOLE]],
  ['java-p521-ber', [WHOLE]],
  ['java-p384-der', [WHOLE]],
  ['java-rsa-sha512', [WHOLE]],
  ['java-two-p521', [SIGNED_LATER, WHOLE]],
  ['java-four', [SIGNED_LATER, SIGNED_LATER, SIGNED_LATER, WHOLE]],
  ['java-two', [SIGNED_LATER, WHOLE]],
  ['java-three', [SIGNED_LATER, SIGNED_LATER, WHOLE]],
];

/** Files that PDFBox and BouncyCastle signed (PdfBoxSigner.java). */
export const JAVA_SAMPLES: readonly Sample[] = JAVA.map(([name, signatures]) => ({
  name,
  pdf: readFileSync(new URL(`files/${name}.pdf`, import.meta.url)),
  signatures,
}));

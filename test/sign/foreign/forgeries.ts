import { OctetString } from 'asn1js';
import type { Fault } from '../../../src/sign/verification/faults.ts';
import { asBer, rewritten, stamped, wrapped } from './cms-maker.ts';
import { crlOf } from './certificates.ts';
import { lastPlace, MadePdf, PAGE } from './made-pdf.ts';
import type { Expected, Sample, Workshop } from './samples.ts';
import { NEW_YEAR_MS, streamOf } from './samples.ts';

const WHOLE: Expected = { after: 'nothing', faults: [] };
const CHANGED: Expected = { after: 'changes', faults: ['changes'] };
const UNREADABLE: Expected = { faults: ['unreadable'] };

function only(...faults: readonly Fault[]): Expected {
  return { faults };
}

/** The bytes that a signature of a file covers, and its CMS. */
function partsOf(made: MadePdf): { readonly signed: Buffer; readonly cms: Buffer } {
  const { from, to } = lastPlace(made.bytes);
  const signed = Buffer.concat([made.bytes.subarray(0, from), made.bytes.subarray(to)]);
  const room = Buffer.from(made.bytes.toString('latin1', from + 1, to - 1), 'hex');
  return { signed, cms: room.subarray(0, 4 + room.readUInt16BE(2)) };
}

/** A CMS of a genuine file in another file, in many ways. */
export function foreignCms(shop: Workshop): readonly Sample[] {
  const genuine = shop.signed('p256');
  const { signed, cms } = partsOf(genuine);
  const { signed: other, cms: rsa } = partsOf(shop.signed('rsa', []));
  const forged = (made: Buffer): Uint8Array =>
    shop.plain('Pay 999,999 baht').sign(() => made, { room: 9_000 }).bytes;
  const twice = rewritten(cms, (one) => one.signerInfos.push(...one.signerInfos));
  const none = rewritten(cms, (one) => one.signerInfos.splice(0));
  const bare = rewritten(cms, (one) => one.certificates?.splice(0));
  const exchanged = rewritten(cms, ({ signerInfos: [signer] }) => {
    if (signer !== undefined) signer.signature = new OctetString({ valueHex: new ArrayBuffer(64) });
  });
  const cases: [string, Buffer, Fault][] = [
    ['content in the CMS', wrapped(cms, signed), 'content'],
    ['content in the CMS, RSA', wrapped(rsa, other), 'content'],
    ['content in the CMS, BER', asBer(wrapped(cms, signed)), 'content'],
    [
      'content in the CMS, other type',
      wrapped(cms, signed, '1.2.840.113549.1.9.16.1.4'),
      'damaged',
    ],
    ['content in the CMS, empty', wrapped(cms, Buffer.alloc(0)), 'digest'],
    ['a CMS of another file', cms, 'digest'],
    ['a CMS of another file, RSA', rsa, 'digest'],
    ['a CMS of another file, BER', asBer(cms), 'digest'],
    ['two signers', twice, 'signers'],
    ['no signer', none, 'signers'],
    ['no certificate', bare, 'digest'],
    ['another value', exchanged, 'digest'],
  ];
  const samples = cases.map(([name, made, fault]) => ({
    name,
    pdf: forged(made),
    signatures: [{ faults: [fault] }],
  }));
  const attached = shop
    .plain()
    .sign((content) => shop.cms('p256', content, ['-cades', '-nodetach']));
  const value = shop.plain().sign((content) =>
    rewritten(shop.cms('p256', content), ({ signerInfos: [signer] }) => {
      if (signer !== undefined)
        signer.signature = new OctetString({ valueHex: new ArrayBuffer(64) });
    }),
  );
  const bound = shop
    .plain()
    .sign((content) => rewritten(shop.cms('p256', content), (one) => one.certificates?.splice(0)));
  return [
    ...samples,
    { name: 'attached content', pdf: attached.bytes, signatures: [only('content')] },
    { name: 'a value of nobody', pdf: value.bytes, signatures: [only('value')] },
    { name: 'certificate left out', pdf: bound.bytes, signatures: [only('certificate')] },
  ];
}

/** Byte ranges and rooms that were changed. */
export function movedRanges(shop: Workshop): readonly Sample[] {
  const genuine = shop.signed('p256');
  const { bytes } = genuine;
  const text = bytes.toString('latin1');
  const { from, to } = lastPlace(bytes);
  const range = /\/ByteRange\[[^\]]*\]/.exec(text)?.[0] ?? '';
  const rest = bytes.length - to;
  const ranged = (...numbers: readonly number[]): Uint8Array => {
    const made = `/ByteRange[${numbers.join(' ')}`.padEnd(range.length - 1) + ']';
    return Buffer.from(text.replace(range, made), 'latin1');
  };
  const roomed = (change: (hex: string) => string): Uint8Array => {
    const hex = change(text.slice(from + 1, to - 1));
    return Buffer.from(text.slice(0, from + 1) + hex + text.slice(to - 1), 'latin1');
  };
  const hidden = Buffer.from('hidden').toString('hex');
  const cases: [string, Uint8Array, Expected][] = [
    ['range of zeros', ranged(0, 0, 0, 0), UNREADABLE],
    ['range that begins later', ranged(9, from - 9, to, rest), UNREADABLE],
    ['range that leaves out more', ranged(0, from - 9, to, rest), UNREADABLE],
    ['range that leaves out less', ranged(0, from + 1, to, rest), UNREADABLE],
    ['range that is longer than the file', ranged(0, from, to, rest + 9), UNREADABLE],
    ['range of two numbers', ranged(0, from), UNREADABLE],
    ['range with a negative number', ranged(0, from, to, -rest), UNREADABLE],
    ['range that ends earlier', ranged(0, from, to, rest - 9), { faults: ['digest', 'changes'] }],
    ['no range', Buffer.from(text.replace('/ByteRange', '/ByteRangX'), 'latin1'), UNREADABLE],
    ['zeros for the signature', roomed((hex) => hex.replaceAll(/./g, '0')), UNREADABLE],
    ['no digits', roomed((hex) => hex.replaceAll(/./g, 'x')), UNREADABLE],
    [
      'nothing but a head',
      roomed((hex) => `3080${hex.slice(4).replaceAll(/./g, '0')}`),
      UNREADABLE,
    ],
    [
      'data after the signature',
      roomed((hex) => hex.slice(0, -hidden.length) + hidden),
      only('room'),
    ],
    ['digits of both cases', roomed((hex) => hex.replace('a', 'A')), only('room')],
  ];
  return cases.map(([name, pdf, expected]) => ({ name, pdf, signatures: [expected] }));
}

const CONTENT = 'BT /F1 18 Tf 72 700 Td (Pay 999,999 baht) Tj ET';
const STREAM = streamOf(Buffer.from(CONTENT));

/** Updates after the signature that a reader shows. */
export function shadowUpdates(shop: Workshop): readonly Sample[] {
  const signed = shop.signed('p256');
  const ghost = shop.again(shop.plain('Pay 100 baht', true), 'p256');
  const samples = shadows(signed).map(([name, objects]) => ({
    name: `an update changes ${name}`,
    pdf: signed.update(new Map(objects)).bytes,
    signatures: [CHANGED],
  }));
  const filled = ghost.update(new Map([[90, '<</A 1>>']])).bytes;
  const fake = signed.sign(() => Buffer.alloc(40, 0x30), { appearance: CONTENT });
  const both = signed.sign((bytes) => shop.cms('rsa', bytes), {}, new Map([[4, STREAM]]));
  const gap = signed.sign((bytes) => shop.cms('rsa', bytes, ['-cades', '-md', 'sha256'])).bytes;
  const garbage = Buffer.concat([signed.bytes, Buffer.from('1 0 obj\n<<>>\nendobj\n')]);
  const cut = signed.bytes.subarray(0, signed.bytes.length - 3);
  return [
    ...samples,
    { name: 'an update fills a reference', pdf: filled, signatures: [CHANGED] },
    {
      name: 'an update with a false signature',
      pdf: fake.bytes,
      signatures: [CHANGED, UNREADABLE],
    },
    {
      name: 'a second signature over other content',
      pdf: both.bytes,
      signatures: [CHANGED, WHOLE],
    },
    { name: 'bytes at the end', pdf: garbage, signatures: [CHANGED] },
    { name: 'an end that is cut off', pdf: cut, signatures: [UNREADABLE] },
    {
      name: 'a second signature that was changed',
      pdf: flipped(gap, signed.bytes.length + 10),
      signatures: [CHANGED, only('digest')],
    },
    ...[9, 40, 120, 300].map((at) => ({
      name: `byte ${at}`,
      pdf: flipped(signed.bytes, at),
      signatures: [only('digest')],
    })),
  ];
}

/** Updates of a signed file by the name of what they change. */
function shadows(signed: MadePdf): readonly [string, [number, string][]][] {
  const catalog = signed.text(1);
  const page = signed.text(3);
  const next = signed.size;
  const note = `<</Type/Annot/Subtype/FreeText/Rect[50 650 550 750]/Contents(Pay 999,999 baht)>>`;
  const with1 = (more: string): [number, string][] => [[1, catalog.replace(/>>$/, `${more}>>`)]];
  return [
    ['the content of the page', [[4, STREAM]]],
    [
      'the page',
      [
        [3, page.replace('4 0 R', `${next} 0 R`)],
        [next, STREAM],
      ],
    ],
    [
      'the page tree',
      [
        [2, `<</Type/Pages/Kids[${next} 0 R]/Count 1>>`],
        [next, page],
      ],
    ],
    [
      'another page tree',
      [
        [1, catalog.replace('2 0 R', `${next} 0 R`)],
        [next, '<</Type/Pages/Kids[3 0 R]/Count 1>>'],
      ],
    ],
    ['a font', [[5, '<</Type/Font/Subtype/Type1/BaseFont/Courier>>']]],
    [
      'a note',
      [
        [3, page.replace(/\]>>$/, ` ${next} 0 R]>>`)],
        [next, note],
      ],
    ],
    ['no annotations', [[3, `<<${PAGE}>>`]]],
    ['the size of the page', [[3, page.replace('842', '400')]]],
    ['the title', [[6, '<</Title(Another letter)/ModDate(D:20260101000000Z)>>']]],
    ['an action', with1('/OpenAction<</S/URI/URI(http://example.test/)>>')],
    ['layers', with1('/OCProperties<</OCGs[]/D<<>>>>')],
    ['how it opens', with1('/PageMode/FullScreen')],
    ['no form', [[1, catalog.replace(/\/AcroForm<<.*?>>/, '')]]],
    ['an XFA form', [[1, catalog.replace('/SigFlags', '/XFA(x)/SigFlags')]]],
    ['appearances', [[1, catalog.replace('/SigFlags', '/NeedAppearances true/SigFlags')]]],
    [
      'a text field',
      [
        [1, catalog.replace(/\]\/SigFlags/, ` ${next} 0 R]/SigFlags`)],
        [next, '<</FT/Tx/T(x)/V(9)>>'],
      ],
    ],
    ['the field', [[7, signed.text(7).replace('[0 0 0 0]', '[0 0 500 500]')]]],
    ['a key of the store', [...with1(`/DSS ${next} 0 R`), [next, '<</Type/DSS/AA 4 0 R>>']]],
    ['an embedded file', with1('/Names<</EmbeddedFiles<</Names[]>>>>')],
    [
      'a field without its signature',
      [
        [1, catalog.replace(/\]\/SigFlags/, ` ${next} 0 R]/SigFlags`)],
        [next, '<</FT/Sig/T(x)>>'],
      ],
    ],
  ];
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** Name of a certificate, its faults, options of OpenSSL. */
type WrongSigner = readonly [string, readonly Fault[], ...string[]];

/** Certificates, stamps and digests that a signature must not have. */
export function wrongUsages(shop: Workshop): readonly Sample[] {
  const signers: readonly WrongSigner[] = [
    ['encipher', ['usage']],
    ['agree', ['usage']],
    ['web', ['usage']],
    ['tsa', ['usage']],
    ['expired', ['expired', 'untrusted']],
    ['future', ['not_yet_valid', 'untrusted']],
    ['by-leaf', ['untrusted']],
    ['self', ['untrusted']],
    ['sha1', ['weak_digest']],
    ['rsa', ['weak_digest'], '-cades', '-md', 'sha1'],
    ['p256', ['weak_digest'], '-md', 'sha1'],
  ];
  const samples = signers.map(([name, faults, ...words]) => ({
    name: `signed by ${name} ${words.join(' ')}`,
    pdf: shop.signed(name, words.length === 0 ? undefined : words).bytes,
    signatures: [{ faults }],
  }));
  return [
    ...samples,
    ...wrongStamps(shop).map(([name, { bytes }, faults]) => ({
      name: `a stamp ${name}`,
      pdf: bytes,
      signatures: [{ faults }],
    })),
    ...wrongProofs(shop),
  ];
}

function wrongStamps(shop: Workshop): readonly [string, MadePdf, readonly Fault[]][] {
  const dated = Date.UTC(2020, 5, 1);
  return [
    ['by a web server', shop.stamped('p256', 'web', NEW_YEAR_MS), ['stamp_usage']],
    ['by a signer', shop.stamped('p256', 'rsa', NEW_YEAR_MS), ['stamp_usage']],
    [
      'by usage that is not critical',
      shop.stamped('p256', 'tsa-loose', NEW_YEAR_MS),
      ['stamp_usage'],
    ],
    ['by usage among others', shop.stamped('p256', 'tsa-more', NEW_YEAR_MS), ['stamp_usage']],
    [
      'by a stranger',
      shop.stamped('p256', 'self', NEW_YEAR_MS),
      ['stamp_usage', 'stamp_validity', 'stamp_untrusted'],
    ],
    [
      'by an expired authority',
      shop.stamped('p256', 'tsa-expired', NEW_YEAR_MS),
      ['stamp_validity', 'stamp_untrusted'],
    ],
    ['with SHA-1', shop.stamped('p256', 'tsa', NEW_YEAR_MS, 'sha1'), ['stamp_weak_digest']],
    [
      'dated back by a web server',
      shop.stamped('expired', 'web', dated),
      ['stamp_usage', 'stamp_validity', 'stamp_untrusted', 'expired', 'untrusted'],
    ],
    [
      'dated back by a signer',
      shop.stamped('expired', 'p521', dated),
      ['stamp_usage', 'stamp_validity', 'stamp_untrusted', 'expired', 'untrusted'],
    ],
    [
      'before the certificate',
      shop.stamped('p256', 'tsa-old', dated),
      ['not_yet_valid', 'untrusted'],
    ],
    [
      'of another value',
      shop
        .plain()
        .sign((content) =>
          stamped(shop.cms('p256', content), () =>
            shop.token('tsa', Buffer.from('x'), NEW_YEAR_MS),
          ),
        ),
      ['stamp_other_data', 'stamp_signature'],
    ],
  ];
}

function wrongProofs(shop: Workshop): readonly Sample[] {
  const good = shop.stamped('p256', 'tsa', NEW_YEAR_MS);
  const store = (crl: Buffer): Uint8Array => shop.withStore(good, [crl]).bytes;
  const crl = crlOf(shop.authority, ['p256']);
  const stale = crlOf(shop.authority, [], { to: '250601000000Z' });
  const weak = crlOf(shop.authority, [], { digest: 'sha1' });
  const later = { after: 'validation data' } as const;
  return [
    { name: 'a revoked signer', pdf: store(crl), signatures: [{ ...later, faults: ['revoked'] }] },
    {
      name: 'a CRL older than the stamp',
      pdf: store(stale),
      signatures: [{ ...later, faults: [], level: 'B-T', notes: ['stale_proofs'] }],
    },
    {
      name: 'a CRL with SHA-1',
      pdf: store(weak),
      signatures: [{ ...later, faults: [], level: 'B-T', notes: ['weak_proofs'] }],
    },
  ];
}

import { crlOf } from './certificates.ts';
import { type MadePdf, PAGE } from './made-pdf.ts';
import type { Expected, Sample, Workshop } from './samples.ts';
import { NEW_YEAR_MS, streamOf } from './samples.ts';

/*
 * Updates that readers understand differently. Each adds a CRL to a signed file, as other programs
 * do, in a form that is odd in one place. Some readers rebuild the cross-references of such a file by
 * searching for objects, and then show objects that no cross-reference names.
 */

const LATIN = 'latin1';
const CHANGED: Expected = { after: 'changes', faults: ['changes'] };

/** The parts of an update, in the order in which the file has them. */
export interface Parts {
  /** Bytes before the objects. */
  readonly head: string;
  readonly objects: ReadonlyMap<number, string>;
  readonly between: string;
  readonly keyword: string;
  /** An entry of the table for an offset. */
  readonly entry: (offset: number) => string;
  /** Further subsections. */
  readonly more: string;
  readonly trailer: string;
  readonly ending: (start: number) => string;
}

export type Odd = Partial<Parts> | ((parts: Parts, size: number) => Partial<Parts>);

const pad = (offset: number): string => String(offset).padStart(10, '0');

/** Objects that show another text, unless readers go by the cross-references alone. */
const HIDDEN =
  ` 90 0 obj\n${streamOf(Buffer.from('BT /F1 18 Tf 72 700 Td (Pay 999,999 baht) Tj ET'))}\nendobj\n` +
  `3 0 obj\n<<${PAGE.replace('4 0 R', '90 0 R')}>>\nendobj\n`;

/** Updates with an odd part, by the name of the part. */
export const ODD: readonly (readonly [string, Odd])[] = [
  ['objects that the table does not name', { head: HIDDEN }],
  ['an object that the table does not name', { head: '91 0 obj\n<</A 1>>\nendobj\n' }],
  ['/Prev as a real number', ({ trailer }) => ({ trailer: trailer.replace(/Prev \d+/, '$&.0') })],
  ['/Prev with a sign', ({ trailer }) => ({ trailer: trailer.replace('Prev ', 'Prev +') })],
  ['/Prev with zeros', ({ trailer }) => ({ trailer: trailer.replace('Prev ', 'Prev 00') })],
  ['no /Prev', ({ trailer }) => ({ trailer: trailer.replace(/\/Prev \d+/, '') })],
  ['/Prev twice', ({ trailer }) => ({ trailer: trailer.replace(/\/Prev \d+/, '$&$&') })],
  ['no /Size', ({ trailer }) => ({ trailer: trailer.replace(/\/Size \d+/, '') })],
  ['a smaller /Size', ({ trailer }) => ({ trailer: trailer.replace(/Size \d+/, 'Size 3') })],
  ['a larger /Size', ({ trailer }) => ({ trailer: trailer.replace(/Size \d+/, 'Size 300') })],
  ['/Size as text', ({ trailer }) => ({ trailer: trailer.replace(/Size \d+/, 'Size (a)') })],
  ['/Size as a real', ({ trailer }) => ({ trailer: trailer.replace(/Size \d+/, '$&.5') })],
  [
    'another generation of /Root',
    ({ trailer }) => ({ trailer: trailer.replace('1 0 R', '1 1 R') }),
  ],
  ['other information', ({ trailer }) => ({ trailer: trailer.replace('6 0 R', '5 0 R') })],
  [
    'new information',
    ({ trailer, objects }, size) => ({
      trailer: trailer.replace('6 0 R', `${size + 9} 0 R`).replace(/Size \d+/, `Size ${size + 10}`),
      objects: new Map([...objects, [size + 9, '<</Title(APPROVED)>>']]),
    }),
  ],
  ['no information', ({ trailer }) => ({ trailer: trailer.replace('/Info 6 0 R', '') })],
  ['another identifier', ({ trailer }) => ({ trailer: trailer.replace('[<00>', '[<01>') })],
  ['no identifier', ({ trailer }) => ({ trailer: trailer.replace(/\/ID\[.*?\]/, '') })],
  [
    'hidden cross-references',
    ({ trailer }) => ({ trailer: `${trailer.slice(0, -2)}/XRefStm 9>>` }),
  ],
  ['a foreign key in the trailer', ({ trailer }) => ({ trailer: `${trailer.slice(0, -2)}/X 9>>` })],
  [
    'a comment in the trailer',
    ({ trailer }) => ({ trailer: trailer.replace('/Prev', '%x\n/Prev') }),
  ],
  ['a comment after xref', { keyword: 'xref %c\n' }],
  ['a blank before xref', { keyword: ' xref\n' }],
  ['no line end after xref', { keyword: 'xref ' }],
  ['another generation', { entry: (offset) => `${pad(offset)} 00007 n \n` }],
  ['entries of 19 bytes', { entry: (offset) => `${pad(offset)} 00000 n\n` }],
  ['entries of 21 bytes', { entry: (offset) => `${pad(offset)} 00000 n \r\n` }],
  ['short offsets', { entry: (offset) => `${offset} 00000 n \n` }],
  ['offsets before the objects', { entry: (offset) => `${pad(offset - 1)} 00000 n \n` }],
  ['an entry twice', { more: `1 1\n${pad(15)} 00000 n \n` }],
  ['an entry of a signed object', { more: `2 1\n${pad(15)} 00000 n \n` }],
  ['an object that becomes free', { more: '6 1\n0000000000 00001 f \n' }],
  ['a free object that nobody knows', { more: '40 1\n0000000000 00001 f \n' }],
  ['a subsection without entries', { more: '40 0\n' }],
  ['text after the table', { more: 'x\n' }],
  ['a comment after the table', { more: '% x\n' }],
  ['text between objects', { between: 'hello\n' }],
  ['a comment with an object', { between: '% 3 0 obj\n' }],
  ['a comment that ends the file', { between: '%%EOF\n' }],
  ['a second header', { between: '%PDF-1.4\n' }],
  ['a second trailer', { between: 'trailer\n<</Root 90 0 R>>\n' }],
  ['text before startxref', { ending: (start) => `x\nstartxref\n${start}\n%%EOF\n` }],
  ['startxref with zeros', { ending: (start) => `startxref\n00${start}\n%%EOF\n` }],
  ['startxref too early', { ending: (start) => `startxref\n${start - 1}\n%%EOF\n` }],
  ['a comment before %%EOF', { ending: (start) => `startxref\n${start}\n%x\n%%EOF\n` }],
  ['blanks after %%EOF', { ending: (start) => `startxref\n${start}\n%%EOF\n \n` }],
  ['a second %%EOF', { ending: (start) => `startxref\n${start}\n%%EOF\n%%EOF\n` }],
];

/** Updates that are written well and add something else, or nothing. */
const OTHER: readonly (readonly [string, Odd])[] = [
  [
    'nothing new',
    ({ objects }) => ({ objects: only(objects, 1, (text) => text.replace(/ \/DSS.*? R/, '')) }),
  ],
  [
    'an empty store',
    ({ objects }) => ({
      objects: only(objects, 1, (text) => text.replace(/\/DSS.*? R/, '/DSS<<>>')),
    }),
  ],
  [
    'a store with an action',
    (parts) => store(parts, '/VRI<</X<</OpenAction<</S/JavaScript/JS(x)>>>>>>'),
  ],
  ['a store with a page', (parts) => store(parts, '/Certs[3 0 R]')],
  ['a store with text', (parts) => store(parts, '/Certs(x)')],
  ['a store with a foreign key of VRI', (parts) => store(parts, '/VRI<</X<</Foo/Bar>>>>')],
  [
    'an object that nothing names',
    ({ objects, trailer }, size) => ({
      objects: new Map([...objects, [size + 9, '<</A 1>>']]),
      trailer: trailer.replace(/Size \d+/, `Size ${size + 10}`),
    }),
  ],
  [
    'a certificate that is none',
    ({ objects }) => ({ objects: streams(objects, '(no certificate)') }),
  ],
  [
    'an object in the data',
    ({ objects }) => ({ objects: streams(objects, '0\n3 0 obj\n<<>>\nendobj\n') }),
  ],
  [
    'the end of a stream in the data',
    ({ objects }) => ({ objects: streams(objects, '0\nendstream\n') }),
  ],
  [
    'resources of the form',
    ({ objects }) => ({ objects: form(objects, '/DR<</XObject<</X 4 0 R>>>>') }),
  ],
  ['the order of calculation', ({ objects }) => ({ objects: form(objects, '/CO[7 0 R]') })],
  ['an extension with an action', ({ objects }) => ({ objects: extension(objects) })],
];

function only(
  objects: Parts['objects'],
  number: number,
  change: (text: string) => string,
): Parts['objects'] {
  return new Map([[number, change(objects.get(number) ?? '')]]);
}

function store({ objects }: Parts, more: string): Partial<Parts> {
  const change = (text: string): string =>
    text.includes('/Type /DSS') ? text.replace(/>>$/, `${more}>>`) : text;
  return { objects: new Map([...objects].map(([number, text]) => [number, change(text)])) };
}

function streams(objects: Parts['objects'], data: string): Parts['objects'] {
  const change = (text: string): string =>
    text.includes('stream') ? streamOf(Buffer.from(data)) : text;
  return new Map([...objects].map(([number, text]) => [number, change(text)]));
}

function form(objects: Parts['objects'], more: string): Parts['objects'] {
  const change = (text: string): string => text.replace('/SigFlags', `${more}/SigFlags`);
  return new Map([...objects].map(([number, text]) => [number, change(text)]));
}

function extension(objects: Parts['objects']): Parts['objects'] {
  const more = '/Extensions<</X<</BaseVersion/1.7/ExtensionLevel 1/OpenAction 4 0 R>>>>>>';
  return new Map(
    [...objects].map(([number, text]) => [number, number === 1 ? text.replace(/>>$/, more) : text]),
  );
}

/**
 * A store that takes in the list of contents of the page, then an update that makes this list longer,
 * as if it belonged to the store.
 */
function twoSteps(shop: Workshop, crl: Buffer): Sample {
  const page = `<<${PAGE.replace('4 0 R', '7 0 R')}>>`;
  const listed = shop.plain().update(
    new Map([
      [3, page],
      [7, '[4 0 R]'],
    ]),
  );
  const signed = listed.sign((content) => shop.cms('p256', content), { page });
  const first = shop.withStore(signed, [crl], '/Certs 7 0 R');
  const [last, added] = [first.size - 1, first.size];
  const text = streamOf(Buffer.from('BT /F1 18 Tf 72 600 Td (and 999,999 baht) Tj ET'));
  const second = first.update(
    new Map([
      [7, `[4 0 R ${added} 0 R]`],
      [last, first.text(last).replace(/>>$/, '/VRI<<>>>>')],
      [added, text],
    ]),
  );
  return { name: 'a store with contents', pdf: second.bytes, signatures: [CHANGED] };
}

/** A signed file with an update that adds a CRL, odd in one place. */
export function oddUpdates(shop: Workshop): readonly Sample[] {
  const signed = shop.stamped('p256', 'tsa', NEW_YEAR_MS);
  const crl = crlOf(shop.authority, []);
  const whole = { after: 'validation data', faults: [] } as const;
  const samples = [...ODD, ...OTHER].map(([what, odd]) => ({
    name: `an update with ${what}`,
    pdf: written(signed, crl, odd),
    signatures: [CHANGED],
  }));
  return [
    { name: 'a plain update', pdf: written(signed, crl, {}), signatures: [whole] },
    ...samples,
    twoSteps(shop, crl),
  ];
}

/** Appends validation data to a signed file in a form that is odd in one place. */
function written(file: MadePdf, crl: Buffer, odd: Odd): Buffer {
  const { bytes, size } = file;
  const facts = { bytes, size, root: 1, catalog: file.text(1), info: 6, id: '<00>' };
  const plain = plainParts(facts, crl);
  return assembled(bytes, { ...plain, ...(typeof odd === 'function' ? odd(plain, size) : odd) });
}

/** A signed file, as an update must know it. */
export interface SignedFacts {
  readonly bytes: Buffer;
  readonly size: number;
  readonly root: number;
  readonly catalog: string;
  readonly info: number;
  /** The first half of its identifier. */
  readonly id: string;
}

/** An update that adds a CRL, without any fault. */
export function plainParts(facts: SignedFacts, crl: Buffer): Parts {
  const { bytes, size, root, info, id } = facts;
  const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(bytes.toString(LATIN))?.[1] ?? '';
  const catalog = facts.catalog.replace(/>>$/, ` /DSS ${size + 1} 0 R >>`);
  const objects = new Map([
    [root, catalog],
    [size, streamOf(crl)],
    [size + 1, `<< /Type /DSS /CRLs [ ${size} 0 R ] >>`],
  ]);
  const entries = `/Root ${root} 0 R/Info ${info} 0 R/ID[${id}<02>]/Prev ${previous}`;
  return {
    head: '',
    objects,
    between: '',
    keyword: 'xref\n',
    entry: (offset) => `${pad(offset)} 00000 n \n`,
    more: '',
    trailer: `<</Size ${size + 2}${entries}>>`,
    ending: (start) => `startxref\n${start}\n%%EOF\n`,
  };
}

/** The file with an update of these parts. */
export function assembled(file: Buffer, parts: Parts): Buffer {
  let text = parts.head;
  const offsets = new Map<number, number>();
  for (const [number, body] of parts.objects) {
    offsets.set(number, file.length + text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  text += parts.between;
  const start = file.length + text.length;
  text += parts.keyword;
  for (const [number, offset] of offsets) text += `${number} 1\n${parts.entry(offset)}`;
  text += `${parts.more}trailer\n${parts.trailer}\n${parts.ending(start)}`;
  return Buffer.concat([file, Buffer.from(text, LATIN)]);
}

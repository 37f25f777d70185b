import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import t from 'tap';
import { findingsOf, faultsOf, render, shareTemplate } from '../../lab/render.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/**
 * Electronic invoices: the samples of docs/archive.md, and what their standards demand of a file.
 */

const INVOICES = new URL('../../templates/invoices/', import.meta.url);

interface Invoice {
  readonly samples: readonly { readonly data: Readonly<Record<string, unknown>> }[];
}

/** Texts of the elements by local name, without prefix; throws when the text is not XML. */
function readXml(xml: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const parser = new SaxesParser({ xmlns: true });
  const open: string[] = [];
  let text = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local }) => {
    open.push(local);
    text = '';
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('closetag', () => {
    const name = open.pop() ?? '';
    found.set(name, [...(found.get(name) ?? []), text.trim()]);
    text = '';
  });
  parser.write(xml).close();
  return found;
}

async function made(
  name: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly pdf: Uint8Array; readonly data: Invoice['samples'][0]['data'] }> {
  const source = readFileSync(new URL(`${name}.json`, INVOICES));
  // The shape was checked when the sample was made.
  const [sample] = (JSON.parse(source.toString('utf8')) as Invoice).samples;
  const data = { ...sample?.data, ...change };
  const document = await render(shareTemplate(source), data);
  return { pdf: document.pdf, data };
}

/** The metadata of a document, whose packet stands in the file as plain text. */
function metadataOf(pdf: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const [packet = ''] =
    /<x:xmpmeta[^]*?<\/x:xmpmeta>/.exec(Buffer.from(pdf).toString('utf8')) ?? [];
  return readXml(packet);
}

function specificationOf(folder: string, pdf: Uint8Array): string {
  const file = join(folder, 'a.pdf');
  writeFileSync(file, pdf);
  const objects = execFileSync('qpdf', ['--qdf', '--object-streams=disable', file, '-']);
  return /<<[^<>]*\/AFRelationship[^]*?>>\s*endobj/.exec(objects.toString('latin1'))?.[0] ?? '';
}

for (const [name, level, xmlName] of [
  ['factur-x', '3a', 'factur-x.xml'],
  ['etax-invoice', '3u', 'ETDA-invoice.xml'],
] as const) {
  t.test(`the XML of ${name} comes out byte for byte, and the level is kept`, async (t) => {
    const folder = t.testdir();
    const { pdf, data } = await made(name);
    t.strictSame(findViolations(pdf, level), []);
    if (level === '3a') t.strictSame(findViolations(pdf, 'ua'), []);
    const file = join(folder, 'a.pdf');
    t.equal(faultsOf(file, pdf), '');
    execFileSync('pdfdetach', ['-saveall', '-o', folder, file]);
    const embedded = readFileSync(join(folder, xmlName));
    const sent = readFileSync(new URL(`${name}.xml`, INVOICES));
    t.ok(embedded.equals(sent), 'tabs and line ends, too');
    t.equal(data['xml'], sent.toString('utf8'), 'the sample is the file beside it');
    const xml = readXml(embedded.toString('utf8'));
    t.same(xml.get('ID')?.[1], data['number'], 'page and data show the same invoice');
    t.equal(xml.get('GrandTotalAmount')?.[0], data['total']);
    t.equal(xml.get('TaxBasisTotalAmount')?.[0], data['net']);
    const lines = xml.get('NetLineTotalAmount') ?? xml.get('LineTotalAmount')?.slice(0, -1) ?? [];
    const sum = lines.reduce((total, line) => total + Number(line) * 100, 0);
    t.equal(sum, Number(data['net']) * 100);
    t.match(specificationOf(folder, pdf), /\/AFRelationship \/Alternative/);
  });
}

t.test('the e-Tax invoice prints the branch that is sent, and all amounts alike', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  const textOf = async (change: Readonly<Record<string, unknown>>): Promise<string> => {
    writeFileSync(file, (await made('etax-invoice', change)).pdf);
    return execFileSync('pdftotext', ['-layout', file, '-']).toString();
  };
  t.match(await textOf({}), 'บริษัท สยามตัวอย่าง จำกัด (สำนักงานใหญ่)\n');
  t.match(await textOf({ buyerBranch: 'สาขาที่ 00012' }), 'จำกัด (สาขาที่ 00012)\n');
  const items = [
    ['A', '1', '1000.00'],
    ['B', '2', '500'],
  ];
  const text = await textOf({ buyer: 'นายสมชาย ใจดี', buyerBranch: '', items });
  t.match(text, /^นายสมชาย ใจดี$/m, 'a natural person has no branch');
  t.match(text, /^A +1 +1,000\.00\nB +2 +500\.00$/m);
});

t.test('the metadata describes the XML to programs that read invoices', async (t) => {
  const facturX = await made('factur-x');
  const found = metadataOf(facturX.pdf);
  t.same(found.get('DocumentType'), ['INVOICE']);
  t.same(found.get('DocumentFileName'), ['factur-x.xml']);
  t.same(found.get('ConformanceLevel'), ['BASIC']);
  t.same(found.get('Version'), ['1.0']);
  const namespaces = found.get('namespaceURI') ?? [];
  t.ok(namespaces.includes('urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'));
  t.ok(namespaces.includes('http://www.aiim.org/pdfua/ns/id/'), 'beside that of PDF/UA');
  const etax = metadataOf((await made('etax-invoice')).pdf);
  t.same(etax.get('DocumentReferenceID'), ['TIV-2569-000817'], 'from the data');
  t.same(etax.get('DocumentFileName'), ['ETDA-invoice.xml']);
});

const XML = { name: 'factur-x.xml', mediaType: 'text/xml', facturX: 'BASIC', data: '{{name}}' };
const FIELDS = { fields: [{ name: 'name', type: 'text' }] };

/** Paths of the findings on a template with one file, the invoice with changes. */
async function paths(file: object, archive: string | null = 'PDF/A-3u'): Promise<string[]> {
  const level = archive === null ? {} : { archive };
  const keys = { ...FIELDS, files: [{ ...XML, ...file }], ...level };
  return (await findingsOf({ content: '{{name}}' }, keys)).map(({ path }) => path);
}

t.test('a key that the standards forbid is a finding', async (t) => {
  t.strictSame(await paths({}), []);
  t.strictSame(await paths({}, null), ['files[0].facturX']);
  t.strictSame(await paths({ name: 'invoice.xml' }), ['files[0].name']);
  t.strictSame(await paths({ facturX: 'XRECHNUNG' }), ['files[0].name']);
  t.strictSame(await paths({ facturX: 'XRECHNUNG', name: 'xrechnung.xml' }), []);
  t.strictSame(await paths({ mediaType: 'application/xml' }), ['files[0].mediaType']);
  t.strictSame(await paths({ relationship: 'Supplement' }), ['files[0].relationship']);
  t.strictSame(await paths({ facturX: 'MINIMUM', relationship: 'Alternative' }), [
    'files[0].relationship',
  ]);
  t.strictSame(await paths({ facturX: 'MINIMUM', relationship: 'Data' }), []);
  t.strictSame(await paths({ facturX: 'COMFORT' }), ['files[0].facturX']);
  const own = { namespace: 'urn:a#', prefix: 'a', properties: { Kind: 'B' } };
  const none = { facturX: null };
  t.strictSame(await paths({ ...none, metadata: own }), []);
  t.strictSame(await paths({ metadata: own }), ['files[0].metadata']);
  t.strictSame(await paths({ ...none, metadata: { ...own, prefix: 'pdfaid' } }), [
    'files[0].metadata.prefix',
  ]);
  t.strictSame(await paths({ ...none, metadata: { ...own, properties: { 'a b': 1 } } }), [
    'files[0].metadata.properties.a b',
    'files[0].metadata.properties.a b',
  ]);
  t.strictSame(await paths({ ...none, metadata: { ...own, namespace: 'urn:a' } }), [
    'files[0].metadata',
    'files[0].metadata.namespace',
  ]);
});

/** The bytes of the one file that a document embeds. */
async function embedded(folder: string, file: object, data: object): Promise<string> {
  const source = sampleTemplate(
    {
      archive: 'PDF/A-3u',
      fields: [
        { name: 'name', type: 'text' },
        { name: 'xml', type: 'text' },
      ],
      files: [{ name: 'a', ...file }],
    },
    { content: ['{{name}}'] },
  );
  const { pdf } = await render(shareTemplate(source), data);
  const path = join(folder, 'one.pdf');
  writeFileSync(path, pdf);
  execFileSync('pdfdetach', ['-save', '1', '-o', join(folder, 'one'), path]);
  return readFileSync(join(folder, 'one'), 'utf8');
}

t.test('a file made of one field holds what was sent, even if no font can draw it', async (t) => {
  const xml = '\ufeff<a>\r\n\t<b>漢字 & \u{1f642}</b>\r</a>';
  const file = { mediaType: 'text/xml', data: '{{xml}}' };
  t.equal(await embedded(t.testdir(), file, { name: 'x', xml }), xml);
});

t.test('values inside the text of a file cannot break its syntax', async (t) => {
  const folder = t.testdir();
  const name = `A & B <"Ltd"> 'x'`;
  const xml = { mediaType: 'application/vnd.a+xml', data: '<a b="{{name}}">{{name}}</a>' };
  t.same(readXml(await embedded(folder, xml, { name })).get('a'), [name]);
  const json = { mediaType: 'application/json', data: '{"name": "{{name}}"}' };
  t.same(JSON.parse(await embedded(folder, json, { name })), { name });
  const plain = { mediaType: 'text/plain', data: 'name: {{name}}' };
  t.equal(await embedded(folder, plain, { name }), `name: ${name}`);
});

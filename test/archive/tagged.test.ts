import t from 'tap';
import {
  findingsOf,
  faultsOf,
  pageTexts,
  render,
  shareTemplate,
  tryRender,
} from '../../lab/render.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { readAloud } from '../../tools/pdfa/reading.ts';
import { findViolations, violationsOf } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { join } from 'node:path';

/** Tags of documents with difficult content, and findings about tagged templates. */

const TAGGED = { archive: 'PDF/A-2a' };
const INFO = { title: 'Letter' };

async function read(content: unknown, data: object = { name: 'x' }, document: object = {}) {
  const source = sampleTemplate(TAGGED, { content: ['{{name}}', content], ...document });
  const { pdf } = await render(shareTemplate(source), data);
  const model = readModel(pdf);
  return { pdf, model, violations: [...violationsOf(model, '2a'), ...violationsOf(model, 'ua')] };
}

t.test('findings name what a tagged document lacks', async (t) => {
  const content = [
    { text: 'One', role: 'h1' },
    { text: 'Three', role: 'h3' },
    { qr: 'x' },
    { qr: 'y', alt: '' },
    { table: { body: [['a']] } },
    { table: { body: [['a']] }, role: 'layout' },
    { table: { body: [['a']], headerColumns: 1 } },
    { table: { body: [[{ text: 'a', role: 'rowHeader' }, 'b']] } },
    { text: 'no cell', role: 'rowHeader' },
  ];
  const findings = await findingsOf({ tagged: true, content });
  t.strictSame(
    findings.map(({ severity, path }) => `${severity} ${path}`),
    [
      'error document.info',
      'error document.content[1].role',
      'error document.content[2]',
      'warning document.content[4]',
      'warning document.content[8].role',
    ],
  );
  t.strictSame(await findingsOf({ content }), [], 'other documents lack nothing');
  const [wrong] = await findingsOf({ tagged: false, info: INFO, content: 'x' }, TAGGED);
  t.match(wrong, { severity: 'error', path: 'document.tagged' });
});

t.test('a longer tagged document without a heading is warned of', async (t) => {
  const paths = async (content: unknown, more: object = {}): Promise<readonly string[]> => {
    const findings = await findingsOf({ tagged: true, info: INFO, content, ...more });
    t.ok(findings.every(({ severity }) => severity === 'warning'));
    return findings.filter(({ message }) => /no heading/.test(message)).map(({ path }) => path);
  };
  const rows = { table: { headerRows: 1, body: [['A'], { each: 'table', cells: ['{{0}}'] }] } };
  const long = { text: 'A sentence of a contract. '.repeat(100) };
  const next = { text: 'On page 2', pageBreak: 'before' };
  for (const content of [rows, long, ['One', next], { ul: [long] }, { each: 'table', text: 'x' }]) {
    t.strictSame(await paths(content), ['document.content'], JSON.stringify(content).slice(0, 60));
    t.strictSame(await paths([{ text: 'Title', role: 'h1' }, content]), []);
    t.strictSame(await paths([{ text: 'Title', headlineLevel: 1 }, content]), []);
    const hidden = { text: 'Title', role: 'artifact', headlineLevel: 1 };
    t.strictSame(await paths([hidden, content]), ['document.content'], 'an artifact is not read');
    t.strictSame(await findingsOf({ content }), [], 'an untagged document needs none');
  }
  t.strictSame(await paths('Dear customer, thank you.'), [], 'a short letter needs none');
});

t.test('paragraphs, tables and lists over many pages stay one element each', async (t) => {
  const rows = Array.from({ length: 120 }, (_, index) => [`row ${index}`, 'a b c '.repeat(12)]);
  const content = [
    'word '.repeat(2_000),
    { table: { headerRows: 1, dontBreakRows: true, body: [['Name', 'Text'], ...rows] } },
    { ol: Array.from({ length: 80 }, (_, index) => `item ${index}`) },
  ];
  const { model, violations } = await read(content);
  t.strictSame(violations, []);
  const { elements } = model.structure;
  t.equal(elements.filter(({ type }) => type === 'Table').length, 1);
  t.equal(elements.filter(({ type }) => type === 'TR').length, 121);
  t.equal(
    elements.filter(({ type }) => type === 'TH').length,
    2,
    'repeated header rows: artifacts',
  );
  t.equal(elements.filter(({ type }) => type === 'LI').length, 80);
  t.equal(readAloud(model)[1]?.text.trim().split(/\s+/).length, 2_000);
});

t.test(
  'spans, nested tables and lists, empty and conditional cells are tagged by the rules',
  async (t) => {
    const inner = { table: { headerRows: 1, body: [['H'], ['d']] } };
    const content = [
      {
        table: {
          headerRows: 2,
          body: [
            [{ text: 'Both', colSpan: 2 }, {}, { text: 'Tall', rowSpan: 2 }],
            ['A', 'B', {}],
            [inner, '', { ul: ['x', { ol: ['y'] }] }],
            [{ text: 'Absent', if: 'name' }, { text: 'gone', unless: 'name' }, ''],
          ],
        },
      },
      { columns: ['left', { stack: ['right', { image: 'picture', alt: '{{name}}' }] }] },
      { text: ['plain ', { text: 'linked over lines '.repeat(20), link: 'https://a.example' }] },
      { image: 'picture', alt: 'Logo', link: 'https://b.example' },
    ];
    const { model, violations } = await read(content);
    t.strictSame(violations, []);
    const links = model.structure.elements.filter(({ type }) => type === 'Link');
    t.equal(links.length, 2);
    t.ok((links[0]?.leaves.length ?? 0) >= 4, 'content and annotation on each of its lines');
  },
);

t.test('text in another language is tagged with that language', async (t) => {
  const { model, violations } = await read({ text: 'Dear customer', language: 'en' });
  t.strictSame(violations, []);
  t.strictSame(
    model.structure.elements.map(({ lang }) => lang).filter((lang) => lang !== null),
    ['en'],
  );
});

t.test('heading levels stay in order when a condition leaves one out', async (t) => {
  const content = [
    { text: 'One', role: 'h1' },
    { text: 'Two', role: 'h2', unless: 'name' },
    { text: 'Three', role: 'h3' },
  ];
  const { model, violations } = await read(content);
  t.strictSame(violations, []);
  t.strictSame(
    readAloud(model).map(({ type }) => type),
    ['P', 'H1', 'H2'],
  );
});

t.test(
  'running elements, watermarks and repeated header rows are artifacts; links are tagged',
  async (t) => {
    const link = { text: 'bank.example', link: 'https://bank.example' };
    const { pdf, violations } = await read(
      { table: { headerRows: 1, body: [[link], ...Array.from({ length: 90 }, () => ['x'])] } },
      { name: 'x' },
      { footer: link, background: { canvas: [{ type: 'rect', x: 0, y: 0, w: 9, h: 9 }] } },
    );
    t.strictSame(violations, []);
    const source = sampleTemplate(TAGGED);
    const marked = await render(shareTemplate(source), SAMPLE_DATA, {
      watermark: { text: 'COPY', opacity: 0.2 },
    });
    t.strictSame(findViolations(marked.pdf, 'ua'), []);
    t.ok(pdf.length > 0);
  },
);

t.test('tags of several documents are not merged', async (t) => {
  const tagged = shareTemplate(sampleTemplate(TAGGED));
  const own = await render(tagged, SAMPLE_DATA);
  const refused = await tryRender(tagged, SAMPLE_DATA, { attachments: [own.pdf] });
  t.match(refused, { ok: false, code: 'bad_request', message: /options\.attach/ });
  const file = join(t.testdir(), 'a.pdf');
  for (const more of [{}, { archive: 'PDF/A-3u' }]) {
    const plain = shareTemplate(sampleTemplate(more, { info: INFO }));
    const merged = await render(plain, SAMPLE_DATA, { attachments: [own.pdf, own.pdf] });
    t.equal(faultsOf(file, merged.pdf), '');
    t.match(pageTexts(file, merged.pdf)[2] ?? '', /bank\.example/);
    t.strictSame(
      findViolations(merged.pdf, '3u').filter(() => 'archive' in more),
      [],
    );
  }
});

t.test('the same job gives the same bytes', async (t) => {
  const template = shareTemplate(sampleTemplate(TAGGED, { compress: true }));
  const one = await render(template, SAMPLE_DATA);
  const other = await render(template, SAMPLE_DATA);
  t.ok(Buffer.from(one.pdf).equals(other.pdf));
});

t.test('a cached structure is reused only for an equal one', async (t) => {
  const picture = { qr: 'x', alt: '{{name}}' };
  const documents = [
    [picture, { name: 'first' }],
    [picture, { name: 'second' }],
    [{ ul: ['item', 'item'] }, { name: 'first' }],
    [{ ul: ['item', 'item', 'item'] }, { name: 'first' }],
    [{ text: 'same', language: 'en' }, { name: 'first' }],
    [{ text: 'same', language: 'de' }, { name: 'first' }],
    [{ text: 'same', link: 'https://a.example' }, { name: 'first' }],
  ] as const;
  const structures = new Set<string>();
  for (const [content, data] of documents) {
    const { pdf } = await read(content, data);
    const again = await read(content, data);
    t.ok(Buffer.from(pdf).equals(again.pdf), 'the same document has the same bytes');
    t.strictSame(again.violations, []);
    const { document, structure } = again.model;
    const elements = structure.elements.map(({ type, lang, dictionary }) => [
      type,
      lang,
      document.textAt(dictionary, 'Alt'),
    ]);
    structures.add(JSON.stringify(elements));
  }
  t.equal(structures.size, documents.length, 'no document has the structure of another');
});

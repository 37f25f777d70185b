import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, render, shareTemplate } from '../../lab/render.ts';
import { HOME } from '../../lab/home.ts';
import { sourceFiles } from '../../lab/source.ts';
import { archived } from './archived.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { readAloud } from '../../tools/pdfa/reading.ts';
import { violationsOf } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/** Every sample of this project complies with every level. */

const LEVELS = ['2u', '3u', '2a', '3a'] as const;

interface Source {
  readonly samples?: readonly { readonly data: unknown }[];
}

function samples(): { readonly path: string; readonly source: Source }[] {
  return sourceFiles('templates/*.json')
    .filter(({ path }) => !path.endsWith('.schema.json') && !/\.\d+\.json$/.test(path))
    .map(({ path }) => ({
      path,
      source: JSON.parse(readFileSync(join(HOME, path), 'utf8')) as Source,
    }));
}

t.test('the samples of all templates keep each level, the tagged ones PDF/UA, too', async (t) => {
  for (const { path, source } of samples()) {
    for (const level of LEVELS) {
      const template = shareTemplate(JSON.stringify(archived(source, level)));
      for (const [index, { data }] of (source.samples ?? []).entries()) {
        const model = readModel((await render(template, data)).pdf);
        t.strictSame(violationsOf(model, level), [], `${path}, sample ${index}, ${level}`);
        if (!level.endsWith('a')) continue;
        t.strictSame(violationsOf(model, 'ua'), [], `${path}, sample ${index}, PDF/UA`);
        t.ok(model.structure.elements.length > 1, 'the structure has elements');
      }
    }
  }
});

t.test('information dictionary and metadata agree', async (t) => {
  const source = sampleTemplate({ archive: 'PDF/A-2u' });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA, {
    metadata: { title: 'a\u0001b & <c>', subject: 'ทดสอบ' },
  });
  const { document, metadata } = readModel(pdf);
  const info = document.resolve(document.trailer.get('Info'));
  const dc = 'http://purl.org/dc/elements/1.1/';
  const pdfNs = 'http://ns.adobe.com/pdf/1.3/';
  t.equal(document.textAt(info, 'Title'), 'ab & <c>');
  t.equal(metadata.get(`${dc}title`), document.textAt(info, 'Title'));
  t.equal(metadata.get(`${dc}description`), document.textAt(info, 'Subject'));
  t.equal(metadata.get(`${dc}creator`), document.textAt(info, 'Author'));
  t.equal(metadata.get(`${pdfNs}Keywords`), document.textAt(info, 'Keywords'));
  t.equal(metadata.get(`${pdfNs}Producer`), document.textAt(info, 'Producer'));
  t.equal(metadata.get('http://ns.adobe.com/xap/1.0/CreateDate'), '2026-11-21T00:00:00Z');
  t.equal(document.textAt(info, 'CreationDate'), 'D:20261121000000Z');
});

t.test('other PDF readers accept the file', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  for (const compress of [true, false]) {
    const source = sampleTemplate({ archive: 'PDF/A-3a' }, { compress });
    const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
    t.equal(faultsOf(file, pdf), '');
    const about = execFileSync('pdfinfo', [file]).toString();
    t.match(about, /Metadata Stream: *yes/);
    t.match(about, /Tagged: *yes/);
    t.match(execFileSync('mutool', ['show', file, 'trailer']).toString(), /Root/);
  }
});

t.test('a tagged document is read in the order of its template, Thai included', async (t) => {
  const source = sampleTemplate({ archive: 'PDF/A-2a' }, { compress: true });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  const read = readAloud(readModel(pdf)).map(({ type, text }) => [type, text.trim()]);
  t.strictSame(read, [
    ['H1', 'หนังสือรับรองยอด'],
    ['P', `ถึง ${SAMPLE_DATA.name} bank.example`],
    ['P', 'กลับไปข้างบน'],
    ['LBody', 'หนึ่ง'],
    ['LBody', 'สอง'],
    ['Lbl', '1.'],
    ['LBody', 'Three'],
    ['Lbl', '2.'],
    ['LBody', 'Four'],
    ['TH', 'รายการ'],
    ['TH', 'Amount'],
    ['TD', 'ฝาก'],
    ['TD', '1,000.00'],
    ['TD', 'ถอน'],
    ['TD', '20.50'],
    ['Figure', 'A1'],
  ]);
});

t.test('poppler reads the same elements in the same order', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  const content = [
    { text: 'Heading', role: 'h1' },
    'First paragraph',
    { columns: ['Left', ['Right above', 'Right below']] },
    {
      table: {
        headerRows: 1,
        headerColumns: 1,
        body: [
          ['Name', { text: 'Both', colSpan: 2 }, {}],
          [{ text: 'Tall', rowSpan: 2 }, 'a', 'b'],
          [{}, 'c', 'd'],
        ],
      },
    },
    { text: 'Decoration', role: 'artifact' },
    { text: 'Small print', role: 'note' },
  ];
  const source = sampleTemplate({ archive: 'PDF/A-2a' }, { content: ['{{name}}', ...content] });
  const { pdf } = await render(shareTemplate(source), { name: 'Dear Customer' });
  writeFileSync(file, pdf);
  const read = execFileSync('pdfinfo', ['-struct-text', file]).toString();
  const texts = Array.from(read.matchAll(/"(.*)"/g), ([, text]) => text);
  const wanted = ['Dear Customer', 'Heading', 'First paragraph', 'Left', 'Right above'];
  wanted.push('Right below', 'Name', 'Both', 'Tall', 'a', 'b', 'c', 'd', 'Small print');
  t.strictSame(texts, wanted);
  t.match(read, /ColSpan 2[^]*RowSpan 2/);
  t.strictSame(violationsOf(readModel(pdf), 'ua'), []);
});

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { importOther } from './other.ts';

const PT_PER_MM = 72 / 25.4;

function write(folder: string, source: object): string {
  const path = `${folder}/source.json`;
  writeFileSync(path, JSON.stringify(source));
  return path;
}

const at = (x: number, y: number, more: object): object => ({
  position: { x, y },
  width: 60,
  height: 10,
  ...more,
});

const PDFME = {
  basePdf: { width: 210, height: 297, padding: [10, 10, 10, 10] },
  schemas: [
    [
      at(20, 30, { name: 'customer', type: 'text', required: true, fontSize: 12 }),
      at(100, 30, { name: 'title', type: 'text', readOnly: true, content: 'Invoice' }),
      at(20, 60, { name: 'greeting', type: 'multiVariableText', text: 'Dear {first} {last}' }),
      at(20, 80, { name: 'code', type: 'code128' }),
      at(20, 100, { name: 'frame', type: 'rectangle', borderWidth: 1, borderColor: '#000000' }),
      at(20, 120, { name: 'items', type: 'table', head: ['What', 'Price'] }),
      at(20, 200, { name: 'choice', type: 'hologram' }),
    ],
  ],
};

t.test('the sample of a pdfme table keeps the digits of its numbers', async (t) => {
  const content = '[["a",12345678901234567890.12],["b", 1.10 ],["c","]2.50"],[null,true]]';
  const table = { name: 'items', type: 'table', head: ['What', 'Price'], content };
  const file = write(t.testdir(), { ...PDFME, schemas: [[at(20, 120, table)]] });
  const { template } = await importOther('pdfme', file, 'invoice');
  const rows = [
    ['a', '12345678901234567890.12'],
    ['b', '1.10'],
    ['c', ']2.50'],
    ['', 'true'],
  ];
  t.match(template, { samples: [{ data: { items: rows } }] });
});

t.test('a file to import is text, or is refused with its place', async (t) => {
  const file = write(t.testdir(), {});
  writeFileSync(file, Buffer.from('{"a":"Caf\u00e9"}', 'latin1'));
  await t.rejects(importOther('pdfme', file, 'x'), { message: /line 1, byte 10 is not UTF-8/ });
});

t.test('a pdfme template becomes fields and positioned nodes', async (t) => {
  const { template, notes } = await importOther('pdfme', write(t.testdir(), PDFME), 'invoice');
  t.match(template, {
    fields: [
      { name: 'customer', type: 'text', required: true },
      { name: 'first', type: 'text' },
      { name: 'last', type: 'text' },
      { name: 'code', type: 'text' },
      { name: 'items', type: 'table' },
    ],
  });
  t.strictSame(
    notes.map(({ place }) => place),
    ['schemas[0].code.includetext', 'schemas[0].choice'],
  );
  const data = { customer: 'Ada', first: 'Bo', last: 'Cy', code: 'A1', items: [['Tea', '5']] };
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), data);
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf }).toString();
  const expected: readonly (readonly [string, number, number])[] = [
    ['Ada', 20, 30],
    ['Invoice', 100, 30],
    ['Dear', 20, 60],
    ['What', 20, 120],
  ];
  for (const [word, x, y] of expected) {
    const found = new RegExp(`xMin="([\\d.]+)" yMin="([\\d.]+)"[^>]*>${word}<`).exec(html);
    t.ok(Math.abs(Number(found?.[1]) - x * PT_PER_MM) < 2, `${word}: across`);
    t.ok(Math.abs(Number(found?.[2]) - y * PT_PER_MM) < 4, `${word}: down ${found?.[2]}`);
  }
});

t.test('a pdfmake definition is a document; functions are named and left out', async (t) => {
  const source = {
    pageSize: 'A5',
    footer: 'function (page) { return page; }',
    content: ['Hello', { table: { body: [['a', 'b']] }, layout: 'noBorders' }],
  };
  const { template, notes } = await importOther('pdfmake', write(t.testdir(), source), 'letter');
  t.match(notes, [{ place: 'document.footer', note: /function/ }]);
  t.strictSame(template, {
    templateId: 'letter',
    name: 'letter',
    missingGlyph: 'reject',
    fields: [],
    document: { pageSize: 'A5', content: source.content },
  });
  t.ok(await render(shareTemplate(JSON.stringify(template)), {}));
});

t.test('a draft refuses missing characters, unless it holds some itself', (t) => {
  const folder = t.testdir({ 'a.json': '{"content":"Hello"}', 'b.json': '{"content":"\u738b"}' });
  const imported = (name: string): { missingGlyph: string; warning: string } => {
    const files = [join(folder, `${name}.json`), '--out', join(folder, `${name}.out`)];
    const command = ['src/cli.ts', 'templates', 'import', '--from', 'pdfmake', ...files];
    const { stderr, status } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    t.equal(status, 0, stderr);
    const text = readFileSync(join(folder, `${name}.out`), 'utf8');
    const { missingGlyph } = JSON.parse(text) as { missingGlyph: string };
    return { missingGlyph, warning: stderr };
  };
  t.strictSame(imported('a'), { missingGlyph: 'reject', warning: '' });
  t.match(imported('b'), { missingGlyph: 'fallback', warning: /warning .*U\+738B/ });
  t.end();
});

t.test('a fault of a pdfme schema is told by its place in the imported file', (t) => {
  const refusal = (schemas: readonly object[]): string => {
    const file = write(t.testdir(), { ...PDFME, schemas: [[], schemas] });
    const command = ['src/cli.ts', 'templates', 'import', '--from', 'pdfme', file];
    const { stderr, status } = spawnSync(process.execPath, [...command, '--out', `${file}.out`], {
      encoding: 'utf8',
    });
    t.equal(status, 1);
    return stderr;
  };
  const code = at(20, 120, { name: 'ean', type: 'ean13', readOnly: true, content: '12345' });
  const told =
    /source\.json error schemas\[1\]\.ean \(in the draft: document\.content\[1\]\S+\): must be/;
  t.match(refusal([code]), told);
  t.match(refusal([at(20, 60, { name: 'list', type: 'list' }), code]), told, 'below a list');
  t.end();
});

t.test('a file that is not a JSON object is refused', async (t) => {
  const folder = t.testdir({ 'a.json': 'function', 'b.json': '[]' });
  await t.rejects(importOther('pdfme', `${folder}/a.json`, 'x'), /is no JSON/);
  await t.rejects(importOther('pdfmake', `${folder}/b.json`, 'x'), /holds no JSON object/);
});

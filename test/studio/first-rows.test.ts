import t from 'tap';
import { firstRowsOf, headerOf, tableCellOf } from '../../studio/src/runs/file/first-rows.ts';
import { isCorrections, readRowFile, type RowFile } from '../../studio/src/runs/file/rows.ts';

async function readFile(text: string, name: string): Promise<RowFile> {
  const read = await readRowFile(new Blob([text]), name);
  if (typeof read !== 'object' || !('file' in read)) throw new Error('not read');
  return read;
}

t.test('the first three rows of a file are shown as they were read', async (t) => {
  const csv = 'id;name\nA1;"two; lines\nof one"\n\nA2;อรุณ\nA3;x\nA4;y\n';
  t.strictSame(await firstRowsOf(await readFile(csv, 'rows.csv'), 3), [
    ['A1', 'two; lines\nof one'],
    ['A2', 'อรุณ'],
    ['A3', 'x'],
  ]);
  const long = `id,name\nA1,${'ก'.repeat(100)}\n`;
  const [[, cell = ''] = []] = await firstRowsOf(await readFile(long, 'rows.csv'), 3);
  t.equal(cell, `${'ก'.repeat(59)}…`);
  const objects = '{"id":"A1","items":[["a"]]}\n{"items":[],"id":"A2"}\n';
  t.strictSame(await firstRowsOf(await readFile(objects, 'rows.ndjson'), 3), [
    ['A1', '[["a"]]'],
    ['A2', '[]'],
  ]);
});

t.test('a PDF and a picture are told from rows, and corrections from further rows', async (t) => {
  t.equal(await readRowFile(new Blob(['%PDF-1.7\n%\u00e2\n']), 'rows.csv'), 'pdf');
  const pictures = [
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01],
    [0x52, 0x49, 0x46, 0x46, 0x24, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
  ];
  for (const bytes of pictures) {
    t.equal(await readRowFile(new Blob([new Uint8Array(bytes)]), 'rows.csv'), 'picture');
  }
  t.ok(isCorrections(await readFile('#part,#line,#reasons,row\n1,2,,A\n', 'invalid.csv')));
  t.notOk(isCorrections(await readFile('row,total\nA,1\n', 'more.csv')));
});

t.test('a row that is longer than what is read of a file is shortened', async (t) => {
  const rows = `id,name\nA1,short\nA2,${'x'.repeat(400_000)}\n`;
  t.strictSame(await firstRowsOf(await readFile(rows, 'rows.csv'), 3), [['A1', 'short']]);
  const single = `id,name\nA2,${'x'.repeat(400_000)}\n`;
  t.strictSame(await firstRowsOf(await readFile(single, 'rows.csv'), 3), [
    ['A2', `${'x'.repeat(59)}…`],
  ]);
});

t.test('an empty file has a column that identifies the row, and one for each field', async (t) => {
  const field = { type: 'text', required: true, format: {}, validation: {} } as const;
  t.strictSame(headerOf([{ ...field, name: 'total' }]), ['row', 'total']);
  t.strictSame(headerOf([{ ...field, name: 'row' }]), ['row']);
});

t.test('the example of a table in a cell is what the contract of the field takes', async (t) => {
  const cell = tableCellOf(['Item', 'Amount "THB"']);
  t.strictSame(JSON.parse(cell), [
    ['Item 1', 'Amount "THB" 1'],
    ['Item 2', 'Amount "THB" 2'],
  ]);
  t.equal(tableCellOf([]), '[["A 1","B 1"],["A 2","B 2"]]');
});

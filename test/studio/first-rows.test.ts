import t from 'tap';
import {
  cellsOf,
  firstValuesOf,
  headerOf,
  tableCellOf,
} from '../../studio/src/runs/file/first-rows.ts';
import { chooseIdColumn, countFaultyIds } from '../../studio/src/runs/file/row-ids.ts';
import { isCorrections, readRowFile, type RowFile } from '../../studio/src/runs/file/rows.ts';

async function firstCells(rows: RowFile) {
  return cellsOf(await firstValuesOf(rows, 3));
}

async function readFile(text: string, name: string): Promise<RowFile> {
  const read = await readRowFile(new Blob([text]), name);
  if (typeof read !== 'object' || !('file' in read)) throw new Error('not read');
  return read;
}

t.test('the first three rows of a file are shown as they were read', async (t) => {
  const csv = 'id;name\nA1;"two; lines\nof one"\n\nA2;อรุณ\nA3;x\nA4;y\n';
  t.strictSame(await firstCells(await readFile(csv, 'rows.csv')), [
    ['A1', 'two; lines\nof one'],
    ['A2', 'อรุณ'],
    ['A3', 'x'],
  ]);
  const long = `id,name\nA1,${'ก'.repeat(100)}\n`;
  const [[, cell = ''] = []] = await firstCells(await readFile(long, 'rows.csv'));
  t.equal(cell, `${'ก'.repeat(59)}…`);
  const objects = '{"id":"A1","items":[["a"]]}\n{"items":[],"id":"A2"}\n';
  t.strictSame(await firstCells(await readFile(objects, 'rows.ndjson')), [
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
  t.strictSame(await firstCells(await readFile(rows, 'rows.csv')), [['A1', 'short']]);
  const single = `id,name\nA2,${'x'.repeat(400_000)}\n`;
  t.strictSame(await firstCells(await readFile(single, 'rows.csv')), [
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

const FIELD = { required: true, format: {}, validation: {} } as const;

async function idColumnOf(
  text: string,
  name: string,
  fields: Parameters<typeof chooseIdColumn>[2],
  reference = '',
): Promise<string> {
  const rows = await readFile(text, name);
  return chooseIdColumn(rows, await firstValuesOf(rows, 200), fields, reference);
}

/** A row that begins with a record. */
function statement(index: number): string {
  const data = {
    customer: { name: `C${index}` },
    branch: 'Silom',
    taxId: `01${index}`,
    statementNo: `S-${index}`,
  };
  return `${JSON.stringify(data)}\n`;
}

t.test('the column that identifies the rows is one that can', async (t) => {
  const fields = [
    { ...FIELD, name: 'customer', type: 'record', fields: [] },
    { ...FIELD, name: 'branch', type: 'text' },
    { ...FIELD, name: 'statementNo', type: 'text' },
    { ...FIELD, name: 'taxId', type: 'text' },
  ] as const;
  const statements = [1, 2, 3].map(statement).join('');
  t.equal(await idColumnOf(statements, 'a.ndjson', fields, '{{statementNo}}'), 'statementNo');
  t.equal(await idColumnOf(statements, 'a.ndjson', fields), 'taxId', 'the first one that can');
  const mixed = '{{branch}}-{{statementNo}}';
  t.equal(await idColumnOf(statements, 'a.ndjson', fields, mixed), 'taxId', 'no single field');
  t.equal(await idColumnOf(statements, 'a.ndjson', fields, '{{branch}}'), 'taxId', 'all are alike');
  const [first, ...others] = fields;
  const secret = {
    ...FIELD,
    name: 'taxId',
    type: 'text',
    format: { presentation: { secret: true } },
  } as const;
  const masked = [first, ...others.slice(0, 2), secret];
  t.equal(await idColumnOf(statements, 'a.ndjson', masked), 'statementNo', 'no secret');
  const alike = '{"customer":{},"branch":"Silom"}\n{"customer":[],"branch":"Silom"}\n';
  t.equal(await idColumnOf(alike, 'a.ndjson', fields), 'branch', 'none can, and never a record');
});

t.test('a column of the empty CSV identifies, an amount does not', async (t) => {
  const fields = [
    { ...FIELD, name: 'total', type: 'number' },
    { ...FIELD, name: 'receiptNo', type: 'text' },
  ] as const;
  const csv = 'total,receiptNo,row\n1.50,R-1,1\n2.50,R-2,2\n';
  t.equal(await idColumnOf(csv, 'a.csv', fields, '{{receiptNo}}'), 'row');
  t.equal(await idColumnOf(csv.replace('row', 'note'), 'a.csv', fields), 'receiptNo');
  t.equal(await idColumnOf('total\n1\n2\n', 'a.csv', fields), 'total', 'whole numbers');
});

async function countIn(text: string, name: string, column: string): Promise<number> {
  const rows = await readFile(text, name);
  return countFaultyIds(rows, await firstValuesOf(rows, 200), column);
}

t.test('rows are counted that a column does not identify', async (t) => {
  t.equal(await countIn('id,a\nA1,x\n,y\nA1,z\nA1,x\n', 'a.csv', 'id'), 2, 'one row is twice');
  t.equal(await countIn('id,a\n1.23E+11,x\n 1,y\n2,z\n', 'a.csv', 'id'), 2);
  const long = 'x'.repeat(129);
  const values = [1, 1.5, true, null, {}, [], 'A', long, long.slice(1), 2 ** 53];
  const text = values.map((id) => `${JSON.stringify({ id })}\n`).join('');
  t.equal(await countIn(text, 'a.ndjson', 'id'), 7, 'all but 1, A and 128 letters');
});

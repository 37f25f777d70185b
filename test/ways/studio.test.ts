import t from 'tap';
import { ExactNumber, textOf, toJson } from '../../studio/src/api/exact.ts';
import { editSample } from '../../studio/src/editor/sample-edit.ts';
import { readTemplate, withoutEmpty } from '../../studio/src/editor/template-text.ts';
import { parseCells } from '../../studio/src/form/cells.ts';
import { withParsedTexts } from '../../studio/src/form/json-texts.ts';
import { readAsUtf8 } from '../../studio/src/form/text-file.ts';
import { partsOf, type RowFile, readRowFile } from '../../studio/src/runs/file/rows.ts';
import { cellOf, isRepeated, jsonOf, RECORDS as ALL_RECORDS } from './records.ts';
import { windows874 } from './service.ts';

/** The ways in of the Studio: forms, samples, tables and uploads of rows. */

/** A form has one value for each name. */
const RECORDS = ALL_RECORDS.filter((record) => !isRepeated(record));

/** A value as JSON that the Studio may leave out: the contract takes it for absent. */
const EMPTY = new Set(['', '""', 'null']);

t.test('a form that is filled from a sample sends the record as it stands there', async (t) => {
  const samples = RECORDS.map((record) => `{"name":"${record.ref}","data":${jsonOf(record)}}`);
  const source = `{"name":"x","fields":[],\n"samples" : [ ${samples.join(' ,\n')} ]}`;
  const read = readTemplate(source)?.samples ?? [];
  t.equal(read.length, RECORDS.length);
  const different = RECORDS.filter((record, index) => {
    const sent = toJson(withoutEmpty(read[index]?.data ?? {}));
    const { ref, field, json } = record;
    if (EMPTY.has(json)) return sent !== `{"ref":"${ref}"}`;
    const value = sent.slice(`{"ref":"${ref}","${field}":`.length, -1);
    // Numbers keep their characters; texts may be written in another way.
    const isSame = value === json || (/^["tf{[]/.test(json) && sameValue(value, json));
    return !isSame;
  });
  t.strictSame(different, []);
});

function sameValue(one: string, other: string): boolean {
  return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

t.test('what is typed into a form is sent as text, and nothing is left out', async (t) => {
  for (const record of RECORDS) {
    const cell = cellOf(record);
    const sent = toJson(withoutEmpty({ ref: record.ref, [record.field]: cell }));
    const expected = cell === '' ? '' : `,"${record.field}":${JSON.stringify(cell)}`;
    t.equal(sent, `{"ref":"${record.ref}"${expected}}`);
  }
});

t.test('a form shows numbers with their digits, and a sample keeps them when saved', async (t) => {
  const source = '{"samples":[{"name":"a","data":{"n":12345678901234567890.12,"m":1.10,"k":5}}]}';
  const data = readTemplate(source)?.samples[0]?.data ?? {};
  t.equal(textOf(data['n']), '12345678901234567890.12');
  t.equal(textOf(data['m']), '1.10');
  t.equal(data['k'], 5);
  t.equal(textOf(new ExactNumber('-0')), '-0');
  const other = editSample(source, { name: 'b', data }, 0);
  t.match(other?.change.insert, '"n": 12345678901234567890.12');
  t.match(other?.change.insert, '"m": 1.10');
  const changed = { ...data, k: '6' };
  t.match(editSample(source, { name: 'a', data: changed }, 0)?.change.insert, '"m": 1.10');
});

t.test('numbers in lists and records keep their digits, too', async (t) => {
  const list =
    '[{"no":1,"price":10.50,"parts":[{"n":1.0},{"n":-0}]},{"price":0.30,"x":[2.0,"2.0"]}]';
  const record = '{"n":12345678901234567890.10,"m":7}';
  const source = `{
    "fields": [
      { "name": "items", "type": "list", "fields": [] },
      { "name": "payer", "type": "record", "fields": [] }
    ],
    "samples": [{ "name": "a", "data": { "items": ${list}, "payer": ${record} } }]
  }`;
  const template = readTemplate(source);
  const data = template?.samples[0]?.data ?? {};
  t.equal(toJson(data), `{"items":${list},"payer":${record}}`);
  // The form shows a list as a text of several lines, which is sent when it is changed.
  const shown = toJson(data['items'], '\n');
  t.equal(shown.replaceAll(/\s/g, ''), list);
  t.equal(toJson(JSON.parse(list), '\n'), JSON.stringify(JSON.parse(list), null, 2));
  t.equal(toJson({ a: [], b: {} }, '\n'), JSON.stringify({ a: [], b: {} }, null, 2));
  const typed = withParsedTexts(template?.fields ?? [], { ...data, items: shown });
  t.strictSame(typed, data, 'the text that was typed is the same list');
  const saved = editSample(source, { name: 'b', data: { ...data, items: shown } }, 0);
  t.match(saved?.change.insert, '"price": 10.50');
  t.match(saved?.change.insert, '12345678901234567890.10');
});

const CSV = 'id,name\r\n1,สมชาย ใจดี\r\n2,"บริษัท ABC, จำกัด"\r\n';

async function rowsOf(file: RowFile): Promise<string> {
  const texts: string[] = [];
  for await (const { rows } of partsOf(file)) texts.push(await rows.text());
  return texts.join('|');
}

t.test('rows are uploaded as UTF-8, whatever the file is', async (t) => {
  const cases = [
    [Buffer.from(CSV), null, 'utf-8'],
    [windows874(CSV), null, 'windows-874'],
    [windows874(CSV), 'windows-874', 'windows-874'],
    [Buffer.from(`\uFEFF${CSV}`, 'utf16le'), null, 'utf-16le'],
  ] as const;
  for (const [bytes, named, encoding] of cases) {
    const read = await readRowFile(new Blob([new Uint8Array(bytes)]), 'rows.csv', named);
    if (typeof read === 'string' || !('file' in read)) return t.fail(encoding);
    t.equal(read.encoding, encoding);
    t.strictSame(read.columns, ['id', 'name']);
    t.equal(await rowsOf(read), CSV);
  }
});

t.test('a file that is no text is refused with line and byte, wherever that is', async (t) => {
  const long = `id,name\n${'1,abc\n'.repeat(300_000)}`;
  const latin = new Blob([long, new Uint8Array(Buffer.from('2,Café\n', 'latin1'))]);
  const expected = { line: 300_002, byte: 6, encoding: null };
  t.strictSame(await readRowFile(latin, 'rows.csv'), expected);
  t.strictSame(await readAsUtf8(latin, null), expected);
  const named = await readAsUtf8(new Blob(['id\nไทย\n']), 'windows-874');
  t.match(named, { line: 2, encoding: 'windows-874' });
});

t.test('the cells of a table are read from any of the encodings', async (t) => {
  for (const bytes of [
    Buffer.from(`\uFEFF${CSV}`),
    windows874(CSV),
    Buffer.from(`\uFEFF${CSV}`, 'utf16le'),
  ]) {
    const read = await readAsUtf8(new Blob([new Uint8Array(bytes)]), null);
    if (!('text' in read)) return t.fail('no text');
    const expected = ['1', 'สมชาย ใจดี'];
    t.strictSame(parseCells(await read.text.text(), ',')[1], expected);
  }
});

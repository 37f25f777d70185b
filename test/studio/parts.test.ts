import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import t from 'tap';
import type { RowFile } from '../../studio/src/runs/file/rows.ts';
import { checkColumns, partsOf, readRowFile } from '../../studio/src/runs/file/rows.ts';
import { parseMetrics, quantileBetween, sumOf } from '../../studio/src/api/metrics.ts';
import { SIGN_IN_FAILURES as STUDIO_FAILURES } from '../../studio/src/api/sign-in.ts';
import { FIELD_TYPES as STUDIO_TYPES } from '../../studio/src/api/field-types.ts';
import type { Field } from '../../studio/src/api/field-types.ts';
import { breakingChanges } from '../../src/runtime/contract/breaking-changes.ts';
import { toJson } from '../../studio/src/api/exact.ts';
import { compareLines } from '../../studio/src/compare/lines.ts';
import { readMixed, splitParts } from '../../studio/src/api/mixed.ts';
import { relocate } from '../../studio/src/editor/checks/relocate.ts';
import { editSample } from '../../studio/src/editor/sample-edit.ts';
import {
  DRAFT_BYTES_MAX,
  formatJson,
  readTemplate,
} from '../../studio/src/editor/template-text.ts';
import { parseCells, pasteInto, rowsOf } from '../../studio/src/form/cells.ts';
import { fromBuddhist, toBuddhist } from '../../studio/src/form/dates.ts';
import { withParsedTexts } from '../../studio/src/form/json-texts.ts';
import { SIGN_IN_FAILURES } from '../../src/gateway/callers/sign-in-failure.ts';
import { LIMITS } from '../../src/limits.ts';
import {
  fieldTypesOfStudio,
  runTypesOfStudio,
  typesOfStudio,
} from '../../lab/pages/studio-types.ts';
import { FIELD_TYPES } from '#engine/light';

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function field(name: string, more: Partial<Field> = {}): Field {
  return { name, type: 'text', required: false, ...more };
}

function exposition(low: number, all: number): string {
  return `# HELP x y
seconds_bucket{route="a b",le="0.1"} ${low}
seconds_bucket{route="a b",le="+Inf"} ${all}
count{code="x"} 2
count{code="y"} 3
`;
}

t.test('the types of the Studio are those of the service (npm run generate)', async (t) => {
  t.same(STUDIO_TYPES, FIELD_TYPES);
  const made = {
    'api/types.ts': typesOfStudio,
    'api/field-types.ts': fieldTypesOfStudio,
    'runs/types.ts': runTypesOfStudio,
  };
  for (const [name, make] of Object.entries(made)) {
    t.equal(
      readFileSync(new URL(`../../studio/src/${name}`, import.meta.url), 'utf8'),
      make(),
      name,
    );
  }
});

t.test('the Studio names the limit of a draft that the service has', async (t) => {
  t.equal(DRAFT_BYTES_MAX, LIMITS.templateBytesMax);
});

t.test('the sign-in page explains every reason that the service gives', async (t) => {
  t.strictSame([...STUDIO_FAILURES], Object.keys(SIGN_IN_FAILURES));
});

t.test('a CSV is read as it was written, with any characters in its cells', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ก', '"', ',', ';', '\n', ' ', '1') });
  const row = fc.array(cell, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const csv = rows.map((cells) => cells.map(quoted).join('\t')).join('\r\n');
      const [first = ''] = csv.split('\n', 1);
      // The first line decides the separator; a line feed inside its first cell would hide the tab.
      fc.pre(first.includes('\t'));
      return JSON.stringify(parseCells(csv)) === JSON.stringify(rows);
    }),
  );
});

t.test('cells may be separated by tabs, commas or semicolons', async (t) => {
  t.strictSame(parseCells('1\tone\n2\ttwo\n'), [
    ['1', 'one'],
    ['2', 'two'],
  ]);
  t.strictSame(parseCells('\uFEFFa,"b, c"\r\nd,e'), [
    ['a', 'b, c'],
    ['d', 'e'],
  ]);
  t.strictSame(parseCells('a;1,5\nb;2,5'), [
    ['a', '1,5'],
    ['b', '2,5'],
  ]);
  t.strictSame(pasteInto([['x']], [['1', '2'], ['3']], 1, 1), [['x'], ['', '1', '2'], ['', '3']]);
  t.strictSame(rowsOf('[["a"]]'), [['a']]);
  t.strictSame(rowsOf(undefined), []);
  t.equal(rowsOf('plain'), null);
  t.equal(rowsOf([[1]]), null);
});

t.test('text on one line is laid out, and every value stays as it was written', async (t) => {
  const text = '{"a":1.50,"a":-1e400,"b":[],"c":["x\\"]",{"long":"' + 'ก'.repeat(60) + '"}]}';
  const lines = formatJson(text).split('\n');
  t.strictSame(lines.slice(0, 6), [
    '{',
    '  "a": 1.50,',
    '  "a": -1e400,',
    '  "b": [],',
    '  "c": [',
    '    "x\\"]",',
  ]);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      return JSON.stringify(JSON.parse(formatJson(json))) === json;
    }),
  );
  fc.assert(fc.property(fc.string(), (any) => typeof formatJson(any) === 'string'));
});

/** The text after a sample was saved; '' when it was refused. */
function saved(text: string, name: string, data: object, chosen = 0): string {
  const edit = editSample(text, { name, data: { ...data } }, chosen);
  if (edit === null) return '';
  const { from, to, insert } = edit.change;
  return text.slice(0, from) + insert + text.slice(to);
}

t.test('a sample is saved where it belongs, and the rest of the text stays as typed', async (t) => {
  const text = `{
  "rate": 1.50,
  "samples": [
    { "data": "no object" },
    { "name": "A", "data": { "total": 1.50, "id": 12345678901234567890 } },
    null,
    { "name": "B",   "data": {"total":2.0} }
  ]
}
`;
  t.equal(
    saved(text, 'B', { total: 3 }, 1),
    text.replace('"B",   "data": {"total":2.0}', '"B", "data": { "total": 3 }'),
    'malformed entries before it are counted',
  );
  t.equal(
    saved(text, 'C', { total: 1.5, note: 'new' }, 0),
    text.replace(/\n {2}\]/, ',\n    { "name": "C", "data": { "total": 1.50, "note": "new" } }$&'),
    'what the chosen sample has already keeps its digits',
  );
  const id = Number('12345678901234567890');
  t.equal(
    saved(text, 'A', { total: 1.5, id, note: 'x' }, 0),
    text.replace(
      /\{ "name": "A".*\}/,
      `{
      "name": "A",
      "data": { "total": 1.50, "id": 12345678901234567890, "note": "x" }
    }`,
    ),
    'a long sample is laid out on lines',
  );
  const twice = '{ "samples": [{ "name": "A", "data": {} }, { "name": "A", "data": { "a": 1 } }] }';
  t.match(saved(twice, 'A', { a: 2 }, 1), /"data": \{\} \}, .*2/s, 'the chosen one of two names');
  t.equal(
    saved('{\n  "name": "x"\n}\n', 'A', {}),
    '{\n  "name": "x",\n  "samples": [{ "name": "A", "data": {} }]\n}\n',
    'a template without samples gets the list',
  );
  t.equal(saved('{ "samples": {} }', 'A', {}), '', 'samples that are not a list are left alone');
  t.equal(saved('{ "samples": [', 'A', {}), '', 'so is a text that is not JSON');
});

t.test('a list that is typed as JSON text is saved as the list', async (t) => {
  const inner = '[{ "name": "lines", "type": "list", "fields": [] }]';
  const text = `{
  "fields": [
    { "name": "lines", "type": "list", "fields": [] },
    { "name": "order", "type": "record", "fields": ${inner} },
    { "name": "note", "type": "text" }
  ],
  "samples": []
}`;
  const typed = '[\n{ "price": 1.10 } ]';
  const sample = (data: object): unknown =>
    (JSON.parse(saved(text, 'A', data)) as { samples: readonly { data: unknown }[] }).samples[0]
      ?.data;
  t.match(saved(text, 'A', { lines: typed }), '"data": { "lines": [{ "price": 1.10 }] }');
  const both = { order: { lines: typed, no: 1 }, note: '[1]' };
  t.same(sample(both), { order: { lines: [{ price: 1.1 }], no: 1 }, note: '[1]' });
  t.same(sample({ order: '{"no":2}' }), { order: { no: 2 } }, 'a record, too');
  for (const broken of ['[{', '1', 'null']) t.same(sample({ lines: broken }), { lines: broken });
  const { fields } = readTemplate(text) ?? {};
  t.equal(
    toJson(withParsedTexts(fields ?? [], { ...both, lines: typed })),
    '{"order":{"lines":[{"price":1.10}],"no":1},"note":"[1]","lines":[{"price":1.10}]}',
    'with all digits',
  );
});

t.test('a template with many samples is read in time', async (t) => {
  const rows = Array.from({ length: 100 }, (_, row) => ({ price: row + 0.25, note: 'a' }));
  const samples = Array.from({ length: 400 }, (_, at) => ({ name: `s${at}`, data: { rows } }));
  const text = JSON.stringify({ fields: [], samples });
  const startMs = performance.now();
  t.equal(readTemplate(text)?.samples.length, 400);
  // 0.15 s; searching the text anew for each sample took 27.
  t.ok(performance.now() - startMs < 5_000);
});

t.test('whatever a template holds, saving a sample changes nothing else', async () => {
  const key = fc.constantFrom('name', 'data', 'samples', 'a"\\', '__proto__');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(1, -0.5, 'x', '}', null, true),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const template = fc.record({ document: tree, samples: fc.array(tree, { maxLength: 5 }) });
  fc.assert(
    fc.property(template, fc.constantFrom(0, 2), fc.nat(5), (value, indent, chosen) => {
      const text = JSON.stringify(value, null, indent);
      const before = JSON.parse(text) as { document: unknown; samples: unknown[] };
      const after = JSON.parse(saved(text, 'x', { a: 1 }, chosen)) as typeof before;
      const others = after.samples.filter((one, at) => !sameJson(one, before.samples[at]));
      return (
        sameJson(after.document, before.document) &&
        others.length <= 1 &&
        after.samples.some((one) => sameJson((one as { data?: unknown } | null)?.data, { a: 1 }))
      );
    }),
  );
});

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

t.test('a date converted to the Buddhist era and back is the same date', async (t) => {
  const day = fc.date({
    min: new Date('1900-01-01'),
    max: new Date('2200-01-01'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(day, (date) => {
      const iso = date.toISOString().slice(0, 10);
      return fromBuddhist(toBuddhist(iso)) === iso;
    }),
  );
  t.equal(fromBuddhist('๓๑/๑/๒๕๖๙'), '2026-01-31');
  for (const wrong of ['30/2/2569', '1/13/2569', '1/1/69', '31/1/2026', 'x']) {
    t.equal(fromBuddhist(wrong), null);
  }
});

t.test('changed lines turn one text into the other', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = compareLines(before.join('\n'), after.join('\n'));
      const count = (kind: string, line: string): number =>
        changes.filter((change) => change.kind === kind && change.text === line).length;
      return ['a', 'b', 'c', 'd'].every((line) => {
        const had = before.filter((one) => one === line).length;
        const has = after.filter((one) => one === line).length;
        return had - count('removed', line) + count('added', line) === has;
      });
    }),
  );
});

t.test('only changes that break callers are named', async (t) => {
  const published = [
    field('gone'),
    field('optional'),
    field('typed'),
    field('bound', { validation: { maxLength: 10, min: 1 } }),
  ];
  const draft = [
    field('optional', { required: true }),
    field('typed', { type: 'number' }),
    field('bound', { validation: { maxLength: 9, min: 1 } }),
    field('new', { required: true }),
    field('free'),
  ];
  t.strictSame(breakingChanges(published, draft), [
    { kind: 'removed', field: 'gone' },
    { kind: 'required', field: 'optional' },
    { kind: 'type', field: 'typed', from: 'text', to: 'number' },
    { kind: 'stricter', field: 'bound' },
    { kind: 'required', field: 'new' },
  ]);
  const looser = [field('bound', { validation: { maxLength: 11, min: 0 } })];
  t.strictSame(
    breakingChanges([field('bound', { validation: { maxLength: 10, min: 1 } })], looser),
    [],
  );
  t.strictSame(breakingChanges(published, published), []);
});

t.test('figures are read from metrics in the Prometheus format', async (t) => {
  const [before, after] = [parseMetrics(exposition(10, 10)), parseMetrics(exposition(109, 110))];
  t.equal(sumOf(after, 'count'), 5);
  t.equal(sumOf(after, 'count', { code: 'y' }), 3);
  const route = { route: 'a b' };
  t.equal(quantileBetween(before, after, 'seconds', route, 0.99), 0.1);
  t.equal(quantileBetween(before, after, 'seconds', route, 0.995), 0.1, 'the highest finite bound');
  t.equal(quantileBetween(after, after, 'seconds', route, 0.99), null);
});

function rowFile(text: string, format: 'csv' | 'ndjson', headBytes: number): RowFile {
  return {
    file: new Blob([text]),
    name: `rows.${format}`,
    format,
    encoding: 'utf-8',
    separator: ',',
    columns: [],
    header: '',
    headBytes,
  };
}

async function partTexts(file: RowFile, partBytes: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { rows } of partsOf(file, partBytes)) texts.push(await rows.text());
  return texts;
}

t.test('a file of rows is cut between rows, and nothing is lost', async () => {
  const cell = fc.constantFrom('a', 'ก ข', '"x\ny"', '"say ""hi"""', '');
  const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
  const rows = fc.array(row, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 64, max: 200 }), async (list, partBytes) => {
      const header = 'id,name\n';
      const body = list.map((one) => `${one}\n`);
      const texts = await partTexts(rowFile(header + body.join(''), 'csv', 8), partBytes);
      const cut = texts.map((text) => text.slice(header.length));
      const isWhole = (part: string): boolean => {
        let rest = part;
        while (rest !== '') {
          const next = body.find((one) => rest.startsWith(one));
          if (next === undefined) return false;
          rest = rest.slice(next.length);
        }
        return true;
      };
      return (
        texts.every((text) => text.startsWith(header)) &&
        cut.join('') === body.join('') &&
        cut.every(isWhole)
      );
    }),
  );
});

t.test('each part says on which line of the file it begins', async (t) => {
  const file = rowFile('id,"a\nb"\n1,"x\n\ny"\n2,z\n3,z\n', 'csv', 9);
  const lines: number[] = [];
  for await (const { firstLine } of partsOf(file, 6)) lines.push(firstLine);
  t.strictSame(lines, [3, 6, 7]);
});

t.test('NDJSON is cut only at line feeds, and the last line needs none', async (t) => {
  const lines = '{"a":"\\""}\n{"a":"b"}\n{"a":"c"}';
  t.same(await partTexts(rowFile(lines, 'ndjson', 0), 12), [
    '{"a":"\\""}\n',
    '{"a":"b"}\n',
    '{"a":"c"}',
  ]);
});

t.test('the columns of a file are compared with the fields', async (t) => {
  const csv = await readRowFile(new Blob(['\uFEFFid,"total"\n1,2\n']), 'Rows.CSV');
  t.match(csv, { format: 'csv', columns: ['id', 'total'] });
  const lines = await readRowFile(new Blob(['{"id":1,"total":"2"}\n']), 'rows.jsonl');
  t.match(lines, { format: 'ndjson', columns: ['id', 'total'], headBytes: 0 });
  t.equal(await readRowFile(new Blob(['[1]\n']), 'rows.ndjson'), 'unreadable');
  t.equal(await readRowFile(new Blob(['no']), 'rows.ndjson'), 'unreadable');
  t.equal(await readRowFile(new Blob(['only a header']), 'rows.csv'), 'unreadable');
  const semicolons = await readRowFile(new Blob(['id;total\n1;2\n']), 'rows.csv');
  t.match(semicolons, { columns: ['id', 'total'] }, 'as the service reads them');
  const tabs = await readRowFile(new Blob([' id\ttotal \t\n1\t2\t\n']), 'rows.csv');
  t.match(tabs, { columns: ['id', 'total'] }, 'blanks and empty columns do not count');
  const fields = [
    field('total', { required: true }),
    field('note'),
    field('name', { required: true }),
  ];
  t.strictSame(checkColumns(['id', 'total', 'other'], fields, 'id'), {
    missing: ['name'],
    absent: ['note'],
    unknown: ['other'],
  });
});

t.test('a finding in a text on one line is found in the text as it is laid out', async (t) => {
  const source = `{"a b":  {"list":[1, "two words"]},"long":"${'x'.repeat(60)}","wrong":true}`;
  const text = formatJson(source);
  for (const part of ['"list"', '"two words"', '"wrong"', 'true']) {
    const finding = { severity: 'error', path: '', message: '', line: 1 } as const;
    const column = source.indexOf(part) + 1;
    const { line, column: at = 0 } = relocate({ ...finding, column }, source, text);
    const found = text.split('\n')[(line ?? 0) - 1]?.slice(at - 1);
    t.ok(found?.startsWith(part), part);
  }
  t.ok(text.includes('\n'));
});

function reply(body: Uint8Array<ArrayBuffer>, type: string): Response {
  return new Response(body, { headers: { 'content-type': type } });
}

t.test('a reply in parts is read, whatever bytes its file has', async (t) => {
  const head = '--b\r\nContent-Type: application/json\r\n\r\n{"a":"\u0E01"}\r\n--b\r\nA: b\r\n\r\n';
  const file = Buffer.from('%PDF\r\n\r\n\r\n-\r\n--\r\n\xff\0\r', 'latin1');
  const bytes = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
  const read = await readMixed(reply(bytes, 'multipart/mixed; boundary=b'));
  t.same(read.json, { a: 'ก' });
  t.same(Buffer.from(read.file ?? []), file);
  const alone = await readMixed(reply(Buffer.from('{"a":1}'), 'application/json; charset=utf-8'));
  t.same(alone, { json: { a: 1 }, file: null });
  for (let length = 0; length < bytes.length - 6; length += 1) {
    const cut = reply(bytes.subarray(0, length), 'multipart/mixed; boundary=b');
    await t.rejects(readMixed(cut), SyntaxError, `cut after ${length} bytes`);
  }
  t.same(splitParts(Buffer.from('--b\r\n\r\n\r\n--b--'), 'b'), [new Uint8Array(0)], 'empty');
});

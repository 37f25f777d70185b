import t from 'tap';
import { shareTemplate, tryRender } from '../../../lab/render.ts';
import type { FieldDefect } from '../../errors.ts';
import type { SharedTemplate } from '../job.ts';
import run from '../../workers/render.ts';

interface Shape {
  readonly fields?: readonly object[];
  readonly content: readonly unknown[];
  readonly samples?: readonly { readonly name: string; readonly data: unknown }[];
  readonly missingGlyph?: string;
}

function template({
  fields,
  content,
  samples = [],
  missingGlyph = 'reject',
}: Shape): SharedTemplate {
  const named = { templateId: 'values', name: 'values', language: 'en' };
  const declared = fields ?? [{ name: 'rows', type: 'table', required: true }];
  const file = { ...named, missingGlyph, fields: declared, samples, document: { content } };
  return shareTemplate(JSON.stringify(file));
}

/** The defects that a render reports. */
async function refusedByRender(shape: Shape, data: unknown): Promise<readonly FieldDefect[]> {
  const result = await tryRender(template(shape), data);
  return result.ok ? [] : (result.fields ?? []);
}

/** The defects that a dry run of one row reports. */
async function refusedByDryRun(shape: Shape, data: object): Promise<readonly FieldDefect[]> {
  const rows = Buffer.from(JSON.stringify({ id: 'R-1', ...data }));
  const result = await run({
    kind: 'check_rows',
    watermark: null,
    template: template(shape),
    rows,
    ends: [rows.length],
    header: null,
    idField: 'id',
    sumFields: [],
  });
  if (result === undefined || !('rows' in result)) throw new Error('the rows were not checked');
  const [row] = result.rows;
  return row !== undefined && 'digest' in row ? (row.failure?.fields ?? []) : [];
}

/** The findings about the one sample of a template. */
async function foundInSample(shape: Shape, data: unknown): Promise<readonly string[]> {
  const result = await run({
    kind: 'check',
    template: template({ ...shape, samples: [{ name: 'a', data }] }),
    renderSamples: true,
    atMs: 0,
  });
  if (result === undefined || !('findings' in result)) throw new Error('nothing was checked');
  return result.findings
    .filter(({ path }) => path.startsWith('samples'))
    .map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

const TEXT = [{ name: 'code', type: 'text', required: true }];
interface Case {
  readonly name: string;
  readonly shape: Shape;
  readonly data: object;
  /** The place in the template that the check of a sample adds to the reason. */
  readonly cause?: string;
}
const CASES: readonly Case[] = [
  {
    name: 'a barcode that cannot hold its text',
    shape: { fields: TEXT, content: [{ barcode: 'ean13', data: '{{code}}' }] },
    data: { code: '12' },
  },
  {
    name: 'a character that no font draws',
    shape: { fields: TEXT, content: ['{{code}}'] },
    data: { code: '\u4e2d' },
  },
  {
    name: 'a cell of a summed column that is no amount',
    shape: { content: ['{{sum rows.1}}'] },
    data: { rows: [['a', '(1.00)']] },
    cause: ': document.content[0] adds up the column',
  },
];

t.test('render, dry run and check of samples refuse the same values', async (t) => {
  for (const { name, shape, data, cause = '' } of CASES) {
    const defects = await refusedByRender(shape, data);
    t.equal(defects.length, 1, name);
    t.strictSame(await refusedByDryRun(shape, data), defects, `${name}: a dry run`);
    const [defect] = defects;
    const found = await foundInSample(shape, data);
    const refusal = `error samples[0].data.${defect?.field}: ${defect?.reason}${cause}.`;
    t.ok(found.includes(refusal), `${name}: a sample: ${found.join('; ')}`);
  }
});

t.test('one document reports the defects of all its fields, each field once', async (t) => {
  const fields = [...TEXT, { name: 'rows', type: 'table', required: true }];
  const content = [{ barcode: 'ean13', data: '{{code}}' }, '{{code}}', '{{sum rows.0}}'];
  const shape = { fields, content };
  t.match(await refusedByRender(shape, { code: '\u4e2d', rows: [['1-']] }), [
    { field: 'code', reason: 'text has a character that no font can draw' },
    { field: 'rows', reason: /amount/ },
  ]);
});

/** Cells that a reader takes for an amount, and that are none for a sum. */
const NOT_AMOUNTS = (
  '+100.00|(100.00)|\u2212100.00|100.00-|฿100.00|-฿100.00|100.00 บาท|๑๐๐.๐๐|' +
  '.50|5.|12,34,567.00|1 000.00|100.00 CR|1e5|1.000,00|½|１００|١٠٠|१००|Ⅻ|〇|〡|㊀|' +
  '一百|壹佰元整|負二萬五千圓|二.五|五百 元|億'
).split('|');
const AMOUNTS = [
  '100.00',
  '-100.00',
  '1,234.50',
  ' 7 ',
  '0',
  '-',
  '–',
  '',
  'free',
  'n/a',
  '一般',
  '元',
  '合計',
];

const SUMMED: readonly { readonly name: string; readonly content: readonly unknown[] }[] = [
  { name: 'sum', content: ['{{sum rows.1}}'] },
  ...(['credit', 'debit'] as const).map((side) => ({
    name: side,
    content: [
      {
        table: {
          statement: { each: 'rows', [side]: 1 },
          body: [{ each: 'rows', cells: ['{{0}}', '{{1}} {{statement.balance}}'] }],
        },
      },
    ],
  })),
];

t.test('a summed column refuses a cell with digits that adds nothing, and names it', async (t) => {
  for (const { name, content } of SUMMED) {
    for (const cell of NOT_AMOUNTS) {
      const rows = [
        ['x', '1.00'],
        ['12 eggs', '-'],
        ['y', cell],
        ['z', cell],
      ];
      const [defect, ...others] = await refusedByRender(
        { content, missingGlyph: 'notdef' },
        { rows },
      );
      t.strictSame(others, [], `${name} ${cell}`);
      t.match(
        defect,
        { field: 'rows', reason: 'plain amount expected in row 2, column 1 (from 0)' },
        `${name} ${cell}`,
      );
    }
    const rows = AMOUNTS.map((cell) => ['(12)', cell]);
    t.strictSame(await refusedByRender({ content, missingGlyph: 'notdef' }, { rows }), [], name);
  }
});

t.test('a column that nothing sums holds any text', async (t) => {
  const content = [{ table: { body: [{ each: 'rows', cells: ['{{0}}', '{{1}}'] }] } }];
  const rows = NOT_AMOUNTS.map((cell) => [cell, cell]);
  t.strictSame(await refusedByRender({ content, missingGlyph: 'notdef' }, { rows }), []);
});

import t from 'tap';
import { findDefects } from '../values/find-defects.ts';
import { compileFile, findingsOf as findingsIn } from './fixtures.ts';

const FIELDS = [
  { name: 'receiptNo', type: 'text', required: true },
  { name: 'issued', type: 'date', required: true, format: { pattern: 'yyyy-MM' } },
  { name: 'branch', type: 'text', required: false },
  { name: 'items', type: 'table', required: false },
];
const CONTENT = '{{receiptNo}} {{issued}} {{branch}} {{sum items.0}}';

async function compile(naming: object) {
  const file = { templateId: 'receipt', fields: FIELDS, document: { content: CONTENT }, ...naming };
  return compileFile({ ...file, samples: [{ data: { items: [['1']] } }] });
}

/** The findings about the names. */
async function findingsOf(naming: object): Promise<readonly string[]> {
  const { findings } = await compile(naming);
  return findings
    .filter(({ path }) => /^(?:reference|fileName)/.test(path))
    .map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

async function ready(naming: object, data: object) {
  const { template, findings } = await compile(naming);
  if (template === null) throw new Error(JSON.stringify(findings));
  const checked = await template.contract.check(Buffer.from(JSON.stringify(data)));
  if (!checked.ok) throw new Error(checked.message);
  return { template, values: checked.value };
}

t.test('a document is named by its values as they are printed', async (t) => {
  const data = { receiptNo: ' RC-0005 ', issued: '2026-11-27' };
  const { template, values } = await ready(
    {
      reference: '{{receiptNo}}',
      fileName: 'receipt-{{receiptNo}}/{{issued}}.pdf'.replace('/', ' '),
    },
    data,
  );
  t.strictSame(template.naming?.of(values), {
    reference: 'RC-0005',
    keep: 'hash',
    fileName: 'receipt- RC-0005 2026-11.pdf',
  });
  const plain = await ready({ reference: { value: 'R/{{branch}}', keep: 'plain' } }, data);
  t.strictSame(
    plain.template.naming?.of(plain.values),
    { reference: '', keep: 'plain', fileName: '' },
    'no reference without a value',
  );
  const path = await ready({ fileName: '{{branch}}' }, { ...data, branch: '../x\\y' });
  t.equal(path.template.naming?.of(path.values).fileName, '_x_y.pdf');
  const none = await ready({}, data);
  t.equal(none.template.naming, null);
});

t.test('a reference that is too long is a defect of its first field', async (t) => {
  const long = { receiptNo: 'x'.repeat(201), issued: '2026-11-27' };
  const { template, values } = await ready({ reference: '{{receiptNo}}' }, long);
  t.strictSame(findDefects(template, values), [
    { field: 'receiptNo', reason: 'reference of the document is longer than 200 characters' },
  ]);
  const fits = await ready({ reference: '{{receiptNo}}' }, { ...long, receiptNo: 'x'.repeat(200) });
  t.strictSame(findDefects(fits.template, fits.values), []);
  const named = await ready({ fileName: '{{receiptNo}}' }, long);
  t.strictSame(findDefects(named.template, named.values), [], 'a file name is shortened');
});

t.test('a misspelt "required" is not told twice', async (t) => {
  for (const key of ['requird', 'mandatory']) {
    const fields = [{ name: 'no', type: 'text', [key]: true }];
    const found = await findingsIn({ content: ['{{no}}'] }, { fields, reference: '{{no}}' });
    t.equal(found.length, 1, key);
    t.match(found[0]?.message, /is not a key here/);
  }
  const optional = [{ name: 'no', type: 'text' }];
  const found = await findingsIn(
    { content: ['{{no}}'] },
    { fields: optional, reference: '{{no}}' },
  );
  t.match(found[0]?.message, /has no reference/);
});

t.test('findings name the place and the cure', async (t) => {
  t.strictSame(await findingsOf({ reference: '{{receiptNo}}', fileName: 'ใบเสร็จ.pdf' }), []);
  const cases: readonly (readonly [object, RegExp])[] = [
    [
      { reference: '{{recieptNo}}' },
      /^error reference: There is no field "recieptNo"; did you mean "receiptNo"/,
    ],
    [{ fileName: '{{nothing}}.pdf' }, /^error fileName: There is no field "nothing"; declare it/],
    [
      { fileName: '{{recieptNo | upper}}.pdf' },
      /^error fileName: "recieptNo \| upper": "\|" has no meaning here\. Write {{receiptNo}}, or/,
    ],
    [{ reference: 'RC-1' }, /^error reference: names no field/],
    [{ reference: '{{items}}' }, /^error reference: Field "items" is of type table/],
    [{ reference: '{{sum items.0}}' }, /^error reference: Only fields can stand here/],
    [{ reference: '{{page}}' }, /^error reference: \{\{page\}\} is known in header/],
    [{ reference: { keep: 'plain' } }, /^error reference: A reference needs "value"/],
    [
      { reference: { value: '{{receiptNo}}', keep: 'none' } },
      /^error reference.keep: .*"hash" or "plain"|one of/,
    ],
    [{ reference: { value: '{{receiptNo}}', kept: 'hash' } }, /^error reference.*kept/],
    [{ reference: 5 }, /^error reference/],
    [{ fileName: 'a/{{receiptNo}}.pdf' }, /^error fileName: A file name has none of/],
    [
      { reference: '{{branch}}' },
      /^warning reference: A document without "branch" has no reference/,
    ],
  ];
  for (const [naming, expected] of cases) {
    const findings = await findingsOf(naming);
    t.match(findings[0], expected, JSON.stringify(naming));
    t.equal(findings.length, 1, findings.join());
  }
});

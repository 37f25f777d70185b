import t from 'tap';
import { compileContract } from '../../contract/contract.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import { Findings } from '../vocabulary/findings.ts';
import { listFields } from './field-list.ts';
import { compileHead } from './fields.ts';

/** The findings about one field, as `severity path: message`. */
function findingsOf(field: object): string[] {
  const findings = new Findings();
  const template = { templateId: 'x', language: 'th', fields: [{ name: 'f', ...field }] };
  compileHead(template, findings);
  return findings.list().map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

const long = (length: number): string => 'ก'.repeat(length);

t.test('a field may say how people are asked for it, in one language or several', async (t) => {
  const texts = { label: { th: 'ช่องทาง', en: 'Channel' }, help: 'ที่ลูกค้าชำระ', group: long(120) };
  const choices = ['APP', { value: 'BRANCH', label: { en: 'Branch' } }];
  t.same(findingsOf({ type: 'text', ...texts, choices, example: { th: 'APP' } }), []);
  t.same(findingsOf({ type: 'number', choices: [1, '2.50', { value: 3 }], example: 2.5 }), []);
  t.same(findingsOf({ type: 'table', columns: ['ลำดับ', { en: 'Item' }] }), []);
});

t.test('a fault of the presentation is named with its place', async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ lable: 'x' }, /^error fields\[0\]\.lable: .*did you mean "label"\?/],
    [{ label: long(121) }, /^error fields\[0\]\.label: label must be a text of at most 120/],
    [{ label: { thai: 'x', 'not a tag': 'y' } }, /^error fields\[0\]\.label: .*for each language/],
    [{ label: {} }, /^error fields\[0\]\.label: /],
    [{ help: long(501) }, /^error fields\[0\]\.help: /],
    [{ choices: [] }, /^error fields\[0\]\.choices: .*1 to 100/],
    [{ choices: Array.from({ length: 101 }, String) }, /^error fields\[0\]\.choices: .*1 to 100/],
    [{ choices: ['a', ''] }, /^error fields\[0\]\.choices\[1\]: /],
    [{ choices: [{ lable: 'x', value: 'a' }] }, /choices\[0\]\.lable: .*did you mean "label"/],
    [{ choices: [{ label: 'x' }] }, /^error fields\[0\]\.choices\[0\]: A choice needs "value"/],
    [{ choices: ['a', 'a'] }, /^error fields\[0\]\.choices\[1\]: is listed twice/],
    [{ choices: ['a', { value: 'b', label: ' ' }] }, /^error fields\[0\]\.choices\[1\]\.label: /],
    [{ label: ' ' }, /^error fields\[0\]\.label: label must be .*one of them visible/],
    [{ label: { th: '\u200b', en: 'x' } }, /^error fields\[0\]\.label: .*one of them visible/],
    [{ group: '\u2060\u00a0' }, /^error fields\[0\]\.group: .*one of them visible/],
    [
      { choices: ['ab', 'abc'], validation: { maxLength: 2 } },
      /^error fields\[0\]\.choices\[1\]: is refused by the field itself: text of at most 2/,
    ],
    [{ choices: ['a'], example: 'b' }, /^error fields\[0\]\.example: is not among the choices/],
    [
      { example: { th: '12', en: '1' }, validation: { pattern: '^\\d\\d$' } },
      /^error fields\[0\]\.example\.en: is refused by the field itself: .*pattern/,
    ],
    [{ columns: ['a'] }, /^warning fields\[0\]\.columns: has no effect on a text field/],
  ];
  for (const [field, message] of cases) {
    const found = findingsOf({ type: 'text', ...field });
    t.equal(found.length, 1, found.join(' | '));
    t.match(found, [message]);
  }
  t.match(findingsOf({ type: 'table', columns: ['a', '\u00ad'] }), [/^error .*columns: .*visible/]);
  t.match(findingsOf({ type: 'date', choices: ['2026-02-30'] }), [/choices\[0\].*YYYY-MM-DD/]);
  t.match(findingsOf({ type: 'qrcode', choices: ['a'] }), [/^error .*for a qrcode field/]);
  t.match(findingsOf({ type: 'table', example: 'x' }), [/^warning .*no effect on a table/]);
});

t.test('a value outside of the choices is refused; numbers are compared by value', async (t) => {
  const fields: readonly FieldDescriptor[] = [
    { name: 't', type: 'text', required: true, validation: { choices: ['APP', 'สาขา'] } },
    { name: 'n', type: 'number', required: false, validation: { choices: ['1.5', '20'] } },
    { name: 'd', type: 'date', required: false, validation: { choices: ['2026-01-31'] } },
    {
      name: 'm',
      type: 'text',
      required: false,
      format: { mask: 'xx-xx', case: 'upper' },
      validation: { choices: ['ab12'] },
    },
  ];
  const contract = compileContract(fields, 'th');
  const refused = async (data: object): Promise<readonly string[]> => {
    const checked = await contract.check(new TextEncoder().encode(JSON.stringify(data)));
    return checked.ok
      ? []
      : (checked.fields ?? []).map(({ field, reason }) => `${field} ${reason}`);
  };
  t.same(await refused({ t: 'APP', n: '1.50', d: '2026-01-31', m: 'ab12' }), []);
  t.same(await refused({ t: 'สาขา', n: 20.0 }), []);
  t.same(await refused({ t: 'A\u0000PP' }), [], 'cleaned first, as all texts are');
  const reason = 'one of the choices of the field expected';
  t.same(await refused({ t: 'app', n: 15, d: '2026-02-01', m: 'AB12' }), [
    `t ${reason}`,
    `n ${reason}`,
    `d ${reason}`,
    `m ${reason}`,
  ]);
  t.same(await refused({ n: 20 }), ['t required']);
  t.same(await refused({ t: 'APP', n: 'x' }), ['n number expected'], 'its own fault comes first');
});

t.test('field discovery keeps the keys of the specification', async (t) => {
  const fields = [
    {
      name: 'a',
      type: 'text',
      label: 'ป้าย',
      help: { en: 'Help' },
      choices: ['x', { value: 'y', label: 'Y' }],
      validation: { maxLength: 2 },
    },
    { name: 'n', type: 'number', example: 1.5, format: { decimals: 2 } },
    { name: 't', type: 'table', columns: ['ลำดับ', { en: 'Item' }] },
    { name: 'plain', type: 'text', required: true },
    // A draft may hold anything.
    { name: 'odd', type: 'text', label: 7, help: { en: 8 }, choices: [{}, null], columns: 'x' },
  ];
  const source = new TextEncoder().encode(JSON.stringify({ language: 'th', fields }));
  t.same(JSON.parse(new TextDecoder().decode(listFields(source))), [
    {
      name: 'a',
      type: 'text',
      required: false,
      format: {
        presentation: { label: { th: 'ป้าย' }, help: { en: 'Help' }, choices: { y: { th: 'Y' } } },
      },
      validation: { maxLength: 2, choices: ['x', 'y'] },
    },
    {
      name: 'n',
      type: 'number',
      required: false,
      format: { decimals: 2, presentation: { example: { th: '1.5' } } },
    },
    {
      name: 't',
      type: 'table',
      required: false,
      format: { presentation: { columns: [{ th: 'ลำดับ' }, { en: 'Item' }] } },
    },
    { name: 'plain', type: 'text', required: true },
    {
      name: 'odd',
      type: 'text',
      required: false,
      format: { presentation: { label: { th: '7' } } },
    },
  ]);
});

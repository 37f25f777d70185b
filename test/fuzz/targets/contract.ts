import { compileContract } from '../../../src/engine/contract/contract.ts';
import type { FieldDescriptor } from '#engine';
import type { Target } from './target.ts';
import { mutateJson } from '../mutate-json.ts';

const FIELDS: readonly FieldDescriptor[] = [
  { name: 'text', type: 'text', required: true, validation: { pattern: '^a+$', maxLength: 9 } },
  { name: 'account', type: 'text', required: false, format: { mask: 'xxx-X' } },
  { name: 'number', type: 'number', required: true, format: { decimals: 2 } },
  { name: 'words', type: 'number', required: false, format: { style: 'bahttext' } },
  { name: 'date', type: 'date', required: true, format: { calendar: 'buddhist' } },
  { name: 'image', type: 'image', required: false },
  { name: 'qrcode', type: 'qrcode', required: false },
  { name: 'table', type: 'table', required: false },
  { name: 'svg', type: 'svg', required: false },
  { name: '__proto__', type: 'text', required: false },
];

const contract = compileContract(FIELDS, 'th');

const SAMPLE = {
  text: 'aaa',
  account: '1234',
  number: '1250.50',
  words: '-0.25',
  date: '2026-11-21',
  image: 'data:image/png;base64,iVBORw0KGgo=',
  qrcode: 'https://bank.example/',
  table: [['1', 'ก'], []],
  svg: '<svg><rect/></svg>',
};

/** `data` of a request against a contract of all types. */
export const contractTarget: Target = {
  seeds: async () => [
    JSON.stringify(SAMPLE),
    JSON.stringify({ ...SAMPLE, number: 5, table: JSON.stringify(SAMPLE.table) }),
    '{"number":1.5e3,"__proto__":"a","text":"\\ud800\\u0007","date":null}',
    '[]',
  ],
  dictionary: [
    ...'{ } [ ] , : " \\" \\u0000 \\ud800 null true 1e9 -0 1E+400 "number": "table":'.split(' '),
    ...'[[""]] __proto__ constructor 2024-02-29 \x7f \u0085 ก data:image/png;base64, <svg>'.split(
      ' ',
    ),
  ],
  mutate: mutateJson,
  async run(input) {
    const outcome = await contract.check(input);
    if (outcome.ok) return outcome.value.map((value) => value?.type ?? '-').join();
    const names = FIELDS.map(({ name }) => name);
    let last = -1;
    for (const { field } of outcome.fields ?? []) {
      const at = names.indexOf(field);
      if (at <= last) throw new Error('defects are out of order, repeated or unknown');
      last = at;
    }
    return outcome.fields?.map(({ field, reason }) => `${field} ${reason}`).join() ?? outcome.code;
  },
};

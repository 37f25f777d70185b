import t from 'tap';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compileContract } from '../../contract/contract.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import { listFields, listSchema } from './field-list.ts';
import { breakingChanges } from '../../../runtime/contract/breaking-changes.ts';

/** What the service tells callers about records and lists. */

const ENTRY = { name: 'amount', type: 'number', required: true, label: 'Amount' };
const TEMPLATE = {
  templateId: 'nested',
  name: 'Nested',
  fields: [
    { name: 'customer', type: 'record', required: true, fields: [{ name: 'name', type: 'text' }] },
    {
      name: 'accounts',
      type: 'list',
      validation: { minItems: 1, maxItems: 2 },
      fields: [
        { name: 'number', type: 'text', required: true },
        { name: 'entries', type: 'list', fields: [ENTRY] },
      ],
    },
  ],
};
const SOURCE = new TextEncoder().encode(JSON.stringify(TEMPLATE));
const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
const FIELDS = parse(listFields(SOURCE)) as readonly FieldDescriptor[];

t.test('field discovery gives the fields of records and lists', async (t) => {
  t.match(FIELDS, [
    { name: 'customer', required: true, fields: [{ name: 'name', type: 'text', required: false }] },
    {
      name: 'accounts',
      type: 'list',
      required: false,
      validation: { minItems: 1, maxItems: 2 },
      fields: [
        { name: 'number', required: true },
        {
          name: 'entries',
          fields: [{ name: 'amount', format: { presentation: { label: { en: 'Amount' } } } }],
        },
      ],
    },
  ]);
});

t.test('JSON Schema takes what the contract takes', async (t) => {
  const ajv = new Ajv2020({ ownProperties: true, allowUnionTypes: true, strictTypes: false });
  addFormats.default(ajv);
  const takes = ajv.compile(parse(listSchema(SOURCE)) as object);
  const contract = compileContract(FIELDS, 'en');
  const customer = { name: 'Ada' };
  const cases: readonly (readonly [object, boolean])[] = [
    [{ customer }, true],
    [{ customer: {} }, true],
    [{}, false],
    [{ customer: [] }, false],
    [{ customer: { name: 5 } }, false],
    [{ customer: '{"name":"Ada"}' }, true],
    [{ customer, accounts: [] }, false],
    [{ customer, accounts: [{}] }, false],
    [{ customer, accounts: [{ number: '1', entries: [] }] }, true],
    [{ customer, accounts: [{ number: '1', entries: [{ amount: '1.50' }, { amount: 2 }] }] }, true],
    [{ customer, accounts: [{ number: '1', entries: [{ amount: 'x' }] }] }, false],
    [{ customer, accounts: [{ number: '1', entries: '[]' }] }, false],
    [{ customer, accounts: [{ number: '1' }, { number: '2' }, { number: '3' }] }, false],
    [{ customer, accounts: '[{"number":"1"}]' }, true],
  ];
  for (const [data, isTaken] of cases) {
    const text = JSON.stringify(data);
    t.equal((await contract.check(new TextEncoder().encode(text))).ok, isTaken, `contract ${text}`);
    t.equal(takes(data), isTaken, `schema ${text}`);
  }
});

const list = (name: string, fields: readonly object[]) => ({ name, type: 'list', fields });

t.test('changes inside records and lists are told by path', async (t) => {
  const before = [
    list('accounts', [
      { name: 'number', type: 'text' },
      { name: 'old', type: 'text' },
    ]),
  ];
  const after = [
    list('accounts', [
      { name: 'number', type: 'number' },
      { name: 'branch', type: 'text', required: true },
    ]),
    list('others', [{ name: 'any', type: 'text', required: true }]),
  ];
  t.same(breakingChanges(before, after), [
    { kind: 'removed', field: 'accounts.old' },
    { kind: 'type', field: 'accounts.number', from: 'text', to: 'number' },
    { kind: 'required', field: 'accounts.branch' },
  ]);
});

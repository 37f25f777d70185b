import { DATE_FIELD, MONEY_FIELD } from './parts.ts';
import type { Shape, ShapeDocument } from './sheet.ts';
import { STATEMENT } from './statement.ts';

/** The form of the amounts in the data. */
export type NumberForm =
  /** `"1250.50"` */
  | 'text'
  /** `1250.5` */
  | 'number'
  /** `1250.50`, as programs write exact decimals. */
  | 'number as written';

const LIST = { type: 'list', required: true } as const;
const DAY = {
  ...DATE_FIELD,
  name: 'day',
  format: { calendar: 'buddhist', pattern: 'dd/MM/yyyy' },
} as const;
const AMOUNT = { ...MONEY_FIELD, required: false } as const;
const FIELDS = [
  DAY,
  { name: 'text', type: 'text', required: true },
  { ...AMOUNT, name: 'out' },
  { ...AMOUNT, name: 'in' },
  { ...MONEY_FIELD, name: 'balance' },
] as const;

/**
 * Shape B with its rows in the form that core banking systems send: an account with a list of
 * entries, whose dates and amounts the contract checks and formats. The pages are the same.
 */
export function nestedStatement(form: NumberForm): Shape {
  return {
    ...STATEMENT,
    title: '2,000 entries in nested lists',
    template: nestedTemplate(),
    document(seed, options) {
      const document = STATEMENT.document(seed, options);
      return { ...document, data: nestedData(document, form) };
    },
  };
}

function nestedTemplate(): Readonly<Record<string, unknown>> {
  const source = JSON.stringify(STATEMENT.template);
  // The template of shape B is known to have these parts.
  const template = JSON.parse(source) as {
    fields: { name: string }[];
    document: { content: { table?: { body: { each?: string; cells: { text: string }[] }[] } }[] };
    samples: unknown;
  };
  const accounts = {
    ...LIST,
    name: 'accounts',
    fields: [{ ...LIST, name: 'entries', fields: FIELDS }],
  };
  template.fields = [...template.fields.filter(({ name }) => name !== 'rows'), accounts];
  const { content } = template.document;
  const last = content.pop();
  const row = last?.table?.body[1];
  if (last === undefined || row === undefined) throw new Error('shape B has no table at its end');
  Object.assign(row, { each: 'held.entries', as: 'entry' });
  for (const [index, cell] of row.cells.entries()) cell.text = `{{entry.${FIELDS[index]?.name}}}`;
  content.push({ each: 'accounts', as: 'held', stack: [last] } as (typeof content)[number]);
  template.samples = [];
  return template;
}

function nestedData({ data }: ShapeDocument, form: NumberForm): Record<string, unknown> {
  const { rows, ...rest } = data;
  if (!Array.isArray(rows)) throw new Error('shape B has no rows');
  const entries = (rows as string[][]).map(
    ([day = '', text, paid = '', received = '', balance = '']) => ({
      day: isoDay(day),
      text,
      ...(paid === '' ? {} : { out: amount(paid, form) }),
      ...(received === '' ? {} : { in: amount(received, form) }),
      balance: amount(balance, form),
    }),
  );
  return { ...rest, accounts: [{ entries }] };
}

/** `21/11/2569` to `2026-11-21`. */
function isoDay(shown: string): string {
  const [day = '', month = '', year = ''] = shown.split('/');
  return `${Number(year) - 543}-${month}-${day}`;
}

function amount(shown: string, form: NumberForm): unknown {
  const plain = shown.replaceAll(',', '');
  switch (form) {
    case 'text':
      return plain;
    case 'number':
      return Number(plain);
    case 'number as written':
      return rawJSON(plain);
  }
}

// TypeScript's library does not declare JSON.rawJSON yet.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

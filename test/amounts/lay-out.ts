import { layoutDocument } from '../../src/engine/layout/layout.ts';
import type { LaidOutDocument } from '../../src/engine/model/frame.ts';
import type { Outcome } from '../../src/errors.ts';
import { compileFile } from '../../src/engine/template/fixtures.ts';

/** Fields for tests of what becomes of an amount: a number in baht, a text, a table. */
export const AMOUNT_FIELDS = [
  {
    name: 'n',
    type: 'number',
    format: { decimals: 2, thousandsSeparator: true, prefix: '฿' },
  },
  { name: 's', type: 'text' },
  { name: 'rows', type: 'table' },
];

/** Lays out a document of the fields above with data. Throws if the template or data are wrong. */
export async function layOutFile(
  document: object,
  data: object,
  more: object = {},
): Promise<Outcome<LaidOutDocument>> {
  const { template, findings } = await compileFile({
    templateId: 'test',
    language: 'en',
    fields: AMOUNT_FIELDS,
    document,
    ...more,
  });
  if (template === null) throw new Error(JSON.stringify(findings));
  const checked = await template.contract.check(Buffer.from(JSON.stringify(data)));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  return layoutDocument(template, checked.value);
}

/** `printed`, or the code of a refusal with its fields. */
export async function outcomeOf(
  document: object,
  data: object,
  more: object = {},
): Promise<unknown> {
  const laid = await layOutFile(document, data, more);
  return laid.ok ? 'printed' : [laid.code, ...(laid.fields ?? [])];
}

import t from 'tap';
import { textsOf } from '../fixtures/lines.ts';
import { compileFile } from '../../template/fixtures.ts';
import type { ReadyTemplate } from '../../template/compile.ts';
import { layoutDocument } from '../layout.ts';

/**
 * The atoms of a run without bindings are shared by the documents of a template. Each paragraph
 * below has such runs at its beginning, inside it, and beside runs that a document may leave out.
 */
const CONTENT = [
  {
    text: [
      { if: 'name', text: 'ผู้กู้ {{name}} ' },
      'ตกลงชำระเงินกู้คืนให้แก่ผู้ให้กู้ภายในกำหนดตามสัญญาฉบับนี้ ',
      { text: '{{name}}', bold: true },
      'และยินยอมให้คิดดอกเบี้ย',
    ],
    leadingIndent: 24,
  },
  {
    text: [
      { if: 'name', text: '{{name}}' },
      'The borrower pays ',
      { text: 'in full', noWrap: true },
      '{{name}}, and',
      { text: 'break-all', wordBreak: 'break-all' },
      { unless: 'name', text: ' nobody\n' },
      ' ends here.',
    ],
    alignment: 'justify',
  },
];

const DATA = [{}, { name: 'สมชาย ใจดี' }, { name: 'x' }, { name: 'a long name of a person' }];

async function compile(): Promise<ReadyTemplate> {
  const { template, findings } = await compileFile({
    templateId: 'test',
    language: 'th',
    fields: [{ name: 'name', type: 'text' }],
    document: {
      pageSize: { width: 190, height: 800 },
      pageMargins: 10,
      defaultStyle: { font: 'Sarabun', fontSize: 12 },
      content: CONTENT,
    },
  });
  if (template === null) throw new Error(JSON.stringify(findings));
  return template;
}

async function lay(template: ReadyTemplate, data: object) {
  const checked = await template.contract.check(Buffer.from(JSON.stringify(data)));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const laid = layoutDocument(template, checked.value);
  if (!laid.ok) throw new Error(laid.message);
  return laid.value.pages.map(({ body }) => textsOf(body));
}

t.test('a document looks the same whichever documents came before it', async (t) => {
  const alone = await Promise.all(DATA.map(async (data) => lay(await compile(), data)));
  for (const order of [DATA, DATA.toReversed(), [...DATA.slice(2), ...DATA.slice(0, 2)]]) {
    const template = await compile();
    for (const data of order) {
      t.same(await lay(template, data), alone[DATA.indexOf(data)], JSON.stringify(data));
    }
  }
});

import { join } from 'node:path';
import t from 'tap';
import { pageTexts, render, shareTemplate, tryRender } from '../../../lab/render.ts';

const FORMAT = { decimals: 2, thousandsSeparator: true };
const FIELDS = [
  { name: 'n', type: 'number', format: FORMAT },
  { name: 's', type: 'text' },
];

function template(document: object, more: object = {}) {
  const file = { templateId: 'x', name: 'x', fields: FIELDS, ...more };
  return shareTemplate(JSON.stringify({ ...file, document: { content: ['body'], ...document } }));
}

/** A page that is 90 pt wide, to be attached to pages of 300 pt. */
const slip = template({ pageSize: { width: 90, height: 120 }, pageMargins: 10 });
const WIDE = { pageSize: { width: 300, height: 200 }, pageMargins: 40 };

const wide = { field: 'n', reason: 'amount is wider than its place on the page' };
const cut = { field: 'n', reason: 'amount would be cut by the edge of the page' };

t.test(
  'an amount that only an attached page has no room for is refused at its field',
  async (t) => {
    const attachments = [(await render(slip, {})).pdf];
    const onBoth = { attachedPages: { header: true, footer: true } };
    const text = { text: '{{n}}', fontSize: 24, margin: [10, 5] };
    const cases = {
      'a footer': [template({ ...WIDE, footer: text }), wide],
      'a header': [template({ ...WIDE, header: text }, onBoth), wide],
      'the footer of last pages': [template({ ...WIDE, footer: { last: text } }), wide],
      'a place beyond the narrower paper': [
        template({ ...WIDE, footer: { absolutePosition: { x: 85, y: 5 }, text: 'x' } }),
        null,
      ],
      'an amount beyond it': [
        template({
          ...WIDE,
          footer: {
            columns: [
              { width: 60, text: 'x' },
              { width: 90, text: '{{n}}' },
            ],
          },
        }),
        cut,
      ],
    } as const;
    for (const [about, [letter, defect]] of Object.entries(cases)) {
      const data = { n: '1234567.50' };
      t.match(await tryRender(letter, data), { ok: true }, `${about}, alone`);
      const merged = await tryRender(letter, data, { attachments });
      if (defect === null) t.match(merged, { ok: true }, about);
      else t.match(merged, { ok: false, code: 'invalid_data', fields: [defect] }, about);
    }
  },
);

t.test(
  'an amount is printed smaller on an attached page, unless the template refuses',
  async (t) => {
    const attachments = [(await render(slip, {})).pdf];
    const footer = { text: '{{n}}', fontSize: 20, margin: [10, 5] };
    const data = { n: '12345.50' };
    const { pdf } = await render(template({ ...WIDE, footer }), data, { attachments });
    for (const page of pageTexts(join(t.testdir(), 'merged.pdf'), pdf)) t.match(page, '12,345.50');
    const strict = template({ ...WIDE, footer }, { wideAmount: 'reject' });
    t.match(await tryRender(strict, data, { attachments }), {
      code: 'invalid_data',
      fields: [wide],
    });
  },
);

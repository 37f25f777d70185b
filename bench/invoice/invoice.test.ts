import t from 'tap';
import { invoice, sheetOf, stringsOf } from './document.ts';
import { RENDERERS } from './renderers.ts';

t.test(
  'an invoice repeats with its number, and its sheet has every text of its data',
  async (t) => {
    t.strictSame(invoice(7), invoice(7));
    t.notSame(invoice(7), invoice(8));
    const data = invoice(7);
    t.equal(data.lines.length, 10);
    const shown = sheetOf(data).texts.map(({ text }) => text);
    for (const text of stringsOf(data)) {
      t.ok(
        shown.some((one) => one.includes(text)),
        text,
      );
    }
  },
);

t.test('the engine draws it on one page with an embedded TrueType font', async (t) => {
  const render = await RENDERERS.intaglio();
  const pdf = Buffer.from(await render(invoice(3)));
  t.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  t.match(pdf.toString('latin1'), /\/Count 1\/|\/Count 1>/);
  t.match(pdf.toString('latin1'), /\/FontFile2/);
});

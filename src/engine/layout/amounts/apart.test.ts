import t from 'tap';
import { outcomeOf } from '../../../../test/amounts/lay-out.ts';

const PAGE = { pageSize: { width: 338, height: 200 }, pageMargins: 20 };

/** The outcome of a document with these columns. */
const of = async (columns: readonly unknown[], more: object = {}): Promise<unknown> =>
  outcomeOf({ ...PAGE, content: [{ columns, ...more }] }, { n: '1234.50', s: 'word' });

t.test('amounts that touch are refused', async (t) => {
  const text = '{{n}}';
  const touching = ['invalid_data', { field: 'n', reason: 'amount touches the amount beside it' }];
  const auto = { width: 'auto', text };
  t.same(await of([auto, auto]), touching);
  t.same(await of([{ width: 60, alignment: 'right', text }, auto]), touching);
  t.same(
    await of([
      { width: 'auto', text: `x\n${text}` },
      { ...auto, text: `y\n${text}` },
    ]),
    touching,
  );
  t.equal(await of([auto, auto], { columnGap: 6 }), 'printed');
  t.equal(await of([{ width: 60, text }, auto]), 'printed', 'the first column has room');
  t.equal(await of([{ width: 'auto', text: `x\n${text}` }, auto]), 'printed', 'another line');
  t.equal(await of([auto, { width: 'auto', text: '{{s}}' }]), 'printed', 'a word');
  t.equal(await of([{ width: 'auto', text: ': ' }, auto]), 'printed', 'text of the template');
});

import t from 'tap';
import { layOutFile, outcomeOf } from '../../../../test/amounts/lay-out.ts';

const DATA = { n: '-1234567.50' };
const LONG = 'long name '.repeat(40);
const LOST = 'text is longer than its place on the page';
const lost = (field: string): unknown => ['invalid_data', { field, reason: LOST }];
const PAGE = { pageSize: { width: 300, height: 100 }, pageMargins: [10, 20, 10, 20] };

/** The outcome of a document with this node in a block that has `maxHeight`. */
const low = async (node: object, data: object): Promise<unknown> =>
  outcomeOf({ ...PAGE, content: [{ maxHeight: 30, ...node }] }, data);
const around = async (more: object, data: object): Promise<unknown> =>
  outcomeOf({ ...PAGE, content: ['body'], ...more }, data);

t.test(
  'a line beyond maxHeight that holds a value is refused, one of the template is cut',
  async (t) => {
    const text = '{{s}} You owe {{n}}';
    t.same(await low({ text }, { ...DATA, s: LONG }), lost('s'));
    t.same(await low({ text, shrink: 8 }, { ...DATA, s: LONG }), lost('s'), 'in the least size');
    t.equal(await low({ text, shrink: 8 }, { ...DATA, s: 'long name '.repeat(7) }), 'printed');
    t.equal(await low({ text }, { ...DATA, s: 'a name' }), 'printed');
    t.same(await low({ text: '{{s}}', maxHeight: 5 }, { s: 'a' }), lost('s'), 'one low line');
    t.equal(await low({ text: '{{s}}', maxHeight: 5 }, { s: '' }), 'printed', 'nothing');
    t.equal(await low({ text: LONG }, {}), 'printed', 'text of the template');
    t.equal(await low({ text: ['{{s}}', ` ${LONG}`] }, { s: 'a' }), 'printed', 'a run of its own');
    t.equal(await low({ text: '{{s}}\n\n\n\n' }, { s: 'a' }), 'printed', 'empty lines');
    const cell = { maxHeight: 30, text: '{{0}} {{1}}' };
    const table = { widths: [100], body: [{ each: 'rows', cells: [cell] }] };
    t.same(
      await low(
        { maxHeight: undefined, table },
        {
          rows: [
            ['a', '1.00'],
            [LONG, '5.00'],
          ],
        },
      ),
      lost('rows'),
    );
  },
);

t.test('a header or footer that values make too high is refused', async (t) => {
  const text = '{{s}} {{n}}';
  const band = { text, margin: [10, 0] };
  for (const place of ['header', 'footer']) {
    t.same(await around({ [place]: band }, { ...DATA, s: LONG }), lost('s'), place);
    t.equal(await around({ [place]: band }, { ...DATA, s: 'a name' }), 'printed', place);
    const numbered = { text: `${text} {{page}}`, margin: [10, 0] };
    t.same(
      await around({ [place]: numbered }, { ...DATA, s: LONG }),
      lost('s'),
      `numbered ${place}`,
    );
    const later = { first: null, rest: band };
    t.equal(await around({ [place]: later }, { ...DATA, s: LONG }), 'printed', `no ${place} here`);
    const pages = ['1', { text: '2', pageBreak: 'before' }, { text: '3', pageBreak: 'before' }];
    t.same(await around({ [place]: later, content: pages }, { ...DATA, s: LONG }), lost('s'));
  }
  const tall = { stack: ['a', 'b', 'c', '{{s}}'], margin: [10, 0] };
  t.equal(
    await around({ header: tall }, { s: 'a name' }),
    'printed',
    'as high as the template wants',
  );
  t.same(await around({ header: tall }, { s: LONG.repeat(9) }), lost('s'), 'but not off the paper');
  const table = { table: { widths: ['*'], body: [{ each: 'rows', cells: ['{{0}}'] }] } };
  t.same(
    await around({ footer: table }, { rows: Array.from({ length: 4 }, () => ['1.00']) }),
    lost('rows'),
  );
  t.same(await around({ background: { text } }, { ...DATA, s: LONG.repeat(3) }), lost('s'));
  const empty = { text, margin: [10, 4, 10, 40] };
  t.equal(
    await around({ footer: empty }, { ...DATA, s: 'a' }),
    'printed',
    'a margin may leave the page',
  );
});

t.test('an amount that is too wide for a footer is refused', async (t) => {
  const footer = { columns: [{ width: 30, text: '{{n}}' }] };
  t.same(await outcomeOf({ ...PAGE, content: ['body'], footer }, DATA), [
    'invalid_data',
    { field: 'n', reason: 'amount is wider than its place on the page' },
  ]);
});

t.test('the message of such a refusal blames the layout, not the contract', async (t) => {
  const content = [{ maxHeight: 30, text: '{{s}}' }];
  const laid = await layOutFile({ ...PAGE, content }, { s: LONG });
  t.match(laid, { ok: false, code: 'invalid_data' });
  t.match(
    laid.ok ? '' : laid.message,
    /^data matches the field contract, but the layout has no room for a value: .*\.$/,
  );
});

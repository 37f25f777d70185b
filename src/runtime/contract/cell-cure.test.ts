import t from 'tap';
import { cureOf } from './cell-cure.ts';

const EXPECTED = 'date expected as YYYY-MM-DD';

t.test('dates as spreadsheets write them are mended by the format of their column', async (t) => {
  for (const cell of ['31/12/2026', '31.12.69', '12/31/2026', '29/02/2569', '1-2-2026']) {
    t.equal(cureOf(EXPECTED, cell), 'date', cell);
  }
});

t.test('a day that no month has is mended in its cell only', async (t) => {
  for (const cell of ['31/02/2026', '31.4.2569', '32/13/2026', '0/1/2026', '2026-02-31']) {
    t.equal(cureOf(EXPECTED, cell), 'day', cell);
  }
  t.equal(cureOf(EXPECTED, 'tomorrow'), null);
  t.equal(cureOf('number expected', '31/02/2026'), null);
  t.equal(cureOf('number expected', '1.250,50'), 'amount');
});

import t from 'tap';
import { adviceOf, cureOf, reasonIn } from './cell-cure.ts';

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

t.test('a file whose format was given is judged and advised in that format', async (t) => {
  const comma = { decimal: ',' } as const;
  for (const cell of ['12.50', '1,250.50']) {
    t.equal(cureOf('number expected', cell, comma), 'amount', cell);
  }
  t.equal(cureOf('number expected to be at most 5', '12,50', comma), null, 'it was read');
  t.match(adviceOf('amount', comma, 'csv'), /^write amounts as 1250,50 or 1\.250,50: /);
  t.match(adviceOf('amount', { decimal: '.' }, 'csv'), /^write amounts as 1250\.50 or 1,250\.50: /);
  const thai = { date: 'd/m/y', calendar: 'buddhist' } as const;
  for (const cell of ['31/12/2026', '2569-12-31', '31/12/69', '12/31/2569']) {
    t.equal(cureOf(EXPECTED, cell, thai), 'date', cell);
  }
  for (const cell of ['31/02/2569', '2026-02-31', '40/12/2569']) {
    t.equal(cureOf(EXPECTED, cell, thai), 'day', cell);
  }
  t.equal(cureOf(EXPECTED, 'tomorrow', thai), null);
  t.match(
    adviceOf('date', thai, 'csv'),
    /^write dates as 31\/12\/2569, .*year of the Buddhist Era/,
  );
  t.match(
    adviceOf('date', { date: 'y/m/d' }, 'csv'),
    /^write dates as 2026\/12\/31, .*the Common Era/,
  );
  for (const cure of ['amount', 'date'] as const) {
    t.notMatch(
      adviceOf(cure, { ...comma, ...thai }, 'run'),
      /give --/,
      'nothing that was given already',
    );
  }
});

t.test('options are advised where they can be given', async (t) => {
  t.match(adviceOf('date', {}, 'csv'), /; or leave a CSV as it is, and give --date d\/m\/y/);
  t.match(adviceOf('amount', {}, 'run'), /and make a new run, with runs create --decimal ,/);
  t.match(adviceOf('date', { date: 'd/m/y' }, 'run'), /a new run, with runs create --calendar/);
  for (const cure of ['amount', 'date'] as const) t.notMatch(adviceOf(cure, {}, 'none'), /--/);
  const fitting = { decimal: '.', date: 'd/m/y', calendar: 'buddhist' } as const;
  t.match(
    adviceOf('amount', {}, 'csv', fitting),
    /and give --decimal \.$/,
    'what the cells decide',
  );
  t.match(adviceOf('date', {}, 'csv', fitting), /and give --date d\/m\/y --calendar buddhist$/);
  t.match(adviceOf('date', {}, 'csv', { date: 'm/d/y' }), /and give --date m\/d\/y$/);
});

t.test('the reason in a file asks for dates in the format of the file', async (t) => {
  t.equal(
    reasonIn(EXPECTED, { date: 'd/m/y', calendar: 'buddhist' }),
    'date expected as 31/12/2569, with the full year of the Buddhist Era, and a day that exists',
  );
  t.match(reasonIn(EXPECTED, { date: 'y/m/d' }), /as 2026\/12\/31, .*the Common Era/);
  t.equal(reasonIn(EXPECTED, { decimal: ',' }), EXPECTED);
  t.equal(reasonIn('required', { date: 'd/m/y' }), 'required');
});

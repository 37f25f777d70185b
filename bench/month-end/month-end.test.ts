import t from 'tap';
import { kindOf, STATEMENTS } from './shape.ts';
import { measureMonthEnd } from './month-end.ts';

t.test('each hundred statements have the shares of a month', async (t) => {
  for (const first of [0, 1_700]) {
    const kinds = Array.from({ length: 100 }, (_, index) => kindOf(first + index));
    t.strictSame(
      STATEMENTS.map((kind) => kinds.filter((one) => one === kind).length),
      [80, 15, 5],
    );
  }
});

t.test('signed and archived statements are made over HTTP and as a run', async (t) => {
  const notes: string[] = [];
  const { head, rows } = await measureMonthEnd(40, (text) => notes.push(text));
  const kinds = /1 page \d+ KB, 3 pages \d+ KB, 50 pages \d+ KB.*PDF\/A-2a: conforms, PDF\/UA-1/;
  t.match(notes, [kinds]);
  t.match(rows, [
    [/^sync over HTTP/, '40', /^\d+$/, /^[1-9]/, /\d/, /^[1-9]/, /^\d+\.\d\d$/],
    [/^a run/, '40', /^\d+$/, /^[1-9]/, /\d/, /^[1-9]/, /^\d+\.\d\d$/],
  ]);
  t.equal(head.length, rows[0]?.length);
});

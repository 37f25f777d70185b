import t from 'tap';
import { layOutFile } from '../../../../test/amounts/lay-out.ts';
import { textsOf } from '../fixtures/lines.ts';

const WIDTH_PT = 420;

function isLeft({ x }: { readonly x: number }): boolean {
  return x < WIDTH_PT / 2;
}

/** The texts of each column, column after column and page after page. */
async function columnsOf(heightPt: number, table: object, rows: readonly string[][]) {
  const node = { snakingColumns: true, columnGap: 10, columns: [{ table }, ''] };
  const pageSize = { width: WIDTH_PT, height: heightPt };
  const laid = await layOutFile({ pageSize, pageMargins: 10, content: [node] }, { rows });
  if (!laid.ok) throw new Error(laid.message);
  return laid.value.pages.flatMap(({ body }) => {
    const texts = textsOf(body).toSorted((one, other) => one.y - other.y);
    const left = texts.filter(isLeft).map(({ text }) => text.trim());
    return [left, texts.filter((one) => !isLeft(one)).map(({ text }) => text.trim())];
  });
}

t.test(
  'a row that a column of a snake can hold is in one column, and none stays empty',
  async (t) => {
    const rows = Array.from({ length: 12 }, (_, index) => [
      `${'word '.repeat(1 + ((index * 7) % 13))}end${index}`,
      `${index}.00`,
    ]);
    const tables: Record<string, object> = {
      plain: { widths: ['*', 40], body: [{ each: 'rows', cells: ['{{0}}', '{{1}}'] }] },
      'with a header': {
        headerRows: 1,
        widths: ['*', 40],
        body: [['H', 'I'], { each: 'rows', cells: ['{{0}}', '{{1}}'] }],
      },
      'with a span': {
        widths: [30, '*', 40],
        body: [
          [{ text: 'S', rowSpan: 2 }, 'a b c d e f g h i j k l m n o p', '0'],
          [{}, 'b', '0'],
          { each: 'rows', cells: ['x', '{{0}}', '{{1}}'] },
        ],
      },
    };
    for (const [about, table] of Object.entries(tables)) {
      for (let heightPt = 140; heightPt < 200; heightPt += 7) {
        const columns = await columnsOf(heightPt, table, rows);
        const at = `${about}, ${heightPt} pt`;
        for (const [index] of rows.entries()) {
          const ends = columns.findIndex((texts) =>
            texts.some((one) => one.endsWith(`end${index}`)),
          );
          const amounts = columns.filter((texts) => texts.includes(`${index}.00`));
          t.equal(amounts.length, 1, `${at}: the amount of row ${index} stands once`);
          t.equal(columns.indexOf(amounts[0] ?? []), ends, `${at}: row ${index} is whole`);
        }
        const last = columns.findLastIndex((texts) => texts.length > 0);
        t.ok(
          columns.slice(0, last).every((texts) => texts.length > 0),
          `${at}: no empty column`,
        );
      }
    }
  },
);

t.test('a row taller than a column is split, and nothing of it is lost', async (t) => {
  const long = Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ');
  const table = { widths: ['*', 40], body: [{ each: 'rows', cells: ['{{0}}', '{{1}}'] }] };
  const columns = await columnsOf(100, table, [
    ['a', '1.00'],
    [long, '2.00'],
    ['b', '3.00'],
  ]);
  t.equal(
    columns
      .flat()
      .filter((text) => text.startsWith('w'))
      .join(' '),
    long,
  );
});

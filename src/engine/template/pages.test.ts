import t from 'tap';
import { layoutDocument } from '../layout/layout.ts';
import { compiled, findingsOf } from './fixtures.ts';

/** The text of the header on each page of a document with this many pages. */
async function headersOf(header: object, pages: number): Promise<readonly string[]> {
  const content = Array.from({ length: pages }, (_, index) =>
    index === 0 ? 'x' : { text: 'x', pageBreak: 'before' },
  );
  const laidOut = layoutDocument(await compiled({ header, content }), []);
  if (!laidOut.ok) throw new Error(laidOut.message);
  const document = laidOut.value;
  const made = document.pages;
  return made.map(({ widthPt, heightPt }, pageIndex) => {
    const request = { pageIndex, pageCount: made.length, widthPt, heightPt, attached: false };
    const items = document.overlay(request).flatMap((part) => part.items);
    return items
      .flatMap((item) => (item.kind === 'text' ? item.shapes.map(({ text }) => text) : []))
      .join('');
  });
}

t.test('the last page is like those before it, unless it has a part of its own', async (t) => {
  t.same(await headersOf({ first: 'F', rest: 'R' }, 3), ['F', 'R', 'R']);
  t.same(await headersOf({ first: 'F', rest: 'R' }, 2), ['F', 'R']);
  t.same(await headersOf({ first: 'F', rest: 'R', last: 'L' }, 3), ['F', 'R', 'L']);
  t.same(await headersOf({ first: 'F', rest: 'R', last: null }, 3), ['F', 'R', '']);
  t.same(await headersOf({ first: 'F' }, 3), ['F', '', '']);
  t.same(await headersOf({ first: 'F', last: 'L' }, 3), ['F', '', 'L']);
});

t.test(
  'a missing first part is a warning, because a document of one page has only that',
  async (t) => {
    const content = 'x';
    t.match(await findingsOf({ content, header: { rest: 'R' } }), [
      { severity: 'warning', path: 'document.header', message: /document of one page/ },
    ]);
    t.same(await findingsOf({ content, header: { first: null, rest: 'R' } }), []);
    t.same(await findingsOf({ content, header: { first: 'F', rest: 'R' } }), []);
  },
);

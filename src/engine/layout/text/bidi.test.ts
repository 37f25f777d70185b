import bidiModule from 'bidi-js';
import t from 'tap';
import { textsOf } from '../fixtures/lines.ts';
import { run, template, text } from '../fixtures/nodes.ts';
import type { TextNode } from '../../model/nodes.ts';
import { layoutDocument } from '../layout.ts';
import { embeddingLevels, paragraphDirection, visualOrder } from './bidi.ts';

// The types declare a module with a default export, but Node imports the function itself.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

/** Returns the text of the first line from left to right, and where the line begins and ends. */
function lineOf(node: TextNode): {
  readonly text: string;
  readonly from: number;
  readonly to: number;
} {
  const document = layoutDocument(template([node]), []);
  if (!document.ok) throw new Error(document.message);
  const texts = textsOf(document.value.pages[0]?.body ?? []).filter(({ y }) => y < 10);
  const sorted = texts.toSorted((one, other) => one.x - other.x);
  const last = sorted.at(-1);
  return {
    text: sorted.map((one) => one.text).join(''),
    from: sorted[0]?.x ?? 0,
    to: (last?.x ?? 0) + (last?.width ?? 0),
  };
}

const arranged = (content: string, more: Partial<TextNode> = {}): string =>
  lineOf(text(content, more)).text;

void t.test('words of a right-to-left paragraph run from right to left', async (t) => {
  t.equal(arranged('שלום עולם טוב'), 'טוב עולם שלום');
  t.equal(arranged('שלום, עולם!'), '!עולם ,שלום');
});

void t.test('Latin words and numbers inside it keep their own order', async (t) => {
  t.equal(arranged('אב abc def גד'), 'גד abc def אב');
  t.equal(arranged('אב 12-34 גד 5%'), '5% גד 12-34 אב');
});

void t.test('right-to-left words in a Latin paragraph run from right to left', async (t) => {
  t.equal(arranged('abc אב גד def'), 'abc גד אב def');
  t.equal(arranged('abc אב, 12 גד'), 'abc גד 12 ,אב');
});

void t.test('separate runs are ordered like the words of one run', async (t) => {
  const node = text('', { runs: [run('אב '), run('גד', { noWrap: true }), run(' abc.')] });
  t.equal(lineOf(node).text, '.abc גד אב');
});

void t.test(
  'a paragraph begins on the side of its first letter unless it is aligned',
  async (t) => {
    t.same(lineOf(text('אב גד', { alignment: 'start' })), { text: 'גד אב', from: 75, to: 100 });
    t.equal(lineOf(text('ab גד', { alignment: 'start' })).from, 0);
    t.equal(lineOf(text('אב גד', { alignment: 'left' })).from, 0);
    t.equal(lineOf(text('אב גד', { alignment: 'center' })).from, 37.5);
    const indented = text('אב גד', { alignment: 'start', leadingIndentPt: 10 });
    t.equal(lineOf(indented).to, 90, 'the indent is on the right');
  },
);

void t.test('a justified line fills its box; the last one is aligned right', async (t) => {
  const long = 'אבגדה אבגדה אבגדה אבגדה';
  const node = text(long, { alignment: 'justify' });
  const { from, to } = lineOf(node);
  t.same([from, to], [0, 100]);
  t.equal(lineOf(text('אב גד', { alignment: 'justify' })).to, 100);
});

void t.test('underlines and backgrounds follow the words', async (t) => {
  const decoration = { lines: ['underline'], style: 'solid', color: 0, thicknessPt: 1 } as const;
  const node = text('', { runs: [run('אב '), run('גדה', { decoration, background: 7 })] });
  const document = layoutDocument(template([node]), []);
  const items = document.ok ? (document.value.pages[0]?.body ?? []) : [];
  t.match(
    items.filter(({ kind }) => kind === 'line' || kind === 'fill'),
    [
      { kind: 'fill', x: 0, widthPt: 15 },
      { kind: 'line', x1: 0, x2: 15 },
    ],
  );
});

void t.test('a paragraph without right-to-left letters has no bidi direction', async (t) => {
  t.equal(paragraphDirection(['abc 123', 'ไทย']), null);
  t.equal(paragraphDirection(['12 ', 'abc', 'אב']), 'ltr');
  t.equal(paragraphDirection(['12 – ', 'אב', 'abc']), 'rtl');
});

void t.test('a long paragraph has the same levels in chunks as in one piece', async (t) => {
  const words = ['שלום', 'abc', '12,500.00', 'עולם!', 'e-mail', '(טוב)', 'd.', '5%', 'מאה'];
  let text = '';
  for (let index = 0; text.length < 5_000; index++) {
    text += `${words[(index * 7 + (index >> 3)) % words.length] ?? ''} `;
  }
  for (const direction of ['ltr', 'rtl'] as const) {
    const whole = bidi.getEmbeddingLevels(text, direction).levels;
    t.same([...embeddingLevels(text, direction)], [...whole], direction);
  }
});

void t.test('visual order reverses pieces by level, however many there are', async (t) => {
  t.same(visualOrder([0, 1, 1, 2, 2, 1, 0]), [0, 5, 3, 4, 2, 1, 6]);
  const order = visualOrder(Array.from({ length: 300_000 }, () => 1));
  t.same([order[0], order.at(-1)], [299_999, 0]);
});

import t from 'tap';
import { run, stack, template, text } from './fixtures/nodes.ts';
import { textsOf } from './fixtures/lines.ts';
import type { Item } from '../model/frame.ts';
import type { Node, TextNode } from '../model/nodes.ts';
import { layoutDocument } from './layout.ts';

/** Text that shrinks to fit, and rotated nodes. A letter is 5 pt wide. */

function itemsOf(node: Node): readonly Item[] {
  const document = layoutDocument(template([node]), []);
  if (!document.ok) throw new Error(document.message);
  return document.value.pages[0]?.body ?? [];
}

const WIDTH = 100;
const line = (letters: number, more: Partial<TextNode> = {}): TextNode =>
  text([run('x'.repeat(letters), { noWrap: true })], { shrinkPt: 4, ...more });

function sizesOf(node: Node): readonly number[] {
  const items = itemsOf(node).filter((item) => item.kind === 'text');
  return items.map(({ style }) => style.sizePt);
}

t.test('a line takes the largest size in which it fits, in quarters of a point', async (t) => {
  for (let letters = 1; letters <= 60; letters++) {
    const [size = 0] = sizesOf(line(letters));
    const [{ width } = { width: 0 }] = textsOf(itemsOf(line(letters)));
    const fullWidth = letters * 5;
    const steps = Math.max(0, Math.ceil((10 - (10 * WIDTH) / fullWidth) / 0.25 - 1e-9));
    const expected = Math.max(4, 10 - steps * 0.25);
    t.equal(size, fullWidth <= WIDTH ? 10 : expected, `${letters} letters`);
    if (size > 4) t.ok(width <= WIDTH + 0.01, `${letters} letters: ${width} pt`);
  }
});

const paragraph = (words: number, maxHeightPt: number): TextNode =>
  text([run(Array.from({ length: words }, () => 'word').join(' '))], { shrinkPt: 3, maxHeightPt });

t.test('a paragraph shrinks until its lines fit maxHeight', async (t) => {
  for (const words of [1, 10, 20, 40, 80]) {
    const items = itemsOf(paragraph(words, 40));
    const texts = textsOf(items);
    const sizes = new Set(sizesOf(paragraph(words, 40)));
    t.equal(sizes.size, 1, 'one size');
    const shown = texts.map((one) => one.text.trim().split(' ').length).reduce((a, b) => a + b, 0);
    if (![...sizes].includes(3)) t.equal(shown, words, `${words} words: none is cut`);
    t.ok(
      texts.every(({ y }) => y <= 40),
      'within the height',
    );
  }
});

t.test('a word that is wider than its box shrinks instead of breaking', async (t) => {
  const [placed] = textsOf(itemsOf(text([run('x'.repeat(30))], { shrinkPt: 2 })));
  t.equal(placed?.text, 'x'.repeat(30));
});

t.test('text that fits keeps its size, and so does text without shrink', async (t) => {
  t.same(sizesOf(line(20)), [10]);
  t.same(sizesOf(line(40, { shrinkPt: null })), [10]);
  t.same(sizesOf(line(40, { shrinkPt: 12 })), [10], 'never larger');
});

t.test('a rotated node is a group that is rotated about its position', async (t) => {
  const turned = text('abc', { absolutePosition: { x: 30, y: 40, rotate: 90 } });
  const items = itemsOf(stack([text('before'), turned, text('after')]));
  const groups = items.filter((item) => item.kind === 'group');
  t.equal(groups.length, 1);
  t.match(groups[0], { x: 30, y: 40, matrix: [0, 1, -1, 0, 0, 0] });
  const upright = text('abc', { absolutePosition: { x: 0, y: 0, rotate: 0 } });
  t.same(
    textsOf(groups[0]?.items ?? []),
    textsOf(itemsOf(upright)),
    'the group holds what would stand at the corner of the page',
  );
  const outer = textsOf(items.filter((item) => item.kind === 'text'));
  t.same(
    outer.map((one) => one.text),
    ['before', 'after'],
    'its neighbours are not rotated',
  );
});

t.test('links are rotated with their text', async (t) => {
  const link = { kind: 'uri', to: [{ kind: 'static', text: 'https://example.org' }] } as const;
  const node = text([run('abc', { link })], { absolutePosition: { x: 50, y: 60, rotate: 90 } });
  const document = layoutDocument(template([node]), []);
  if (!document.ok) throw new Error(document.message);
  const [area] = document.value.pages[0]?.links ?? [];
  t.ok(area !== undefined && area.widthPt < area.heightPt, 'higher than wide');
  t.equal(area?.y, 60, 'the area begins where the text does');
  t.ok(area !== undefined && area.x + area.widthPt <= 50.01, 'the area is left of the corner');
});

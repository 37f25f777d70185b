import t from 'tap';
import { ROBOTO, STACKS, draw, flat, onlyGroup, texts, rounded } from './fixtures.ts';

function startOf(anchor: string): number[] {
  const inside = `<text x="50" font-size="10" text-anchor="${anchor}">Total</text>`;
  return texts(inside).map((text) => text.x);
}

t.test('text: place, anchor, size, colour, scale', async (t) => {
  const [start] = texts('<text x="10" y="20">Total</text>');
  t.match([start?.x, start?.y, start?.style.sizePt, start?.style.color], [10, 20, 16, 0]);
  const width = ROBOTO.shape('Total').widthEm * 10;
  t.same(rounded(startOf('middle')), rounded([50 - width / 2]));
  t.same(rounded(startOf('end')), rounded([50 - width]));
  const [big] = texts(
    '<g transform="translate(5 5) scale(2)"><text x="1" fill="#123">A</text></g>',
  );
  t.match([big?.x, big?.y, big?.style.sizePt, big?.style.color], [7, 5, 32, 0x112233]);
  const turned = onlyGroup('<text transform="rotate(90) scale(2)" x="3">A</text>');
  t.same(rounded(turned.matrix ?? []), [0, 1, -1, 0, 0, 6]);
  t.match(turned.items, [{ kind: 'text', x: 0, y: 0, style: { sizePt: 32 } }]);
  t.equal(texts('<text opacity=".5" fill-opacity=".5">A</text>')[0]?.style.opacity, 0.25);
  t.same(texts('<text fill="none">A</text><text visibility="hidden">B</text><text> </text>'), []);
});

/** Width at 10 units. */
function em(text: string): number {
  return ROBOTO.shape(text).widthEm * 10;
}

function words(inside: string): string {
  return texts(inside)
    .flatMap((text) => text.shapes.map((shape) => shape.text))
    .join('|');
}

t.test('text: tspans, shifts, lists, spaces', async (t) => {
  const spans = texts(
    '<text font-size="10" x="1" y="9">ab<tspan dx="2" dy="-3">cd</tspan>ef</text>',
  );
  t.same(
    rounded(spans.flatMap((text) => [text.x, text.y])),
    rounded([1, 9, 1 + em('ab') + 2, 6, 1 + em('ab') + 2 + em('cd'), 6]),
  );
  const list = texts('<text font-size="10" x="1 20 40" y="9">abcd</text>');
  t.same(
    list.map((text) => [text.x, text.shapes.map((shape) => shape.text).join('')]),
    [
      [1, 'a'],
      [20, 'b'],
      [40, 'cd'],
    ],
  );
  t.equal(words('<text>\n  one\n  two  <tspan> three </tspan>\n</text>'), 'one two |three');
  t.equal(words('<text xml:space="preserve"> a  b</text>'), ' a  b');
  t.equal(words('<text x="1 2 3 4 5">กิ้ง</text>'), 'กิ้|ง', 'marks stay with their base');
  const anchored = texts(
    '<text font-size="10" x="50" text-anchor="end">ab<tspan>cd</tspan></text>',
  );
  t.same(rounded([anchored[0]?.x ?? 0]), rounded([50 - em('ab') - em('cd')]));
  const spaced = texts('<text letter-spacing="2" word-spacing="3">a b</text>')[0];
  t.same([spaced?.style.characterSpacingPt, spaced?.gaps], [2, [3, 0]]);
  const under = flat(draw('<text x="5" y="9" text-decoration="underline">a</text>'));
  t.same(
    under.map((item) => item.kind),
    ['text', 'path'],
  );
});

function stack(attributes: string): string {
  return texts(`<text ${attributes}>a</text>`)[0]?.style.stack.key ?? '';
}

t.test('text gets the nearest of the fonts that the template declares', async (t) => {
  t.equal(stack(''), ROBOTO.key);
  t.equal(stack('font-weight="bold"'), STACKS[1]?.key);
  t.equal(stack('font-weight="500"'), ROBOTO.key);
  t.equal(stack('style="font: italic 9px serif"'), STACKS[2]?.key);
  t.equal(stack(`font-family="Nowhere, 'sarabun'"`), STACKS[3]?.key);
  t.equal(stack('font-family="Nowhere"'), ROBOTO.key);
});

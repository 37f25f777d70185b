import t from 'tap';
import { draw, onlyPath, rounded } from './fixtures.ts';
import type { LinearGradient } from '../../model/style.ts';

function fill(value: string): unknown {
  const [item] = draw(`<rect width="1" height="1" color="#00ff00" fill="${value}"/>`);
  return item?.kind === 'path' ? [item.fill?.paint, item.fill?.opacity] : null;
}

t.test('paint in all its forms', async (t) => {
  t.same(fill('#1af'), [0x11aaff, 1]);
  t.same(fill('#1AAFF0'), [0x1aaff0, 1]);
  t.same(fill('#ff000080'), [0xff0000, 128 / 255]);
  t.same(fill('DarkSlateGray'), [0x2f4f4f, 1]);
  t.same(fill('rgb(255, 50%, 300)'), [0xff80ff, 1]);
  t.same(fill('rgba(1 2 3 / 25%)'), [0x010203, 0.25]);
  t.same(fill('hsl(120, 100%, 25%)'), [0x008000, 1]);
  t.same(fill('hsla(-120deg,100%,50%,.5)'), [0x0000ff, 0.5]);
  t.same(fill('currentColor'), [0x00ff00, 1]);
  t.same(fill('none'), null);
  t.same(fill('transparent'), null);
  t.same(fill('url(#nowhere) red'), [0xff0000, 1]);
  t.same(fill('url(#nowhere)'), null);
  t.same(fill('not a colour'), [0, 1], 'it counts as absent');
});

function paintOf(inside: string): unknown {
  return onlyPath(inside).fill?.paint;
}

function rectOf(more: string): string {
  return `<rect width="1" height="1" fill="#000001" ${more}/>`;
}

function fillOf(fill: string): unknown {
  return onlyPath(`<rect width="9" height="9" fill="${fill}"/>`).fill?.paint;
}

t.test('a paint server has one fallback, and a chain of them does not recurse', async (t) => {
  t.equal(fillOf('url(#none) #123456'), 0x123456);
  t.equal(fillOf('url(#none) currentColor'), 0);
  t.same(draw('<rect width="9" height="9" fill="url(#none) none"/>'), []);
  const chain = `${'url(#none)'.repeat(90_000)} red`;
  t.same(
    draw(`<rect width="9" height="9" fill="${chain}"/>`).length,
    1,
    'it counts as not declared',
  );
  t.same(draw(`<rect width="9" height="9" fill="url(#none)url(#none) red"/>`), []);
});

t.test('style: attributes, sheet by specificity, style attribute, !important', async (t) => {
  const sheet = `<style>
    /* .a{fill:red} */ rect { fill: #000002 } .a { fill: #000003 } rect.a.b { fill: #000004 }
    #c { fill: #000005 } .d { fill: #000006 !important } g rect { fill: #ff0000 }
    @media (prefers-color-scheme: dark) { rect { fill: #ff0000 } }
    @media print { .e { fill: #000007 } }
  </style>`;
  t.equal(paintOf(rectOf('')), 1);
  t.equal(paintOf(sheet + rectOf('')), 2);
  t.equal(paintOf(sheet + rectOf('class="a"')), 3);
  t.equal(paintOf(sheet + rectOf('class="b a"')), 4);
  t.equal(paintOf(sheet + rectOf('class="a b" id="c"')), 5);
  t.equal(paintOf(sheet + rectOf('class="a" style="fill: #000008"')), 8);
  t.equal(paintOf(sheet + rectOf('class="d" style="fill: #000008"')), 6);
  t.equal(paintOf(sheet + rectOf('class="e"')), 7);
  t.equal(paintOf(`<g fill="#000009"><rect width="1" height="1"/></g>`), 9);
  t.equal(paintOf(`<g fill="#000009">${rectOf('style="fill:inherit"')}</g>`), 9);
});

function axis(paint: unknown): number[] {
  const { x1, y1, x2, y2 } = paint as LinearGradient;
  return rounded([x1, y1, x2, y2]);
}

t.test('linear gradients: box and user units, transforms, inheritance, stops', async (t) => {
  const stops =
    '<stop offset="0" stop-color="red"/><stop offset="50%" stop-color="#00f" stop-opacity=".5"/>';
  const rect = '<rect x="10" y="20" width="40" height="20" fill="url(#g)"/>';
  const box = paintOf(`<linearGradient id="g">${stops}</linearGradient>` + rect);
  t.same(axis(box), [10, 20, 50, 20]);
  t.match(box, {
    kind: 'linear',
    stops: [
      { offset: 0, color: 0xff0000, opacity: 1 },
      { offset: 0.5, color: 0x0000ff, opacity: 0.5 },
    ],
  });
  // Lines of one colour stay parallel to the box's other diagonal when the box is stretched.
  const diagonal = paintOf(
    `<linearGradient id="g" x1="0" y1="0" x2="1" y2="1">${stops}</linearGradient>` + rect,
  );
  const { x1, y1, x2, y2 } = diagonal as LinearGradient;
  const valueAt = (x: number, y: number): number =>
    ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2);
  t.same(
    rounded([valueAt(10, 20), valueAt(50, 20), valueAt(10, 40), valueAt(50, 40)]),
    [0, 0.5, 0.5, 1],
  );
  const chain =
    `<linearGradient id="h" gradientUnits="userSpaceOnUse" x1="1" x2="3">${stops}</linearGradient>` +
    '<linearGradient id="g" href="#h" gradientTransform="translate(5 5)" x2="9"/>';
  t.same(axis(paintOf(chain + `<g transform="scale(2)">${rect}</g>`)), [12, 10, 28, 10]);
  t.equal(
    paintOf('<linearGradient id="g"><stop stop-color="#010203"/></linearGradient>' + rect),
    0x010203,
  );
  t.same(draw(`<linearGradient id="g"/>${rect}`), []);
  const flatLine = '<path d="M0 5h9" stroke="url(#g) #00f"/>';
  t.equal(
    onlyPath(`<linearGradient id="g">${stops}</linearGradient>${flatLine}`).stroke?.paint,
    0x0000ff,
    'a box without area takes the fallback',
  );
});

function spreadRect(spread: string): string {
  return `<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="0" x2="10" spreadMethod="${spread}">
      <stop stop-color="#000"/><stop offset="1" stop-color="#fff"/></linearGradient>
      <rect width="40" height="5" fill="url(#g)"/>`;
}

function colors(paint: unknown): number[] {
  return (paint as LinearGradient).stops
    .filter((_, index) => index % 4 === 1 || index % 4 === 2)
    .map((stop) => stop.color);
}

t.test('spread gradients repeat their stops over the shape', async (t) => {
  const repeat = onlyPath(spreadRect('repeat')).fill?.paint;
  const { x1, x2 } = repeat as LinearGradient;
  t.same(rounded([x1, x2]), [0, 40]);
  t.same(colors(repeat).slice(0, 4), [0, 0xffffff, 0, 0xffffff]);
  t.same(
    colors(onlyPath(spreadRect('reflect')).fill?.paint).slice(0, 4),
    [0, 0xffffff, 0xffffff, 0],
  );
});

t.test('radial gradients keep their map, and the focus stays inside', async (t) => {
  const stops = '<stop stop-color="#fff"/><stop offset="1"/>';
  const rect = '<rect x="10" y="20" width="40" height="20" fill="url(#g)"/>';
  t.match(
    onlyPath(`<radialGradient id="g" fx=".25">${stops}</radialGradient>${rect}`).fill?.paint,
    {
      kind: 'radial',
      cx: 0.5,
      cy: 0.5,
      r: 0.5,
      fx: 0.25,
      fy: 0.5,
      matrix: [40, 0, 0, 20, 10, 20],
    },
  );
  const outside = onlyPath(`<radialGradient id="g" fx="9">${stops}</radialGradient>${rect}`);
  t.match(outside.fill?.paint, { fx: 0.9995 });
});

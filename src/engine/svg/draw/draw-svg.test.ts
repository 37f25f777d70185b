import t from 'tap';
import {
  STACKS,
  STYLE,
  rootOf,
  draw,
  flat,
  isPath,
  onlyPath,
  onlyGroup,
  rounded,
} from './fixtures.ts';
import { drawSvg, measureSvg } from './draw-svg.ts';

function size(attributes: string): number[] {
  const { widthPt, heightPt } = measureSvg(rootOf(`<svg ${attributes}></svg>`));
  return [widthPt, heightPt];
}

t.test('sizes are those of pdfmake: numbers without units, then the viewBox', async (t) => {
  t.same(size('width="200" height="80"'), [200, 80]);
  t.same(size('width="20mm" height="1.5in"'), [20, 1.5]);
  t.same(size('width="100%" height="50px" viewBox="0 0 9 9"'), [100, 50]);
  t.same(size('viewBox="5 5 64 32"'), [64, 32]);
  t.same(size('width="10" viewBox="0,0,64,32"'), [10, 32]);
  t.same(size('width="0" height="-3" viewBox="0 0 64 32"'), [64, 32]);
  t.same(size('width="1e99" height="x" viewBox="0 0 0 0"'), [1e6, 1e6]);
  t.same(size(''), [300, 150]);
});

t.test('shapes have their outlines', async (t) => {
  t.same(onlyPath('<rect x="1" y="2" width="3" height="4"/>').path, [4, 1, 2, 3, 4]);
  t.same(onlyPath('<line x1="1" y1="2" x2="3" y2="4" stroke="red"/>').path, [0, 1, 2, 1, 3, 4]);
  t.same(onlyPath('<polygon points="0,0 4 0,4,4 9"/>').path, [0, 0, 0, 1, 4, 0, 1, 4, 4, 3]);
  t.same(onlyPath('<polyline points="0 0 4 0"/>').path, [0, 0, 0, 1, 4, 0]);
  t.same(onlyPath('<circle cx="5" cy="6" r="2"/>').path.slice(0, 3), [0, 7, 6]);
  t.same(onlyPath('<ellipse cx="5" cy="6" rx="2" ry="3"/>').path.slice(8, 10), [5, 9]);
  const round = onlyPath('<rect width="10" height="10" rx="20" ry="2"/>').path;
  t.same(round.slice(0, 3), [0, 5, 0], 'radii stop at half the side');
  for (const nothing of [
    '<rect width="0" height="5"/>',
    '<circle r="-1"/>',
    '<path d=""/>',
    '<line x2="5" y2="5"/>',
  ]) {
    t.same(
      draw(nothing).filter((item) => item.kind !== 'path' || item.fill !== null),
      [],
      nothing,
    );
  }
});

t.test('units and percentages', async (t) => {
  const path = onlyPath('<rect x="10%" y="1in" width="3pt" height="1cm"/>', 'viewBox="0 0 200 50"');
  t.same(rounded(path.path), [4, 20, 96, 4, 37.795]);
  const stroke = onlyPath('<path d="M0 0h1" font-size="10" stroke="red" stroke-width="2em"/>');
  t.equal(stroke.stroke?.widthPt, 20);
});

t.test('transforms are baked into the coordinates', async (t) => {
  const moved =
    '<g transform="translate(10,20) scale(2)"><rect x="1" y="1" width="3" height="4"/></g>';
  t.same(onlyPath(moved).path, [4, 12, 22, 6, 8]);
  const turned = onlyPath(
    '<rect transform="rotate(90 10 10)" x="10" y="10" width="4" height="2"/>',
  );
  t.same(rounded(turned.path), [0, 10, 10, 1, 10, 14, 1, 8, 14, 1, 8, 10, 3]);
  const mirrored = onlyPath('<rect transform="matrix(-1 0 0 1 50 0)" width="10" height="5"/>');
  t.same(mirrored.path, [4, 40, 0, 10, 5]);
  const skewed = onlyPath('<path transform="skewX(45)" d="M0 10h1"/>');
  t.same(rounded(skewed.path), [0, 10, 10, 1, 11, 10]);
  t.same(draw('<g transform="scale(0)"><rect width="5" height="5"/></g>'), []);
  t.same(onlyPath('<rect transform="bogus(1)" width="5" height="5"/>').path, [4, 0, 0, 5, 5]);
});

function boxOf(ratio: string): number[] {
  const attributes = `width="40" height="20" viewBox="0 0 10 10" preserveAspectRatio="${ratio}"`;
  return rounded(onlyPath('<rect width="10" height="10"/>', attributes).path);
}

t.test('preserveAspectRatio fits the viewBox into its viewport', async (t) => {
  t.same(boxOf(''), [4, 10, 0, 20, 20]);
  t.same(boxOf('xMinYMin meet'), [4, 0, 0, 20, 20]);
  t.same(boxOf('xMaxYMid'), [4, 20, 0, 20, 20]);
  t.same(boxOf('xMidYMid slice'), [4, 0, -10, 40, 40]);
  t.same(boxOf('xMidYMax slice'), [4, 0, -20, 40, 40]);
  t.same(boxOf('none'), [4, 0, 0, 40, 20]);
});

function line(transform: string, more = ''): string {
  return `<path transform="${transform}" d="M0 0h5" stroke="#123" stroke-width="2" fill="none"
      stroke-dasharray="3 1" stroke-dashoffset="-1" stroke-linecap="round"
      stroke-linejoin="bevel" stroke-miterlimit="7" ${more}/>`;
}

t.test('strokes scale with their map, or are drawn inside it if it distorts them', async (t) => {
  t.same(onlyPath(line('rotate(30) scale(3)')).stroke, {
    paint: 0x112233,
    widthPt: 6,
    opacity: 1,
    cap: 1,
    join: 2,
    miterLimit: 7,
    dash: { lengths: [9, 3], phase: 9 },
  });
  const bent = onlyGroup(line('scale(3 1)'));
  t.same(bent.matrix, [3, 0, 0, 1, 0, 0]);
  t.match(bent.items, [{ path: [0, 0, 0, 1, 5, 0], stroke: { widthPt: 2 } }]);
  const fixed = onlyPath(line('scale(3 1)', 'vector-effect="non-scaling-stroke"'));
  t.equal(fixed.stroke?.widthPt, 2);
  t.equal(onlyPath('<path d="M0 0h5" stroke="red"/>').stroke?.miterLimit, 4);
  t.same(draw('<path d="M0 0h5" fill="none" stroke="red" stroke-width="0"/>'), []);
  const solid = onlyPath('<path d="M0 0h5" stroke="red" stroke-dasharray="0 0"/>');
  t.equal(solid.stroke?.dash, null);
});

t.test('opacity is merged into a single paint, but two paints need a group', async (t) => {
  const single = onlyPath('<rect width="9" height="9" opacity=".5" fill-opacity=".5"/>');
  t.equal(single.fill?.opacity, 0.25);
  const both = onlyGroup('<rect width="9" height="9" opacity=".5" stroke="red"/>');
  t.equal(both.opacity, 0.5);
  const group = onlyGroup('<g opacity=".5"><path d="M0 0h9v9z"/><path d="M0 0h9v9z"/></g>');
  t.equal(group.opacity, 0.5);
  t.equal(group.items.length, 2);
  const deep = `${'<g opacity=".9">'.repeat(90)}<path d="M0 0h9v9z"/><path d="M0 0h9"/>${'</g>'.repeat(90)}`;
  const folded = onlyGroup(deep);
  t.ok(Math.abs(folded.opacity - 0.9 ** 90) < 1e-9);
  t.ok(folded.items.every(isPath), 'one group for all');
});

t.test('display and visibility', async (t) => {
  t.same(draw('<g display="none"><rect width="9" height="9"/></g>'), []);
  const shown =
    '<g visibility="hidden"><rect width="9" height="9"/><circle r="1" visibility="visible"/></g>';
  t.equal(draw(shown).length, 1);
  t.same(draw('<defs><rect width="9" height="9"/></defs><symbol><circle r="9"/></symbol>'), []);
});

function clip(units: string, shapes: string): string {
  return `<clipPath id="c" ${units}>${shapes}</clipPath>`;
}

t.test('clip paths in user space, by the bounding box, and from several shapes', async (t) => {
  const target =
    '<rect clip-path="url(#c)" transform="scale(2)" x="10" y="20" width="10" height="20"/>';
  const user = onlyGroup(clip('', '<rect x="1" y="1" width="2" height="2"/>') + target);
  t.same(user.clip, { path: [4, 2, 2, 4, 4], rule: 'nonzero' });
  const box = 'clipPathUnits="objectBoundingBox"';
  const bound = onlyGroup(clip(box, '<rect width=".5" height=".5"/>') + target);
  t.same(bound.clip?.path, [4, 20, 40, 10, 20]);
  const two = clip('', '<path d="M0 0h1v1z" clip-rule="evenodd"/><rect width="1" height="1"/>');
  t.same(onlyGroup(two + target).clip, {
    path: [0, 0, 0, 1, 2, 0, 1, 2, 2, 3, 4, 0, 0, 2, 2],
    rule: 'evenodd',
  });
  t.same(draw(clip('', '') + target), [], 'an empty clip hides');
  t.equal(onlyPath('<rect clip-path="url(#none)" width="9" height="9"/>').kind, 'path');
});

t.test('use, symbol and nested svg', async (t) => {
  const use = onlyPath(
    '<defs><rect id="r" width="2" height="2"/></defs><use href="#r" x="5" y="6" fill="#00f"/>',
  );
  t.same([use.path, use.fill?.paint], [[4, 5, 6, 2, 2], 0x0000ff]);
  const symbol = onlyGroup(
    '<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="10"/></symbol>' +
      '<use href="#s" x="10" width="20" height="40"/>',
  );
  t.same(symbol.clip?.path, [4, 10, 0, 20, 40]);
  t.same(
    flat([symbol])
      .filter(isPath)
      .map(({ path }) => path),
    [[4, 10, 10, 20, 20]],
  );
  const nested = onlyGroup(
    '<svg x="5" y="5" width="10" height="10"><rect width="100%" height="50%"/></svg>',
  );
  t.same(nested.clip?.path, [4, 5, 5, 10, 10]);
  t.same(
    flat([nested])
      .filter(isPath)
      .map(({ path }) => path),
    [[4, 5, 5, 10, 5]],
  );
  const open =
    '<svg overflow="visible" width="10" height="10"><rect width="20" height="20"/></svg>';
  t.equal(draw(open)[0]?.kind, 'path');
  const first =
    '<switch><rect systemLanguage="xx" width="1" height="1"/><rect width="2" height="2"/></switch>';
  t.same(onlyPath(first).path, [4, 0, 0, 2, 2]);
});

t.test('patterns are tiled inside the shape, markers are on the vertices', async (t) => {
  const pattern = `<pattern id="p" width="10" height="10" patternUnits="userSpaceOnUse">
    <rect width="5" height="5" fill="red"/></pattern>`;
  const tiled = onlyGroup(`${pattern}<rect width="30" height="20" fill="url(#p)"/>`);
  t.same(tiled.clip?.path, [4, 0, 0, 30, 20]);
  t.equal(tiled.items.length, 6);
  t.equal(draw(`${pattern}<rect width="30000" height="20000" fill="url(#p)"/>`).length, 0);
  const marker = `<marker id="m" orient="auto" refX="1" markerWidth="4" markerHeight="4">
    <path d="M0 0h2v1z"/></marker>`;
  const line = `<path d="M10 10h20v20" fill="none" stroke="blue" stroke-width="2" marker-start="url(#m)"
    marker-mid="url(#m)" marker-end="url(#m)"/>`;
  const starts = flat(draw(marker + line))
    .filter(isPath)
    .filter((path) => path.fill !== null)
    .map(({ path }) => rounded(path.slice(1, 3), 2));
  // One stroke width to the left along the path: right, half-way down, down.
  t.same(starts, [
    [8, 10],
    [28.59, 8.59],
    [30, 28],
  ]);
});

t.test('drawings of one root and size share items; each position has a group', async (t) => {
  const root = rootOf('<svg width="10" height="10"><rect width="5" height="5"/></svg>');
  const first = drawSvg(root, { x: 1, y: 2, widthPt: 20, heightPt: 20 }, STYLE, STACKS);
  const second = drawSvg(root, { x: 3, y: 4, widthPt: 20, heightPt: 20 }, STYLE, STACKS);
  t.equal(first.items, second.items);
  t.match(second, { x: 3, y: 4, clip: { path: [4, 0, 0, 20, 20] } });
  t.match(first.items, [{ path: [4, 0, 0, 10, 10] }]);
  const other = drawSvg(root, { x: 0, y: 0, widthPt: 30, heightPt: 30 }, STYLE, STACKS);
  t.match(other.items, [{ path: [4, 0, 0, 15, 15] }]);
});

import t from 'tap';
import { cpuMsOf } from '../../../../test/fixtures/images.ts';
import { STYLE } from './fixtures.ts';
import * as fc from 'fast-check';
import type { SvgElement } from '../tree.ts';
import type { Item } from '../../model/frame.ts';
import { drawSvg } from './draw-svg.ts';
import { isWithin } from '../../../../test/hostile/machine.ts';

/** Every number of every item. */
function* numbersOf(items: readonly Item[]): Generator<number> {
  for (const item of items) {
    if (item.kind === 'group') {
      yield* item.matrix ?? [];
      yield* item.clip?.path ?? [];
      yield item.opacity;
      yield* numbersOf(item.items);
    } else if (item.kind === 'path') {
      yield* item.path;
      for (const part of [item.fill, item.stroke]) if (part !== null) yield part.opacity;
      if (item.stroke !== null) yield item.stroke.widthPt;
      const paint = item.fill?.paint;
      if (typeof paint === 'object' && paint.kind === 'linear') {
        yield* [paint.x1, paint.y1, paint.x2, paint.y2];
      }
    } else if (item.kind === 'text') {
      yield* [item.x, item.y, item.style.sizePt];
    }
  }
}

function attributeMap(source: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries({ stroke: 'red', ...source }));
}

t.test('whatever the attributes say, every number drawn is finite and bounded', async () => {
  const value = fc.oneof(
    fc.constantFrom('1e308', '-1e308', '0', 'NaN', '1e-320', '50%', '-9px', '2em', '', 'url(#g)'),
    fc.constantFrom('rotate(1e308)', 'matrix(1e300 1e300 1e300 1e300 0 0)', 'scale(1e200)'),
    fc.constantFrom('M0 0A1e-300 1e300 1e308 1 1 1e308 1', 'M1 1C1e308 0 0 0 9 9', '1 2,3'),
    fc.double().map(String),
    fc.string({ maxLength: 8 }),
  );
  const names = ['x', 'y', 'cx', 'r', 'rx', 'width', 'height', 'd', 'points', 'transform'];
  const more = ['stroke-width', 'stroke-dasharray', 'font-size', 'viewBox', 'fill', 'opacity'];
  const attributes = fc.dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 5 });
  const element = fc.record({
    name: fc.constantFrom('rect', 'circle', 'path', 'polygon', 'text', 'svg', 'g', 'use', 'line'),
    attributes,
  });
  fc.assert(
    fc.property(fc.array(element, { maxLength: 6 }), attributes, (parts, own) => {
      const gradient: SvgElement = {
        name: 'linearGradient',
        attributes: new Map([['id', 'g']]),
        children: ['0', '1'].map((offset) => ({
          name: 'stop',
          attributes: new Map([['offset', offset]]),
          children: [],
        })),
      };
      const root: SvgElement = {
        name: 'svg',
        attributes: attributeMap(own),
        children: [
          gradient,
          ...parts.map(({ name, attributes }) => ({
            name,
            attributes: attributeMap(attributes),
            children: [
              'text',
              { name: 'path', attributes: attributeMap({ d: 'M0 0h9v9z' }), children: [] },
            ],
          })),
        ],
      };
      const { items } = drawSvg(root, { x: 0, y: 0, widthPt: 100, heightPt: 100 }, STYLE);
      for (const number of numbersOf(items)) {
        if (!Number.isFinite(number) || Math.abs(number) > 1e12) return false;
      }
      return true;
    }),
    { numRuns: 400 },
  );
});

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: (SvgElement | string)[] = [],
): SvgElement {
  return { name, attributes: new Map(Object.entries(attributes)), children };
}

t.test('bombs end quickly even if they were not checked before', async (t) => {
  const uses = (href: string): SvgElement[] =>
    Array.from({ length: 10 }, () => element('use', { href }));
  const levels = Array.from({ length: 9 }, (_, level) =>
    element('g', { id: `l${level}` }, uses(`#l${level + 1}`)),
  );
  const leaf = element('path', { id: 'l9', d: 'M0 0h1v1z' });
  const bombs: Readonly<Record<string, SvgElement[]>> = {
    uses: [...levels, leaf],
    'a use of itself': [element('g', { id: 'a' }, [element('use', { href: '#a' })])],
    'patterns in patterns': Array.from({ length: 6 }, (_, level) =>
      element(
        'pattern',
        { id: `p${level}`, width: '.03', height: '.03', patternContentUnits: 'objectBoundingBox' },
        [element('rect', { width: '1', height: '1', fill: `url(#p${level + 1})` })],
      ),
    ).concat(element('rect', { width: '90', height: '90', fill: 'url(#p0)' })),
    'long paths, many times': [
      element('path', { id: 'long', d: 'M0 0' + 'l1 1'.repeat(200_000) }),
      ...Array.from({ length: 5_000 }, () => element('use', { href: '#long' })),
    ],
    'many markers': [
      element('marker', { id: 'm' }, [leaf]),
      element('path', { d: 'M0 0' + 'l1 1'.repeat(100_000), 'marker-mid': 'url(#m)' }),
    ],
    'clips that ask for boxes': [
      element('clipPath', { id: 'c', clipPathUnits: 'objectBoundingBox', 'clip-path': 'url(#c)' }, [
        leaf,
      ]),
      element('style', {}, ['*{clip-path:url(#c)}']),
      ...Array.from({ length: 200 }, () => leaf),
    ],
    depth: [
      Array.from({ length: 3_000 }).reduce<SvgElement>((inner) => element('g', {}, [inner]), leaf),
    ],
  };
  for (const [name, children] of Object.entries(bombs)) {
    const root = element('svg', { width: '100', height: '100' }, children);
    const tookMs = cpuMsOf(() => drawSvg(root, { x: 0, y: 0, widthPt: 100, heightPt: 100 }, STYLE));
    t.ok(isWithin(tookMs, 3_000), `${name}: ${tookMs.toFixed(0)} ms of CPU time`);
  }
});

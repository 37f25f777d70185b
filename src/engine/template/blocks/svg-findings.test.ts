import t from 'tap';
import { parseSvg } from '../../svg/parse.ts';
import type { SvgElement } from '../../svg/tree.ts';
import { svgFindings } from './svg-findings.ts';

function rootOf(markup: string): SvgElement {
  const outcome = parseSvg(markup);
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome.root;
}

t.test('findings name what is not drawn, and where', async (t) => {
  const root = rootOf(`<svg><style>g > rect { fill: red }</style>
    <g><rect mask="url(#m)" width="1" height="1"/><rect filter="url(#f)"/></g>
    <mask id="m"/><text stroke="red"><textPath href="#m">x</textPath></text></svg>`);
  t.same(
    svgFindings(root).map(({ at, message }) => `${at}: ${message}`),
    [
      'svg/style: The selector "g > rect" is ignored; use element, .class and #id selectors.',
      'svg/g[1]/rect[1]: Masks are not applied; use a clipPath.',
      'svg/g[1]/rect[2]: Filters are not applied.',
      'svg/g[1]/rect[2]: filter names #f, which does not exist.',
      'svg/text[1]: Text is filled, its stroke is not drawn.',
      'svg/text[1]/textPath[1]: Text on a path is not drawn; place it with x, y and rotate.',
    ],
  );
  t.same(svgFindings(rootOf('<svg><rect fill="red" width="1" height="1"/></svg>')), []);
});

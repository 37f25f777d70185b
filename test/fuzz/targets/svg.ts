import { parseSvg } from '../../../src/engine/svg/parse.ts';
import type { Target } from './target.ts';

const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`;

/** SVG markup. */
export const svgTarget: Target = {
  seeds: async () => [
    svg('<path d="M0 0L1 1z" fill="url(#g)"/><linearGradient id="g"><stop/></linearGradient>'),
    svg('<style>.a{fill:url(#p)}@media print{b{c:d}}</style><pattern id="p"/><g class="a"/>'),
    svg('<g id="a"><use href="#b"/></g><g id="b"/><text xml:space="preserve">ก&#65;&lt;</text>'),
    `<?xml version="1.0"?><!-- c -->${svg('<![CDATA[x]]><marker id="m"/>')}`,
  ],
  dictionary: [
    ...'<g> </g> <use href="# <svg </svg> <style> </style> <![CDATA[ ]]> <!-- --> <!DOCTYPE'.split(
      ' ',
    ),
    ...'<?xml ?> &lt; &#0; &#x10FFFF; & xmlns= xmlns:x=" x:href=" url(# url( ) @import \\ /* */'.split(
      ' ',
    ),
    ...'onload= <script> style=" class=" id=" { } marker: javascript: \u0000 \ud7ff'.split(' '),
  ],
  run(input) {
    const outcome = parseSvg(input.toString('utf8'));
    if (!outcome.ok) return outcome.fault;
    const names = outcome.root.children.map((child) =>
      typeof child === 'string' ? '#' : child.name,
    );
    return [...new Set(names)].join();
  },
};

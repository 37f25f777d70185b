import t from 'tap';
import { cpuMsOf } from '../../../test/fixtures/images.ts';
import type { SvgElement } from './tree.ts';
import { parseSvg } from './parse.ts';
import { svgIds } from './tree.ts';
import { isWithin } from '../../../test/hostile/machine.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"';
const svg = (inner: string, attributes = ''): string =>
  `<svg ${NS} ${XLINK} viewBox="0 0 100 100" ${attributes}>${inner}</svg>`;

/** Markup that has to be refused, by its fault. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  notSvg: [
    'plain text',
    '<svg/>',
    `<svg ${NS}/>`,
    'data:image/svg+xml;utf8,<svg></svg>',
    'data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=',
    `text before <svg ${NS}></svg>`,
    '<svg xmlns="http://www.w3.org/1999/xhtml"></svg>',
    '<g><svg></svg></g>',
  ],
  element: [
    svg('<script>alert(1)</script>'),
    svg('<SCRIPT>alert(1)</SCRIPT>'),
    svg('<ScRiPt/>'),
    svg('<script xlink:href="#a"/>'),
    svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'),
    svg('<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>'),
    svg('<x:script xmlns:x="urn:none">1</x:script>'),
    svg('<g><g><defs><script/></defs></g></g>'),
    svg('<metadata><script/></metadata>'),
    svg('<filter><script/></filter>'),
    svg('<script\n>1</script\n>'),
    svg('<script\t/>'),
    svg('<foreignObject><p>1</p></foreignObject>'),
    svg('<foreignobject/>'),
    svg('<FOREIGNOBJECT/>'),
    svg('<h:iframe xmlns:h="http://www.w3.org/1999/xhtml"/>'),
    svg('<iframe/>'),
    svg('<embed/>'),
    svg('<object/>'),
    svg('<audio/>'),
    svg('<video/>'),
    svg('<img/>'),
    svg('<link rel="stylesheet"/>'),
    svg('<meta http-equiv="refresh"/>'),
    svg('<base/>'),
    svg('<handler type="text/ecmascript">1</handler>'),
    svg('<ev:listener xmlns:ev="http://www.w3.org/2001/xml-events" event="load"/>'),
    svg('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text"/>'),
    svg('<form/>'),
    svg('<html/>'),
    '<html><svg></svg></html>',
  ],
  handler: [
    svg('', 'onload="alert(1)"'),
    svg('', 'ONLOAD="alert(1)"'),
    svg('', 'OnLoad=""'),
    svg('<rect onclick="1"/>'),
    svg('<g onmouseover = "1"/>'),
    svg("<g onfocus='1'/>"),
    svg('<g\nonbegin\n=\n"1"/>'),
    svg('<g x:onload="1" xmlns:x="urn:x"/>'),
    svg('<animate onend="1"/>'),
    svg('<set attributeName="onload" to="alert(1)"/>'),
    svg('<animate attributeName=" ONCLICK " values="1"/>'),
  ],
  declaration: [
    `<!DOCTYPE svg>${svg('')}`,
    `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`,
    `<!DOCTYPE svg SYSTEM "http://x/y.dtd">${svg('')}`,
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`,
    `<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${svg('&b;')}`,
    `<?xml-stylesheet href="http://x/a.css"?>${svg('')}`,
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?>${svg('')}`,
    svg('<?xml-stylesheet href="#a"?>'),
    svg('<?php echo 1 ?>'),
    `${svg('')}<?pi?>`,
    `<?xml version="1.0" encoding="UTF-16"?>${svg('')}`,
    `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`,
    `<?xml version="1.1"?>${svg('')}`,
  ],
  reference: [
    svg('<image href="http://x/a.png"/>'),
    svg('<image xlink:href="https://x/a.png"/>'),
    svg('<image XLINK:HREF="https://x/a.png" xmlns:XLINK="http://www.w3.org/1999/xlink"/>'),
    svg('<image HREF="https://x/a.png"/>'),
    svg('<image href="//x/a.png"/>'),
    svg('<image href="file:///etc/passwd"/>'),
    svg('<image href="a.png"/>'),
    svg('<image href=""/>'),
    svg('<image href="data:image/png;base64,AAAA"/>'),
    svg('<image href="DATA:image/svg+xml,&lt;svg/>"/>'),
    svg('<image q:href="http://x/a.png" xmlns:q="http://www.w3.org/1999/xlink"/>'),
    svg('<image q:href="http://x/a.png" xmlns:q="urn:q"/>'),
    svg('<image href="&#104;ttp://x/a.png"/>'),
    svg('<image href=" #a"/>'),
    svg('<image src="a.png"/>'),
    svg('<rect SRC="#a"/>'),
    svg('<image srcset="a.png 2x"/>'),
    svg('<use href="other.svg#a"/>'),
    svg('<use href="http://x/a.svg#a"/>'),
    svg('<a href="javascript:alert(1)"><text>1</text></a>'),
    svg('<a xlink:href="java&#10;script:alert(1)"><text>1</text></a>'),
    svg('<a href="https://bank.example/">x</a>'),
    svg('<feImage href="http://x/a.png"/>'),
    svg('<metadata><image href="http://x/"/></metadata>'),
    svg('<set attributeName="href" to="http://x/"/>'),
    svg('<animate attributeName="xlink:href" values="javascript:1"/>'),
    svg('<rect/>', 'xml:base="http://x/"'),
    svg('<rect fill="url(http://x/a.svg#b)"/>'),
    svg('<rect fill="URL(http://x/a.svg#b)"/>'),
    svg('<rect fill="url( \'//x/a\' )"/>'),
    svg('<rect filter="url(data:image/svg+xml,x#f)"/>'),
    svg('<rect style="fill:url(http://x/)"/>'),
    svg('<rect style="background:image-set(\'http://x/\' 1x)"/>'),
    svg('<rect fill="url(#a) url(http://x/)"/>'),
    svg('<style>rect{fill:url(http://x/)}</style>'),
    svg('<style><![CDATA[rect{fill:url(//x/)}]]></style>'),
    svg('<style>rect{fill:u/**/rl(http://x/)}</style>'),
    svg('<style>rect{fill:url/**/(http://x/)}</style>'),
    svg('<style>rect{mask:image("http://x/")}</style>'),
    svg('<rect mask="src(http://x/)"/>'),
  ],
  style: [
    svg('<style>@import "http://x/a.css";</style>'),
    svg('<style>@IMPORT url(#a);</style>'),
    svg('<style>@im/**/port "a.css";</style>'),
    svg('<style><![CDATA[@import "a.css";]]></style>'),
    svg('<style>@font-face{font-family:a}</style>'),
    svg('<style>rect{fill:u\\72l(http://x/)}</style>'),
    svg('<rect style="fill:\\75rl(http://x/)"/>'),
    svg('<rect style="width:expression(alert(1))"/>'),
    svg('<rect style="-moz-binding:none"/>'),
    svg('<rect style="behavior:none"/>'),
    svg('<rect fill="u\\72l(http://x/)"/>'),
  ],
  malformed: [
    `<!doctype svg>${svg('')}`,
    `<!DocType svg>${svg('')}`,
    svg('<g>'),
    svg('</g>'),
    svg('<g></h>'),
    svg('<rect width=1/>'),
    svg('<rect width="1" width="2"/>'),
    svg('&nbsp;'),
    svg('&xxe;'),
    svg('&constructor;'),
    svg('&__proto__;'),
    svg('&#0;'),
    svg('&#xD800;'),
    svg('a & b'),
    svg('\u0000'),
    svg('\u0001'),
    svg('\ud800'),
    svg('<q:rect/>'),
    svg('<!-- -- -->'),
    svg(']]>'),
    svg('<!ENTITY a "b">'),
    svg('<![CDATA['),
    `${svg('')}<svg></svg>`,
    `${svg('')}trailing`,
    svg('<rect fill="<script>"/>'),
  ],
  cycle: [
    svg('<use id="a" href="#a"/>'),
    svg('<g id="a"><use href="#a"/></g>'),
    svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    svg('<pattern id="p"><rect fill="url(#p)"/></pattern>'),
    svg('<mask id="m" mask="url(#m)"/>'),
    svg('<clipPath id="c"><path clip-path="url(#c)"/></clipPath>'),
    svg('<marker id="m"><path d="M0 0" marker-end="url(#m)"/></marker>'),
    svg('<linearGradient id="g" href="#g"/>'),
    svg('<style>.a{fill:url(#p)}</style><pattern id="p"><rect class="a"/></pattern>'),
    svg('<use href="#root"/>', 'id="root"'),
  ],
};

function nestedUses(levels: number, each: number): string {
  const layers = Array.from({ length: levels }, (_, level) => {
    const target = level === 0 ? '<rect/>' : `<use href="#l${level - 1}"/>`.repeat(each);
    return `<g id="l${level}">${target}</g>`;
  });
  return svg(`${layers.join('')}<use href="#l${levels - 1}"/>`);
}

const vertices = (count: number): string => `M${'1 2 '.repeat(count)}`;

t.test('refuses markup that is too large once expanded, fast', async (t) => {
  const shapes = '<rect/>'.repeat(600);
  const bombs = [
    nestedUses(10, 10),
    nestedUses(30, 2),
    svg('<g>'.repeat(250) + '</g>'.repeat(250)),
    svg('<g>'.repeat(100_000) + '</g>'.repeat(100_000)),
    svg('<rect/>'.repeat(10_000)),
    svg(`<rect ${Array.from({ length: 201 }, (_, i) => `a${i}=""`).join(' ')}/>`),
    svg(`<g id="a"/>${'<use href="#a"/>'.repeat(2001)}`),
    svg(`<marker id="m">${shapes}</marker><path d="${vertices(100)}" marker-mid="url(#m)"/>`),
    svg(
      `<marker id="m">${shapes}</marker><style>path{marker:url(#m)}</style>` +
        `<path d="${vertices(100)}"/>`,
    ),
    svg(`<pattern id="p">${shapes}</pattern>${'<path fill="url(#p)"/>'.repeat(100)}`),
    svg(
      `<pattern id="p">${shapes}</pattern><style>path{fill:url(#p)}</style>${'<path/>'.repeat(100)}`,
    ),
    svg(`<text id="t">${'x'.repeat(40_000)}</text>${'<use href="#t"/>'.repeat(200)}`),
    // A chain of references, each level a little deeper than the tree allows.
    svg(
      Array.from({ length: 500 }, (_, i) => `<g id="c${i}"><use href="#c${i + 1}"/></g>`).join(''),
    ),
  ];
  for (const [index, bomb] of bombs.entries()) {
    const ms = cpuMsOf(() => {
      t.same(parseSvg(bomb), { ok: false, fault: 'size' }, `bomb ${index}`);
    });
    t.ok(isWithin(ms, 1_000), `bomb ${index} took ${ms.toFixed(0)} ms`);
  }
});

t.test('a megabyte of anything takes well under a second', async (t) => {
  const floods = [
    svg(`<style>${'x'.repeat(1e6)}</style>`),
    svg(`<style>${'/*'.repeat(5e5)}</style>`),
    svg(`<style>${'{'.repeat(1e6)}</style>`),
    svg(`<style>${'a{b'.repeat(3e5)}</style>`),
    svg(`<style>${'a{fill:url(#b)}'.repeat(6e4)}</style>${'<g/>'.repeat(9000)}<g id="b"/>`),
    svg(`<style>${'.a,'.repeat(3e5)}.a{fill:url(#b)}</style>${'<g/>'.repeat(9000)}<g id="b"/>`),
    svg(`<rect style="${'url(#'.repeat(2e5)}"/>`),
    svg(`<rect style="${'url( '.repeat(2e5)}"/>`),
    svg(`<rect style="url(${' '.repeat(1e6)}"/>`),
    svg(`<rect fill="${'url(#a) '.repeat(1e5)}"/>`),
    svg(`<text>${'&#65;'.repeat(2e5)}</text>`),
    svg(`<path d="${'1 '.repeat(5e5)}"/>`),
    svg(`<rect class="${'a '.repeat(5e5)}"/>`),
    svg(`<g ${Array.from({ length: 9e4 }, (_, i) => `a${i}=""`).join(' ')}/>`),
    svg(`<g ${Array.from({ length: 3e4 }, (_, i) => `xmlns:a${i}="u:${i}"`).join(' ')}/>`),
    `<svg ${'<'.repeat(1e6)}</svg>`,
    svg(`&${'a'.repeat(1e6)};`),
    svg(`<${'a'.repeat(1e6)}/>`),
    svg(`<!--${'-'.repeat(1e6)}-->`),
  ];
  for (const [index, flood] of floods.entries()) {
    const ms = cpuMsOf(() => parseSvg(flood));
    t.ok(isWithin(ms, 1_000), `flood ${index} took ${ms.toFixed(0)} ms`);
  }
});

function sheet(css: string): string {
  return `<style>${css}</style>${'<rect/>'.repeat(9_000)}`;
}

function use(text: string): string {
  return svg(`<defs>${text}</defs>${'<use href="#a"/>'.repeat(100)}`);
}

t.test('declarations count as markup of every element that they apply to', async (t) => {
  const lists = `font-family:${'a,'.repeat(200)}b`;
  t.match(parseSvg(svg(sheet(`rect{${lists}}`))), { ok: true });
  t.match(parseSvg(svg(sheet(`rect{${lists}}*{stroke-dasharray:${'1 '.repeat(200)}}`))), {
    fault: 'size',
  });
  // Unknown properties, oversized values and repetitions do not reach an element.
  const unknown = Array.from({ length: 30_000 }, (_, index) => `a${index}:b`).join(';');
  for (const css of [unknown, `fill:${'a'.repeat(100_000)}`, 'fill:red;'.repeat(30_000)]) {
    t.match(parseSvg(svg(sheet(`rect{${css}}`))), { ok: true }, css.slice(0, 20));
  }
});

t.test('letters that are placed one by one count as elements', async (t) => {
  const letters = 'ab'.repeat(500);
  t.match(parseSvg(use(`<text id="a">${letters}</text>`)), { ok: true });
  for (const placed of ['rotate="5"', `x="${'1 '.repeat(1_000)}"`]) {
    t.match(parseSvg(use(`<text id="a" ${placed}>${letters}</text>`)), {
      fault: 'size',
    });
  }
});

t.test('refuses each kind of hostile markup with its fault', async (t) => {
  const count = Object.values(ATTACKS).flat().length;
  t.ok(count >= 80, `${count} attacks`);
  for (const [fault, markups] of Object.entries(ATTACKS)) {
    for (const markup of markups) {
      t.same(parseSvg(markup), { ok: false, fault }, markup.slice(0, 160));
    }
  }
});

const HARMLESS: readonly string[] = [
  svg(''),
  '<svg></svg>',
  ' \n<svg viewBox="0 0 1 1"><path d="M0 0L1 1"/></svg>\n',
  `\ufeff${svg('<rect/>')}`,
  `<?xml version="1.0" encoding="UTF-8"?>\n${svg('<rect/>')}`,
  `<?xml version="1.0" encoding="utf-8" standalone="no"?><!-- made by hand -->${svg('<rect/>')}`,
  svg('<rect x="1" y="2" width="3" height="4" rx="1" fill="#123456" stroke="red"/>'),
  svg('<circle cx="1" cy="2" r="3"/><ellipse rx="1" ry="2"/><line x2="3"/>'),
  svg('<polyline points="0,0 1,1"/><polygon points="0,0 1,1 2,0"/>'),
  svg('<g transform="translate(1,2) rotate(30) matrix(1 0 0 1 0 0)"><path d="M0 0"/></g>'),
  svg('<text x="1" y="2" font-family="Sarabun">สวัสดี <tspan>โลก</tspan></text>'),
  svg('<text>url(http://bank.example) javascript: onload= &lt;script&gt; href="x"</text>'),
  svg('<text><![CDATA[<script>alert(1)</script>]]></text>'),
  svg('<!-- <script>alert(1)</script> onload="1" -->'),
  svg('<!-- <!DOCTYPE x> url(http://x/) -->'),
  svg('<title>href="http://x/"</title><desc>src=x</desc>'),
  svg('<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs>'),
  svg('<linearGradient id="a"/><rect fill="url(#a)"/>'),
  svg('<linearGradient id="a"/><linearGradient id="b" xlink:href="#a"/><rect fill="url(#b)"/>'),
  svg('<radialGradient id="a"/><rect fill="url( \'#a\' ) red"/><rect fill=\'url("#a")\'/>'),
  svg('<clipPath id="c"><rect/></clipPath><g clip-path="url(#c)"><path d="M0 0"/></g>'),
  svg('<mask id="m"><rect/></mask><g style="mask:url(#m);fill:red"/>'),
  svg('<pattern id="p" width="1" height="1"><rect/></pattern><rect fill="url(#p)"/>'),
  svg('<marker id="m"><path d="M0 0"/></marker><path d="M0 0L1 1" marker-end="url(#m)"/>'),
  svg('<symbol id="s"><path d="M0 0"/></symbol><use href="#s" x="1"/><use xlink:href="#s"/>'),
  svg('<use href="#absent"/><rect fill="url(#absent)"/>'),
  svg(
    '<style>.st0{fill:#f00}.st1{fill:url(#g)}</style><linearGradient id="g"/><rect class="st0 st1"/>',
  ),
  svg(
    '<style type="text/css"><![CDATA[ .a > b { fill: none } @media print { .a { fill: red } } ]]></style>',
  ),
  svg('<a href="#top"><text id="top">x</text></a>'),
  '<svg viewBox="0 0 1 1"><use xlink:href="#a"/><g id="a"/></svg>',
  svg('<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><rect filter="url(#f)"/>'),
  svg('<animate attributeName="x" from="0" to="1" dur="1s"/>'),
  `<svg ${NS} xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
     xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
     sodipodi:docname="C:\\logo.svg"><sodipodi:namedview id="v" inkscape:zoom="1"/>
     <metadata><rdf:RDF><rdf:li rdf:resource="http://creativecommons.org/"/></rdf:RDF></metadata>
     <g inkscape:label="layer \\ 1"><path d="M0 0"/></g></svg>`,
  svg('<text xml:space="preserve"> a  b </text>'),
  svg('<g aria-label="a" data-name="b" role="img" tabindex="0" lang="th"/>'),
  svg('<path d="m0 0" style="fill:rgb(1,2,3);stroke:hsl(120,50%,50%);opacity:calc(1 / 2)"/>'),
  svg('&#x0E01;&amp;&lt;&gt;&quot;&apos;'),
  nestedUses(4, 10),
  svg('<g>'.repeat(190) + '</g>'.repeat(190)),
  svg('<rect/>'.repeat(9_999)),
  svg(`<g id="a"/>${'<use href="#a"/>'.repeat(2000)}`),
];

t.test('accepts harmless markup', async (t) => {
  t.ok(HARMLESS.length >= 30, `${HARMLESS.length} harmless files`);
  for (const markup of HARMLESS) {
    const outcome = parseSvg(markup);
    t.ok(outcome.ok, outcome.ok ? 'taken' : `${outcome.fault}: ${markup.slice(0, 200)}`);
  }
});

function parsed(markup: string): SvgElement {
  const outcome = parseSvg(markup);
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome.root;
}

t.test('keeps all that is drawn, in order, and nothing else', async (t) => {
  const root = parsed(
    svg(
      '<title>t</title><g id="a" xlink:href="#b" x:y="1" xmlns:x="urn:x">1<rect/>2</g>' +
        '<filter><rect/></filter><x:rect xmlns:x="urn:x"/><animate/><!-- c -->' +
        '<text xml:space="preserve">a<tspan>b</tspan></text>',
    ),
  );
  t.equal(root.attributes.get('viewBox'), '0 0 100 100');
  const names = root.children.map((child) => (typeof child === 'string' ? child : child.name));
  t.same(names, ['g', 'text']);
  const [group, text] = root.children;
  if (typeof group !== 'object' || typeof text !== 'object') throw new Error('no elements');
  t.same(
    [...group.attributes],
    [
      ['id', 'a'],
      ['href', '#b'],
    ],
  );
  t.same(
    group.children.map((child) => (typeof child === 'string' ? child : child.name)),
    ['1', 'rect', '2'],
  );
  t.equal(text.attributes.get('space'), 'preserve');
});

t.test('a plain href wins over xlink:href, wherever it stands', async (t) => {
  for (const attributes of ['href="#a" xlink:href="#b"', 'xlink:href="#b" href="#a"']) {
    const use = parsed(svg(`<use ${attributes}/>`)).children[0];
    t.equal(typeof use === 'object' && use.attributes.get('href'), '#a');
  }
});

t.test('finds elements by id; if several share one, the first', async (t) => {
  const ids = svgIds(parsed(svg('<g id="a"><rect id="b"/></g><path id="b"/><path id="c"/>')));
  t.same([...ids.keys()].toSorted(), ['a', 'b', 'c']);
  t.equal(ids.get('b')?.name, 'rect');
});

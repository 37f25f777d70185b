/** Harmless SVGs, each the inside of a picture of 100 × 100 that uses one feature of SVG. */
export const PICTURES: Readonly<Record<string, string>> = {
  rectangle: '<rect x="10" y="20" width="70" height="50" fill="#c00"/>',
  'rounded rectangle':
    '<rect x="10" y="20" width="70" height="50" rx="12" ry="20" fill="teal" stroke="black"/>',
  circle: '<circle cx="50" cy="50" r="40" fill="none" stroke="navy" stroke-width="8"/>',
  ellipse: '<ellipse cx="50" cy="50" rx="45" ry="20" fill="rgb(20,120,60)"/>',
  line: '<line x1="5" y1="90" x2="95" y2="10" stroke="#123456" stroke-width="6"/>',
  polyline:
    '<polyline points="5,95 30,20 55,80 95,5" fill="none" stroke="purple" stroke-width="5"/>',
  polygon: '<polygon points="50,5 61,40 98,40 68,62 79,96 50,75 21,96 32,62 2,40 39,40"/>',
  'even-odd':
    '<path fill-rule="evenodd" d="M50 5L79 96 2 40H98L21 96Z" fill="#b8860b" stroke="black"/>',
  'nonzero hole': '<path d="M10 10h80v80h-80z M30 30v40h40v-40z" fill="green"/>',
  'cubic curves': '<path d="M5 50C5 0 95 100 95 50S5 0 5 50" fill="#9cf" stroke="#036"/>',
  'quadratic curves':
    '<path d="M5 50Q25 5 50 50T95 50" fill="none" stroke="crimson" stroke-width="4"/>',
  arcs: '<path d="M20 50A30 30 0 1 1 50 80" fill="#fc6"/><path d="m10 90a40 15 30 0 1 70-20z"/>',
  'relative steps': '<path d="m10 10h30v30h-30zm40 40l40 0 0 40-40 0z" fill="#444"/>',
  'square caps':
    '<path d="M20 30h60" stroke="black" stroke-width="16" stroke-linecap="square"/>' +
    '<path d="M20 70h60" stroke="red" stroke-width="16" stroke-linecap="round"/>',
  joins:
    '<g fill="none" stroke="#333" stroke-width="12"><path d="M10 40L30 10 50 40"/>' +
    '<path d="M50 40L70 10 90 40" stroke-linejoin="round"/>' +
    '<path d="M10 90L30 60 50 90" stroke-linejoin="bevel"/></g>',
  'miter limit':
    '<path d="M10 90L50 10 60 90" fill="none" stroke="#333" stroke-width="8" stroke-miterlimit="2"/>',
  dashes:
    '<path d="M5 30h90" stroke="black" stroke-width="6" stroke-dasharray="12 6 3 6"/>' +
    '<path d="M5 70h90" stroke="blue" stroke-width="6" stroke-dasharray="10" stroke-dashoffset="5"/>',
  translate: '<g transform="translate(30 40)"><rect width="40" height="30" fill="olive"/></g>',
  rotate: '<rect x="30" y="30" width="40" height="40" transform="rotate(30 50 50)" fill="maroon"/>',
  scale: '<g transform="scale(2 .5)"><circle cx="25" cy="100" r="20" stroke="red"/></g>',
  skew: '<rect x="10" y="10" width="40" height="60" transform="skewX(20)" fill="#06c"/>',
  matrix: '<rect width="40" height="40" transform="matrix(1 .3 -.2 1 30 20)" fill="#606"/>',
  'nested transforms':
    '<g transform="translate(50 50)"><g transform="rotate(45)"><g transform="scale(1.5)">' +
    '<rect x="-20" y="-10" width="40" height="20" fill="#099"/></g></g></g>',
  'group opacity':
    '<g opacity=".5"><rect x="10" y="10" width="50" height="50" fill="red"/>' +
    '<rect x="40" y="40" width="50" height="50" fill="blue"/></g>',
  'fill opacity':
    '<rect width="70" height="70" fill="red"/>' +
    '<circle cx="60" cy="60" r="35" fill="blue" fill-opacity=".4"/>',
  'stroke opacity':
    '<circle cx="50" cy="50" r="30" fill="yellow" stroke="black" stroke-opacity=".3" stroke-width="20"/>',
  'linear gradient':
    '<defs><linearGradient id="a"><stop offset="0" stop-color="#12305c"/>' +
    '<stop offset="1" stop-color="#c9a44c"/></linearGradient></defs>' +
    '<rect x="5" y="20" width="90" height="60" fill="url(#a)"/>',
  'gradient in user space':
    '<linearGradient id="a" gradientUnits="userSpaceOnUse" x1="20" y1="20" x2="80" y2="80">' +
    '<stop offset=".2" stop-color="red"/><stop offset=".5" stop-color="lime"/>' +
    '<stop offset=".8" stop-color="blue"/></linearGradient><rect width="100" height="100" fill="url(#a)"/>',
  'gradient transform':
    '<linearGradient id="a" gradientTransform="rotate(90)"><stop offset="0" stop-color="white"/>' +
    '<stop offset="1" stop-color="black"/></linearGradient><circle cx="50" cy="50" r="45" fill="url(#a)"/>',
  'radial gradient':
    '<radialGradient id="a"><stop offset="0" stop-color="gold"/><stop offset="1" stop-color="#620"/>' +
    '</radialGradient><circle cx="50" cy="50" r="45" fill="url(#a)"/>',
  'gradient by reference':
    '<linearGradient id="a"><stop stop-color="red"/><stop offset="1" stop-color="blue"/>' +
    '</linearGradient><linearGradient id="b" href="#a" x1="0" y1="0" x2="0" y2="1"/>' +
    '<rect x="10" y="10" width="80" height="80" fill="url(#b)"/>',
  clip:
    '<clipPath id="c"><circle cx="50" cy="50" r="35"/></clipPath>' +
    '<rect width="100" height="100" fill="#070" clip-path="url(#c)"/>',
  'clip of two shapes':
    '<clipPath id="c"><rect x="5" y="5" width="40" height="90"/><circle cx="70" cy="50" r="25"/>' +
    '</clipPath><g clip-path="url(#c)"><rect width="100" height="50" fill="red"/>' +
    '<rect y="50" width="100" height="50" fill="blue"/></g>',
  use:
    '<defs><g id="p"><rect width="20" height="20" fill="#a52a2a"/><circle cx="20" cy="20" r="8"/></g>' +
    '</defs><use href="#p" x="10" y="10"/><use href="#p" x="55" y="50"/>',
  symbol:
    '<symbol id="s" viewBox="0 0 10 10"><path d="M0 0L10 5 0 10z"/></symbol>' +
    '<use href="#s" x="10" y="20" width="60" height="60" fill="#08c"/>',
  'inherited paint':
    '<g fill="orange" stroke="black" stroke-width="4"><circle cx="30" cy="30" r="20"/>' +
    '<circle cx="70" cy="70" r="20" fill="none"/></g>',
  'style attribute':
    '<rect x="15" y="15" width="70" height="70" style="fill:#abc;stroke:#123;stroke-width:6"/>',
  'current colour':
    '<g color="#a0a"><rect x="20" y="20" width="60" height="60" fill="currentColor"/></g>',
  hsl: '<rect width="100" height="100" fill="hsl(200, 60%, 40%)"/>',
  hidden:
    '<rect width="50" height="100" fill="red" display="none"/>' +
    '<rect x="50" width="50" height="100" fill="blue" visibility="visible"/>',
  pattern:
    '<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse">' +
    '<rect width="10" height="10" fill="#c33"/></pattern><rect width="100" height="100" fill="url(#p)"/>',
  marker:
    '<marker id="m" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="5" markerHeight="5" orient="auto">' +
    '<path d="M0 0L10 5 0 10z"/></marker>' +
    '<path d="M10 80L50 20 85 75" fill="none" stroke="black" stroke-width="4" marker-end="url(#m)"/>',
};

/**
 * Permitted content of an SVG. Elements outside the drawn set never reach the tree; a file with one
 * that runs code, embeds or loads is refused. Names are compared without case: an HTML parser
 * downstream would not tell `<SCRIPT>` from `<script>`.
 */

/** Elements the tree keeps: those a renderer of vectors draws or refers to (SVG 2). */
export const DRAWN_ELEMENTS: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'a',
  'defs',
  'symbol',
  'use',
  'switch',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'textPath',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
  'mask',
  'pattern',
  'marker',
  'style',
]);

/** Local names, in lower case, of elements for which a file is refused, in any namespace. */
export const FORBIDDEN_ELEMENTS: ReadonlySet<string> = new Set([
  'script',
  'handler',
  'listener',
  'foreignobject',
  'iframe',
  'frame',
  'frameset',
  'embed',
  'object',
  'applet',
  'audio',
  'video',
  'source',
  'track',
  'img',
  'link',
  'meta',
  'base',
  'form',
  'input',
  'button',
  'textarea',
  'select',
  'html',
  'head',
  'body',
  'noscript',
  'template',
  'portal',
  'include',
  'import',
  'xslt',
  'stylesheet',
]);

/** Attributes that load whatever their value is, by lower-case local name. */
const LOADING_ATTRIBUTES: ReadonlySet<string> = new Set([
  'src',
  'srcset',
  'srcdoc',
  'data',
  'action',
  'formaction',
  'poster',
  'ping',
  'background',
]);

export type AttributeFault = 'handler' | 'reference' | 'style';

/** The fault of one attribute of an element, or null. `name` is its local name. */
export function attributeFault(
  name: string,
  namespace: string,
  value: string,
): AttributeFault | null {
  const lower = name.toLowerCase();
  if (lower.startsWith('on')) return 'handler';
  if (LOADING_ATTRIBUTES.has(lower)) return 'reference';
  if (lower === 'href' && !/^#[^\s]*$/u.test(value)) return 'reference';
  if (namespace === XML_NAMESPACE && lower === 'base') return 'reference';
  if (lower === 'attributename') return animationFault(value);
  if (lower === 'style') return styleFault(value);
  // Attributes in a namespace are not style, and in style only functions can load.
  if (namespace !== '' || WORDS.test(lower)) return null;
  return value.includes('(') || value.includes('\\') ? styleFault(value) : null;
}

/** Attributes whose values are names and words for people, never CSS. */
const WORDS = /^(?:id|class|lang|role|title|(?:data|aria)-.*)$/u;

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/** SMIL must not set an attribute that could not be written directly. */
function animationFault(target: string): AttributeFault | null {
  const local = target.trim().toLowerCase().split(':').at(-1) ?? '';
  if (local.startsWith('on')) return 'handler';
  return local === 'href' || LOADING_ATTRIBUTES.has(local) || local === 'base' ? 'reference' : null;
}

// Each of these is linear in the text: what a repetition takes cannot begin another match.

/** `url(#id)`, blanks and quotes allowed; group 2 is the id. */
const LOCAL_URL = /url\(\s*(["']?)#([^"'()\s]+)\1\s*\)/giu;
const LOADING_FUNCTION =
  /(?:^|[^\w-])(?:url|src|image|image-set|-webkit-image-set|cross-fade)\s*\(/iu;
const CODE = /expression\s*\(|javascript\s*:|vbscript\s*:|-moz-binding|behavio[u]?r\s*:/iu;

/**
 * The fault of CSS text: anything but `url(#id)` that loads, rules that load, escapes that could
 * hide either, and the ways of old browsers to run code. The text is checked a second time with its
 * comments removed, because a lax parser joins the words that they split.
 */
export function styleFault(css: string): AttributeFault | null {
  if (css.includes('\\')) return 'style';
  const joined = withoutComments(css, '');
  for (const text of joined === css ? [css] : [css, joined]) {
    if (/@\s*(?:import|font-face|namespace)/iu.test(text) || CODE.test(text)) return 'style';
    if (LOADING_FUNCTION.test(text.replaceAll(LOCAL_URL, ''))) return 'reference';
  }
  return null;
}

/**
 * CSS text with `between` in place of its comments; an open one reaches to the end (CSS Syntax 3
 * §4.3.2).
 */
export function withoutComments(css: string, between: string): string {
  let out = '';
  let at = 0;
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', at)) {
    out += css.slice(at, start) + between;
    const end = css.indexOf('*/', start + 2);
    at = end < 0 ? css.length : end + 2;
  }
  return out + css.slice(at);
}

/** A style rule: the text before its braces and between them. */
export interface StyleRule {
  readonly selector: string;
  readonly body: string;
}

/** The innermost `{…}` of a sheet, those inside `@media` included. */
export function styleRules(css: string): StyleRule[] {
  const rules: StyleRule[] = [];
  // Pieces of text with the brace after each; the last one has none.
  const pieces = withoutComments(css, '').matchAll(/([^{}]*)([{}]|$)/gu);
  let selector: string | null = null;
  for (const [, text = '', brace] of pieces) {
    // A piece between two opening braces is the head of `@media` or the like and no rule's body.
    if (selector !== null && brace !== '{') rules.push({ selector, body: text });
    selector = brace === '{' ? text : null;
  }
  return rules;
}

/** The ids that `url(#id)` in this text refers to, in order. */
export function localUrls(text: string): string[] {
  return text.includes('(') ? [...text.matchAll(LOCAL_URL)].map(([, , id]) => id ?? '') : [];
}

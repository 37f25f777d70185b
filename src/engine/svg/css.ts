import type { SvgElement } from './tree.ts';
import { withoutComments } from './rules.ts';

/** Style sheets inside the SVG: lists of element, class and id selectors without combinators. */

export interface StyleSheet {
  /**
   * Rules by one part of their selector that an element must have: `#id`, `.class`, name or `*`.
   */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
  /** Selectors that are not understood, for findings. */
  readonly ignored: readonly string[];
}

export interface Rule {
  readonly element: string | null;
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly declarations: Declarations;
  /** Specificity, then order (CSS Cascade 4 §6.4): the higher one wins. */
  readonly rank: number;
}

/**
 * Declarations of a rule or a `style` attribute, parsed once; each property at most once per map.
 */
interface Declarations {
  readonly plain: ReadonlyMap<string, string>;
  readonly important: ReadonlyMap<string, string>;
  /** Characters of names and values: what it costs to apply them to an element. */
  readonly length: number;
}

const RULES_MAX = 2_000;
/** Limit of classes and ids in one selector. */
const MARKS_MAX = 16;
/** Longer values are ignored: the longest useful ones are lists of fonts or dashes. */
const VALUE_LENGTH_MAX = 4_096;
const IGNORED_MAX = 20;
const SIMPLE_SELECTOR = /^(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+)*)$/;
const EMPTY: StyleSheet = { rules: new Map(), ignored: [] };

/** Properties that are drawn or that findings mention; others are not kept. */
const PROPERTIES: ReadonlySet<string> = new Set(
  `color fill stroke fill-opacity stroke-opacity fill-rule clip-rule stroke-width stroke-dasharray
  stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit visibility font font-size
  font-family font-weight font-style text-anchor letter-spacing word-spacing dominant-baseline
  white-space marker marker-start marker-mid marker-end opacity display clip-path overflow
  vector-effect transform stop-color stop-opacity baseline-shift alignment-baseline
  text-decoration text-decoration-line x y width height cx cy r rx ry mask filter mix-blend-mode
  transform-origin writing-mode`.split(/\s+/),
);

const IMPORTANT = /!\s*important$/i;

function parseDeclarations(text: string): Declarations {
  const plain = new Map<string, string>();
  const important = new Map<string, string>();
  for (const part of withoutComments(text, ' ').split(';')) {
    const colon = part.indexOf(':');
    if (colon === -1 || part.length > VALUE_LENGTH_MAX) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    if (!PROPERTIES.has(name)) continue;
    const written = part.slice(colon + 1).trim();
    if (!IMPORTANT.test(written)) plain.set(name, written);
    else important.set(name, written.replace(IMPORTANT, '').trimEnd());
  }
  let length = 0;
  for (const [name, value] of [...plain, ...important]) length += name.length + value.length;
  return { plain, important, length };
}

/** The sheet of all `style` elements of a tree, in document order. */
export function readStyleSheet(root: SvgElement): StyleSheet {
  let text = '';
  const visit = (element: SvgElement): void => {
    for (const child of element.children) {
      if (typeof child !== 'string') visit(child);
      else if (element.name === 'style') text += `${child}\n`;
    }
  };
  visit(root);
  if (text.trim() === '') return EMPTY;
  const css = withoutComments(text.replaceAll(/<!--|-->/g, ' '), ' ');
  const rules = new Map<string, Rule[]>();
  const ignored: string[] = [];
  let count = 0;
  for (const [prelude, body] of topLevelBlocks(css)) {
    const declarations = parseDeclarations(body);
    if (declarations.length === 0) continue;
    for (const selector of prelude.split(',').map((part) => part.trim())) {
      if (count >= RULES_MAX) break;
      const rule = readSelector(selector, declarations, count);
      if (rule === null) {
        if (ignored.length < IGNORED_MAX) ignored.push(selector);
        continue;
      }
      count++;
      const key = keyOf(rule);
      const alike = rules.get(key);
      if (alike === undefined) rules.set(key, [rule]);
      else alike.push(rule);
    }
  }
  return { rules, ignored };
}

/** The part of its selector that a rule is found by. */
function keyOf({ ids, classes, element }: Rule): string {
  if (ids[0] !== undefined) return `#${ids[0]}`;
  return classes[0] === undefined ? (element ?? '*') : `.${classes[0]}`;
}

function readSelector(selector: string, declarations: Declarations, order: number): Rule | null {
  const match = selector === '' ? null : SIMPLE_SELECTOR.exec(selector);
  if (match === null) return null;
  const marks = (match[2] ?? '').match(/[.#][\w-]+/g) ?? [];
  if (marks.length > MARKS_MAX) return null;
  const classes = marks.filter((mark) => mark.startsWith('.')).map((mark) => mark.slice(1));
  const ids = marks.filter((mark) => mark.startsWith('#')).map((mark) => mark.slice(1));
  const element = match[1] === '*' ? null : (match[1] ?? null);
  const specificity = ids.length * 10_000 + classes.length * 100 + (element === null ? 0 : 1);
  return { element, classes, ids, declarations, rank: specificity * RULES_MAX + order };
}

/** `prelude { body }` at the top, and inside `@media` for print or all. */
function* topLevelBlocks(text: string): Generator<readonly [string, string]> {
  let at = 0;
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', at)) {
    const prelude = (text.slice(at, open).split(';').at(-1) ?? '').trim();
    const close = matchingBrace(text, open);
    const body = text.slice(open + 1, close);
    at = close + 1;
    if (!prelude.startsWith('@')) yield [prelude, body];
    else if (/^@media\s+(?:all|print|screen)$/i.test(prelude)) {
      // An @media block that holds other at-rules is skipped.
      if (!body.includes('@')) yield* topLevelBlocks(body);
    }
  }
}

/** The index of the brace that closes the one at `open`, or the end of the text. */
function matchingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
    if (depth === 0) return at;
  }
  return text.length;
}

/**
 * Declarations for an element, by property: presentation attributes, then the sheet, then its
 * `style` attribute; `!important` above all of them.
 */
export function declaredValues(element: SvgElement, sheet: StyleSheet): Map<string, string> {
  const values = new Map<string, string>(element.attributes);
  const important = new Map<string, string>();
  const add = (declarations: Declarations): void => {
    for (const [name, value] of declarations.plain) values.set(name, value);
    for (const [name, value] of declarations.important) important.set(name, value);
  };
  for (const rule of rulesFor(element, sheet)) add(rule.declarations);
  const own = element.attributes.get('style');
  if (own !== undefined) add(parseDeclarations(own));
  for (const [name, value] of important) values.set(name, value);
  return values;
}

/**
 * Characters that the rules of a sheet bring to an element. Rules that share a class, an id or the
 * name with the element count even if the rest of their selector does not match.
 */
export function declaredLength(element: SvgElement, sheet: StyleSheet): number {
  let length = 0;
  for (const rule of candidates(element, sheet)) length += rule.declarations.length;
  return length;
}

/** The rules that may match an element, by one part of their selector. */
function* candidates({ name, attributes }: SvgElement, { rules }: StyleSheet): Iterable<Rule> {
  if (rules.size === 0) return;
  yield* rules.get('*') ?? [];
  yield* rules.get(name) ?? [];
  const id = attributes.get('id');
  if (id !== undefined) yield* rules.get(`#${id}`) ?? [];
  for (const one of classesOf(attributes)) yield* rules.get(`.${one}`) ?? [];
}

function classesOf(attributes: ReadonlyMap<string, string>): ReadonlySet<string> {
  return new Set(attributes.get('class')?.split(/\s+/));
}

/** The rules that match an element, the weakest first. */
function rulesFor(element: SvgElement, sheet: StyleSheet): Rule[] {
  if (sheet.rules.size === 0) return [];
  const id = element.attributes.get('id') ?? '';
  const classes = classesOf(element.attributes);
  const fitting: Rule[] = [];
  for (const rule of candidates(element, sheet)) {
    const fits =
      (rule.element === null || rule.element === element.name) &&
      rule.classes.every((name) => classes.has(name)) &&
      rule.ids.every((name) => name === id);
    if (fits) fitting.push(rule);
  }
  return fitting.toSorted((a, b) => a.rank - b.rank);
}

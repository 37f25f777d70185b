import type { SvgElement } from '../contract/svg.ts';

/** Style sheets inside the SVG: lists of element, class and id selectors without combinators. */

export interface StyleSheet {
  /** By one part of their selector that an element must have: `#id`, `.class`, name or `*`. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
  /** Selectors that are not understood, for findings. */
  readonly ignored: readonly string[];
}

interface Rule {
  readonly element: string | null;
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly declarations: readonly Declaration[];
  /** Specificity, then order (CSS Cascade 4 §6.4): the higher one wins. */
  readonly rank: number;
}

export interface Declaration {
  readonly name: string;
  readonly value: string;
  readonly important: boolean;
}

const RULES_MAX = 2_000;
const IGNORED_MAX = 20;
const SIMPLE_SELECTOR = /^(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+)*)$/;
const EMPTY: StyleSheet = { rules: new Map(), ignored: [] };

export function parseDeclarations(text: string): Declaration[] {
  const declarations: Declaration[] = [];
  for (const part of withoutComments(text).split(';')) {
    const colon = part.indexOf(':');
    if (colon === -1) continue;
    const written = part.slice(colon + 1).trim();
    const important = /!\s*important$/i.test(written);
    const value = important ? written.replace(/\s*!\s*important$/i, '') : written;
    declarations.push({ name: part.slice(0, colon).trim().toLowerCase(), value, important });
  }
  return declarations;
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
  const rules = new Map<string, Rule[]>();
  const ignored: string[] = [];
  let count = 0;
  for (const [prelude, body] of topLevelBlocks(withoutComments(text))) {
    const declarations = parseDeclarations(body);
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

function keyOf({ ids, classes, element }: Rule): string {
  if (ids[0] !== undefined) return `#${ids[0]}`;
  return classes[0] === undefined ? (element ?? '*') : `.${classes[0]}`;
}

function readSelector(
  selector: string,
  declarations: readonly Declaration[],
  order: number,
): Rule | null {
  const match = selector === '' ? null : SIMPLE_SELECTOR.exec(selector);
  if (match === null) return null;
  const marks = (match[2] ?? '').match(/[.#][\w-]+/g) ?? [];
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
      // One level is enough: rules of rules do not apply to print.
      if (!body.includes('@')) yield* topLevelBlocks(body);
    }
  }
}

function matchingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return at;
  }
  return text.length;
}

function withoutComments(text: string): string {
  if (!text.includes('/*') && !text.includes('<!--')) return text;
  return text.replaceAll(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|<!--|-->/g, ' ');
}

/**
 * What is declared for an element, by property: presentation attributes, then the sheet, then its
 * `style` attribute; `!important` above all of them.
 */
export function declaredValues(element: SvgElement, sheet: StyleSheet): Map<string, string> {
  const values = new Map<string, string>(element.attributes);
  const important = new Map<string, string>();
  const add = (declarations: readonly Declaration[]): void => {
    for (const { name, value, important: isImportant } of declarations) {
      (isImportant ? important : values).set(name, value);
    }
  };
  for (const rule of rulesFor(element, sheet)) add(rule.declarations);
  const own = element.attributes.get('style');
  if (own !== undefined) add(parseDeclarations(own));
  for (const [name, value] of important) values.set(name, value);
  return values;
}

function rulesFor(element: SvgElement, { rules }: StyleSheet): Rule[] {
  if (rules.size === 0) return [];
  const id = element.attributes.get('id') ?? '';
  const classes = new Set(element.attributes.get('class')?.split(/\s+/));
  const keys = ['*', element.name, `#${id}`];
  for (const name of classes) keys.push(`.${name}`);
  const fitting: Rule[] = [];
  for (const key of keys) {
    for (const rule of rules.get(key) ?? []) {
      const fits =
        (rule.element === null || rule.element === element.name) &&
        rule.classes.every((name) => classes.has(name)) &&
        rule.ids.every((name) => name === id);
      if (fits) fitting.push(rule);
    }
  }
  return fitting.toSorted((a, b) => a.rank - b.rank);
}

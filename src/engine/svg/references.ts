import { LIMITS } from '../../limits.ts';
import type { StyleSheet } from './css.ts';
import { declaredLength, readStyleSheet } from './css.ts';
import { localUrls, styleRules } from './rules.ts';
import { svgIds, type SvgElement } from './tree.ts';

/**
 * Cost of an SVG once every reference is expanded, counted before anything is drawn. 1.4 KB of
 * nested `use` can name 10^9 elements, and a marker is drawn at each vertex of a path.
 *
 * The graph: an element leads to its children and to what its `href` and `url(#…)` name, directly
 * or by a rule of a style sheet that may fit it. Each element's expanded size is computed once.
 */

interface Cost {
  readonly elements: number;
  readonly characters: number;
  /** Levels of nesting below and including this element. */
  readonly depth: number;
}

interface Reference {
  readonly target: SvgElement;
  /** How often the target is drawn. */
  readonly times: number;
}

type ExpansionFault = 'cycle' | 'size';

/** What an element costs, or why it is refused. */
type Counted =
  | { readonly ok: true; readonly cost: Cost }
  | { readonly ok: false; readonly fault: ExpansionFault };

const CYCLE: Counted = { ok: false, fault: 'cycle' };
const TOO_LARGE: Counted = { ok: false, fault: 'size' };

/** Why the references of this tree are refused, or null. */
export function referenceFault(root: SvgElement): ExpansionFault | null {
  const counted = new ExpansionCounter(root).costOf(root, 1);
  return counted.ok ? null : counted.fault;
}

class ExpansionCounter {
  readonly #ids: ReadonlyMap<string, SvgElement>;
  readonly #sheet: StyleSheet;
  readonly #styleReferences: StyleReferences;
  /** `open` while an element's expansion is being counted: meeting it again means a cycle. */
  readonly #counted = new Map<SvgElement, Extract<Counted, { ok: true }> | 'open'>();
  #references = 0;

  constructor(root: SvgElement) {
    this.#ids = svgIds(root);
    this.#sheet = readStyleSheet(root);
    this.#styleReferences = new StyleReferences(root, this.#ids);
  }

  costOf(element: SvgElement, depth: number): Counted {
    const known = this.#counted.get(element);
    if (known === 'open') return CYCLE;
    if (known !== undefined) return isWithinDepth(known.cost, depth) ? known : TOO_LARGE;
    if (depth > LIMITS.svgExpandedDepthMax) return TOO_LARGE;
    this.#counted.set(element, 'open');
    const counted = this.#count(element, depth);
    if (counted.ok) this.#counted.set(element, counted);
    return counted;
  }

  #count(element: SvgElement, depth: number): Counted {
    let elements = 1;
    let characters = declaredLength(element, this.#sheet);
    let height = 0;
    for (const value of element.attributes.values()) characters += value.length;
    elements += placedLetters(element);
    const parts: Reference[] = this.#referencesOf(element);
    this.#references += parts.length;
    if (this.#references > LIMITS.svgReferencesMax) return TOO_LARGE;
    if (characters > LIMITS.svgExpandedCharactersMax) return TOO_LARGE;
    for (const child of element.children) {
      if (typeof child === 'string') characters += child.length;
      else parts.push({ target: child, times: 1 });
    }
    for (const { target, times } of parts) {
      const counted = this.costOf(target, depth + 1);
      if (!counted.ok) return counted;
      const { cost } = counted;
      elements += cost.elements * times;
      characters += cost.characters * times;
      height = Math.max(height, cost.depth);
      // Checked at every step, so that no sum exceeds what a double can count.
      if (elements > LIMITS.svgExpandedElementsMax) return TOO_LARGE;
      if (characters > LIMITS.svgExpandedCharactersMax) return TOO_LARGE;
    }
    return { ok: true, cost: { elements, characters, depth: height + 1 } };
  }

  #referencesOf(element: SvgElement): Reference[] {
    const references: Reference[] = [];
    let vertices = 0;
    const add = (target: SvgElement | undefined, isMarker: boolean): void => {
      if (target === undefined) return;
      if (isMarker && vertices === 0) vertices = vertexCount(element);
      references.push({ target, times: isMarker ? vertices : 1 });
    };
    for (const [name, value] of element.attributes) {
      if (name === 'href') add(this.#ids.get(value.slice(1)), false);
      else if (value.includes('(')) {
        const isMarker =
          name.startsWith('marker') || (name === 'style' && value.includes('marker'));
        for (const id of localUrls(value)) add(this.#ids.get(id), isMarker);
      }
    }
    for (const { target, isMarker } of this.#styleReferences.referencesOf(element)) {
      add(target, isMarker);
    }
    return references;
  }
}

/** Whether an element with this cost, drawn at a depth, stays within the limit of nesting. */
function isWithinDepth(cost: Cost, depth: number): boolean {
  return depth + cost.depth - 1 <= LIMITS.svgExpandedDepthMax;
}

/** Letters of a text that are drawn one by one, because each has a position or an angle. */
function placedLetters(element: SvgElement): number {
  if (element.name !== 'text' && element.name !== 'tspan') return 0;
  const letters = lettersOf(element);
  // The last angle holds for all letters that follow.
  if (element.attributes.has('rotate')) return letters;
  const lists = ['x', 'y', 'dx', 'dy'].map((name) => entriesOf(element.attributes.get(name)));
  return Math.min(letters, Math.max(...lists));
}

function entriesOf(list: string | undefined): number {
  return list === undefined ? 0 : (list.match(/[^\s,]+/gu)?.length ?? 0);
}

function lettersOf({ children }: SvgElement): number {
  let count = 0;
  for (const child of children) {
    count += typeof child === 'string' ? child.length : lettersOf(child);
  }
  return count;
}

/** A bound of the vertices: numbers in the geometry, of which every vertex has at least one. */
function vertexCount({ attributes }: SvgElement): number {
  const geometry = `${attributes.get('d') ?? ''} ${attributes.get('points') ?? ''}`;
  return 2 + (geometry.match(/[\d.]+|[zZ]/gu)?.length ?? 0);
}

interface StyleReference {
  readonly target: SvgElement;
  readonly isMarker: boolean;
}

/**
 * Targets of the rules of all style sheets, by the last part of their selectors: a class, an id
 * or a name; anything else is taken to fit every element.
 */
class StyleReferences {
  /** The references of each rule that may fit; rules of a list of selectors share theirs. */
  readonly #bySelector = new Map<string, (readonly StyleReference[])[]>();

  constructor(root: SvgElement, ids: ReadonlyMap<string, SvgElement>) {
    for (const { selector, body } of styleRules(sheetOf(root))) {
      const isMarker = body.includes('marker');
      const references = localUrls(body).flatMap((id) => {
        const target = ids.get(id);
        return target === undefined ? [] : [{ target, isMarker }];
      });
      if (references.length === 0) continue;
      for (const key of new Set(selector.split(',').map(keyOf))) {
        const alike = this.#bySelector.get(key);
        if (alike === undefined) this.#bySelector.set(key, [references]);
        else alike.push(references);
      }
    }
  }

  *referencesOf({ name, attributes }: SvgElement): Generator<StyleReference> {
    if (this.#bySelector.size === 0) return;
    const classes = (attributes.get('class') ?? '').split(/\s+/u).map((one) => `.${one}`);
    for (const key of new Set(['*', name, `#${attributes.get('id') ?? ''}`, ...classes])) {
      for (const references of this.#bySelector.get(key) ?? []) yield* references;
    }
  }
}

function keyOf(selector: string): string {
  const last =
    selector
      .trim()
      .split(/[\s>+~]+/u)
      .at(-1) ?? '';
  return /^(?:[.#]?[\w-]+)$/u.test(last) ? last : '*';
}

/** The text of all style elements. */
function sheetOf(root: SvgElement): string {
  let css = '';
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) {
      if (typeof child === 'object') open.push(child);
      else if (element.name === 'style') css += child;
    }
  }
  return css;
}

import { LIMITS } from '../../limits.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';
import type { SvgElement } from './svg.ts';
import { svgIds } from './svg.ts';
import { localUrls } from './svg-rules.ts';

/**
 * What an SVG costs once every reference is expanded, counted before anything is drawn. 1.4 KB of
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

/** A style rule that refers to something, by the last part of its selectors. */
interface ReferringRule {
  readonly selectors: readonly string[];
  readonly ids: readonly string[];
  readonly isMarker: boolean;
}

/** The reason why the references of this tree are refused, or null. */
export function referenceFault(root: SvgElement): Reason | null {
  const counter = new ExpansionCounter(root);
  const cost = counter.costOf(root, 1);
  return typeof cost === 'string' ? cost : null;
}

class ExpansionCounter {
  readonly #ids: ReadonlyMap<string, SvgElement>;
  readonly #rules: readonly ReferringRule[];
  /** `open` while its own expansion is being counted: met again, it is a cycle. */
  readonly #costs = new Map<SvgElement, Cost | 'open'>();
  #references = 0;

  constructor(root: SvgElement) {
    this.#ids = svgIds(root);
    this.#rules = referringRules(root);
  }

  costOf(element: SvgElement, depth: number): Cost | Reason {
    const known = this.#costs.get(element);
    if (known === 'open') return REASONS.svgCycle;
    if (known !== undefined) return this.#isWithin(known, depth) ? known : REASONS.svgSize;
    if (depth > LIMITS.svgExpandedDepthMax) return REASONS.svgSize;
    this.#costs.set(element, 'open');
    const cost = this.#count(element, depth);
    if (typeof cost !== 'string') this.#costs.set(element, cost);
    return cost;
  }

  #count(element: SvgElement, depth: number): Cost | Reason {
    let elements = 1;
    let characters = 0;
    let height = 0;
    for (const value of element.attributes.values()) characters += value.length;
    const parts: Reference[] = this.#referencesOf(element);
    this.#references += parts.length;
    if (this.#references > LIMITS.svgReferencesMax) return REASONS.svgSize;
    for (const child of element.children) {
      if (typeof child === 'string') characters += child.length;
      else parts.push({ target: child, times: 1 });
    }
    for (const { target, times } of parts) {
      const cost = this.costOf(target, depth + 1);
      if (typeof cost === 'string') return cost;
      elements += cost.elements * times;
      characters += cost.characters * times;
      height = Math.max(height, cost.depth);
      // At every step, so that no sum can grow beyond what a double counts.
      if (elements > LIMITS.svgExpandedElementsMax) return REASONS.svgSize;
      if (characters > LIMITS.svgExpandedCharactersMax) return REASONS.svgSize;
    }
    return { elements, characters, depth: height + 1 };
  }

  #isWithin(cost: Cost, depth: number): boolean {
    return depth + cost.depth - 1 <= LIMITS.svgExpandedDepthMax;
  }

  #referencesOf(element: SvgElement): Reference[] {
    const references: Reference[] = [];
    const add = (id: string, isMarker: boolean): void => {
      const target = this.#ids.get(id);
      const times = isMarker ? vertexCount(element) : 1;
      if (target !== undefined) references.push({ target, times });
    };
    for (const [name, value] of element.attributes) {
      if (name === 'href') add(value.slice(1), false);
      else if (value.includes('(')) {
        const isMarker =
          name.startsWith('marker') || (name === 'style' && value.includes('marker'));
        for (const id of localUrls(value)) add(id, isMarker);
      }
    }
    for (const rule of this.#rules) {
      if (!rule.selectors.some((selector) => mayFit(element, selector))) continue;
      for (const id of rule.ids) add(id, rule.isMarker);
    }
    return references;
  }
}

/** At most as many as numbers in its geometry: every vertex has at least one. */
function vertexCount({ attributes }: SvgElement): number {
  const geometry = `${attributes.get('d') ?? ''} ${attributes.get('points') ?? ''}`;
  return 2 + (geometry.match(/[\d.]+|[zZ]/gu)?.length ?? 0);
}

function referringRules(root: SvgElement): ReferringRule[] {
  const rules: ReferringRule[] = [];
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) if (typeof child === 'object') open.push(child);
    if (element.name !== 'style') continue;
    const css = element.children.filter((part) => typeof part === 'string').join('');
    for (const [, selector = '', body = ''] of css.matchAll(/([^{}]*)\{([^{}]*)\}/gu)) {
      const ids = localUrls(body);
      if (ids.length === 0) continue;
      const selectors = selector.split(',').map(
        (one) =>
          one
            .trim()
            .split(/[\s>+~]+/u)
            .at(-1) ?? '',
      );
      rules.push({ selectors, ids, isMarker: body.includes('marker') });
    }
  }
  return rules;
}

/** Errs on the side of fitting: a simple selector by class, id or name, anything else always. */
function mayFit({ name, attributes }: SvgElement, selector: string): boolean {
  if (/^\.[\w-]+$/u.test(selector)) {
    return (attributes.get('class') ?? '').split(/\s+/u).includes(selector.slice(1));
  }
  if (/^#[\w-]+$/u.test(selector)) return attributes.get('id') === selector.slice(1);
  if (/^[A-Za-z]+$/u.test(selector)) return name === selector;
  return true;
}

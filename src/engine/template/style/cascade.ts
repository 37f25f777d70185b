import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { memberPath } from '../vocabulary/findings.ts';
import { NAMED_STYLE_KEYS, STYLE_KEYS } from '../vocabulary/keys.ts';
import type { NamedStyleSource, StyleSource } from '../vocabulary/keys.ts';
import type { Margin } from '../../model/nodes.ts';
import type { MarginSource } from '../vocabulary/values.ts';

/**
 * pdfmake's style cascade (its StyleContextStack): a node's own properties, then its styles from the
 * last named to the first, then the same of each ancestor, then the default style. Here each node
 * carries the merged result, so a look-up is a property read.
 */
export type Cascade = StyleSource;

/** Named styles of a node, beside its own properties. */
export interface StyleUse {
  readonly style?: string | readonly string[];
}

const IS_STYLE_NAME: ReadonlySet<string> = new Set(Object.keys(STYLE_KEYS));

/** The template's style dictionary, checked, with `extends` resolved. */
export class StyleDictionary {
  readonly #named: ReadonlyMap<string, NamedStyleSource>;
  readonly #flat = new Map<string, StyleSource>();
  readonly #findings: Findings;

  constructor(source: JsonObject, path: string, findings: Findings) {
    this.#findings = findings;
    const named = new Map<string, NamedStyleSource>();
    for (const [name, value] of Object.entries(source)) {
      const at = memberPath(path, name);
      const object = checkIsObject(value, at, findings);
      if (object !== null) named.set(name, checkObject(object, at, NAMED_STYLE_KEYS, findings));
    }
    this.#named = named;
    for (const [name, style] of named) {
      this.#checkExtends(name, style, memberPath(path, name));
    }
  }

  /** The font family that each style names itself. */
  *families(): Iterable<readonly [name: string, family: string]> {
    for (const [name, { font }] of this.#named) if (font !== undefined) yield [name, font];
  }

  /** The cascade inside a node: `parent` overridden by its styles, then by its own properties. */
  enter(parent: Cascade, own: StyleSource & StyleUse, path: string): Cascade {
    let merged: Cascade = parent;
    for (const name of this.#names(own.style, memberPath(path, 'style'))) {
      merged = { ...merged, ...this.#flatten(name, new Set()) };
    }
    const overrides = pickStyle(own);
    return overrides === null ? merged : { ...merged, ...overrides };
  }

  /**
   * A node's margin (pdfmake's getNodeMargin): own `margin`, else own sides over the margin of its
   * styles; the default style's margin and the parents' do not count.
   */
  margin(own: NamedStyleSource & StyleUse): Margin {
    let margin: PartialMargin = NO_MARGIN;
    if (own.style !== undefined) {
      margin = this.#styleMargin(listOf(own.style), new Set()) ?? NO_MARGIN;
    }
    margin = withSides(own, margin);
    if (own.margin !== undefined) margin = fourSides(own.margin);
    const [left = 0, top = 0, right = 0, bottom = 0] = margin;
    return [left, top, right, bottom];
  }

  /** null: none of the styles exists. As in pdfmake, a style with `extends` starts afresh. */
  #styleMargin(names: readonly string[], visited: ReadonlySet<string>): PartialMargin | null {
    let margin: PartialMargin | null = null;
    for (const name of names) {
      const style = this.#named.get(name);
      if (style === undefined || visited.has(name)) continue;
      if (style.extends !== undefined) {
        const inherited = this.#styleMargin(listOf(style.extends), new Set([...visited, name]));
        margin = inherited ?? margin;
      }
      margin =
        style.margin === undefined
          ? withSides(style, margin ?? NO_MARGIN)
          : fourSides(style.margin);
    }
    return margin;
  }

  #flatten(name: string, visiting: Set<string>): StyleSource {
    const known = this.#flat.get(name);
    if (known !== undefined) return known;
    const style = this.#named.get(name);
    if (style === undefined || visiting.has(name)) return {};
    visiting.add(name);
    let flat: StyleSource = {};
    for (const parent of listOf(style.extends ?? [])) {
      flat = { ...flat, ...this.#flatten(parent, visiting) };
    }
    flat = { ...flat, ...pickStyle(style) };
    visiting.delete(name);
    if (visiting.size === 0) this.#flat.set(name, flat);
    return flat;
  }

  /** The names that exist; the others are findings. */
  #names(style: string | readonly string[] | undefined, path: string): readonly string[] {
    if (style === undefined) return [];
    return listOf(style).filter((name, index) => {
      if (name === '') return false;
      if (this.#named.has(name)) return true;
      const at = typeof style === 'string' ? path : `${path}[${index}]`;
      const known = this.#findings.suggestion(name, this.#named.keys());
      const hint = known === '' ? '; declare it in document.styles.' : known;
      // Only a warning: pdfmake ignores unknown styles, and its users rely on that.
      this.#findings.warning(at, `There is no style ${JSON.stringify(name)}${hint}`);
      return false;
    });
  }

  #checkExtends(name: string, style: NamedStyleSource, path: string): void {
    const at = memberPath(path, 'extends');
    this.#names(style.extends, at);
    if (this.#reaches(name, listOf(style.extends ?? []), new Set())) {
      this.#findings.error(at, `Style ${JSON.stringify(name)} extends itself; break the circle.`);
    }
  }

  #reaches(target: string, from: readonly string[], visited: Set<string>): boolean {
    return from.some((name) => {
      if (name === target) return true;
      if (visited.has(name)) return false;
      visited.add(name);
      return this.#reaches(target, listOf(this.#named.get(name)?.extends ?? []), visited);
    });
  }
}

function listOf(names: string | readonly string[]): readonly string[] {
  return typeof names === 'string' ? [names] : names;
}

/** The style properties of an object that has others as well, or null when it has none. */
export function pickStyle(source: StyleSource): StyleSource | null {
  let picked: Record<string, unknown> | null = null;
  // Most nodes have few properties and no style, and there are many names of styles.
  for (const name of Object.keys(source)) {
    if (!IS_STYLE_NAME.has(name)) continue;
    const value: unknown = source[name as keyof StyleSource];
    if (value === undefined) continue;
    picked ??= {};
    picked[name] = value;
  }
  return picked;
}

type Side = number | undefined;
type PartialMargin = readonly [Side, Side, Side, Side];
const NO_MARGIN: PartialMargin = [undefined, undefined, undefined, undefined];

function withSides(source: NamedStyleSource, current: PartialMargin): PartialMargin {
  const { marginLeft, marginTop, marginRight, marginBottom } = source;
  const sides = [marginLeft, marginTop, marginRight, marginBottom];
  if (sides.every((side) => side === undefined)) return current;
  return [
    marginLeft ?? current[0] ?? 0,
    marginTop ?? current[1] ?? 0,
    marginRight ?? current[2] ?? 0,
    marginBottom ?? current[3] ?? 0,
  ];
}

/** `margin` in any of its forms as left, top, right, bottom. */
export function fourSides(margin: MarginSource): Margin {
  if (typeof margin === 'number') return [margin, margin, margin, margin];
  if (margin.length === 2) return [margin[0], margin[1], margin[0], margin[1]];
  return [margin[0], margin[1], margin[2], margin[3]];
}

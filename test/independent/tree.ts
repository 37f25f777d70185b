import type { Objects, Value } from './objects.ts';
import { idOf, isDictionary, textOf } from './objects.ts';

/** Checks of the structure tree (ISO 32000-1, 14.7 and 14.8; ISO 14289-1, 7). */

/** What may stand in an element, by its type; types that are not here hold what they like. */
const KIDS: Readonly<Record<string, RegExp>> = {
  Table: /^(?:TR|THead|TBody|TFoot|Caption)$/,
  THead: /^TR$/,
  TBody: /^TR$/,
  TR: /^T[HD]$/,
  L: /^(?:LI|L|Caption)$/,
  LI: /^(?:Lbl|LBody)$/,
  TOC: /^(?:TOC|TOCI|Caption)$/,
};
/** What an element must stand in, by its type. */
const PARENTS: Readonly<Record<string, RegExp>> = {
  TR: /^(?:Table|THead|TBody|TFoot)$/,
  TH: /^TR$/,
  TD: /^TR$/,
  THead: /^Table$/,
  TBody: /^Table$/,
  LI: /^L$/,
  Lbl: /^(?:LI|Note)$/,
  LBody: /^LI$/,
  TOCI: /^TOC$/,
};

export interface TreeFacts {
  readonly faults: readonly string[];
  /** By page reference: how often the tree names each MCID. */
  readonly mcids: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Languages that elements state. */
  readonly languages: ReadonlySet<string>;
  readonly headings: readonly number[];
  /** Number of elements by type. */
  readonly types: ReadonlyMap<string, number>;
}

export function checkTree(objects: Objects): TreeFacts {
  return new TreeCheck(objects).run();
}

class TreeCheck {
  readonly #objects: Objects;
  readonly #faults: string[] = [];
  readonly #mcids = new Map<string, Map<number, number>>();
  readonly #languages = new Set<string>();
  readonly #headings: number[] = [];
  readonly #types = new Map<string, number>();
  /** Annotations in the tree, with the element that each is in. */
  readonly #annotations = new Map<string, { readonly element: string; readonly type: string }>();
  readonly #parents = new Map<number, Value>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  run(): TreeFacts {
    const objects = this.#objects;
    const tree = objects.get(objects.trailer, '/Root', '/StructTreeRoot');
    if (tree === null) this.#faults.push('no structure tree');
    this.#readParents(objects.get(tree, '/ParentTree'));
    const kids = objects.raw(tree, '/K');
    for (const kid of Array.isArray(kids) ? (kids as readonly Value[]) : [kids]) {
      this.#element(kid, '', '');
    }
    this.#checkHeadings();
    objects.pages().forEach((page) => this.#checkAnnotations(page));
    return {
      faults: this.#faults,
      mcids: this.#mcids,
      languages: this.#languages,
      headings: this.#headings,
      types: this.#types,
    };
  }

  #readParents(node: Value): void {
    const numbers = this.#objects.list(node, '/Nums');
    for (let at = 0; at + 1 < numbers.length; at += 2) {
      this.#parents.set(Number(numbers[at]), numbers[at + 1] ?? null);
    }
    for (const kid of this.#objects.list(node, '/Kids'))
      this.#readParents(this.#objects.resolve(kid));
  }

  #element(reference: Value, parentType: string, parentReference: string): void {
    const objects = this.#objects;
    const id = idOf(reference);
    const type = idOf(objects.get(reference, '/S')).slice(1);
    const fault = (message: string): void => void this.#faults.push(`${type} ${id}: ${message}`);
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
    if (PARENTS[type]?.test(parentType) === false) fault(`stands in ${parentType}`);
    if (KIDS[parentType]?.test(type) === false) fault(`may not stand in ${parentType}`);
    if (parentReference !== '' && objects.raw(reference, '/P') !== parentReference) {
      fault('/P is not its parent');
    }
    const lang = textOf(objects.get(reference, '/Lang'));
    if (lang !== null) this.#languages.add(lang);
    if (lang !== null && !/^[A-Za-z]{2,8}(?:-[A-Za-z\d]{1,8})*$/.test(lang)) fault('a wrong /Lang');
    const level = /^H([1-6])$/.exec(type)?.[1];
    if (level !== undefined) this.#headings.push(Number(level));
    if (type === 'Figure') this.#checkFigure(reference, fault);
    if (type === 'Table') this.#checkTable(reference, fault);
    if (type === 'TH' && this.#attribute(reference, '/Scope') === null) fault('no scope');
    const page = objects.raw(reference, '/Pg');
    const raw = objects.raw(reference, '/K');
    const kids = Array.isArray(objects.resolve(raw))
      ? objects.list(raw)
      : raw === null
        ? []
        : [raw];
    for (const kid of kids) this.#kid(kid, page, id, type);
  }

  #kid(kid: Value, page: Value, element: string, type: string): void {
    const objects = this.#objects;
    if (typeof kid === 'number') {
      this.#content(page, kid, element);
      return;
    }
    const kind = objects.get(kid, '/Type');
    const own = objects.raw(kid, '/Pg') ?? page;
    if (kind === '/MCR') this.#content(own, Number(objects.get(kid, '/MCID')), element);
    else if (kind === '/OBJR') {
      this.#annotations.set(idOf(objects.raw(kid, '/Obj')), { element, type });
    } else this.#element(kid, type, element);
  }

  #content(page: Value, mcid: number, element: string): void {
    const key = idOf(page);
    const counts = this.#mcids.get(key) ?? new Map<number, number>();
    counts.set(mcid, (counts.get(mcid) ?? 0) + 1);
    this.#mcids.set(key, counts);
    const parents = this.#parents.get(Number(this.#objects.get(page, '/StructParents')));
    if (this.#objects.list(parents)[mcid] !== element) {
      this.#faults.push(`MCID ${mcid} of page ${key}: the parent tree does not lead to ${element}`);
    }
  }

  #attribute(reference: Value, key: string): Value {
    const attributes = this.#objects.get(reference, '/A');
    const owners = Array.isArray(attributes) ? (attributes as readonly Value[]) : [attributes];
    for (const owner of owners) {
      const value = this.#objects.get(owner, key);
      if (value !== null) return value;
    }
    return null;
  }

  #checkFigure(reference: Value, fault: (message: string) => void): void {
    if ((textOf(this.#objects.get(reference, '/Alt')) ?? '') === '') fault('no /Alt');
    const box = this.#attribute(reference, '/BBox');
    const numbers = Array.isArray(box) ? box.map(Number) : [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers;
    if (numbers.length !== 4 || !(x1 < x2 && y1 < y2)) fault('no bounding box');
  }

  /** Rows of a table are equally long, row spans included, and it has header cells. */
  #checkTable(table: Value, fault: (message: string) => void): void {
    const objects = this.#objects;
    const rows: Value[] = [];
    const collect = (reference: Value): void => {
      for (const kid of objects.list(reference, '/K')) {
        if (objects.get(kid, '/S') === '/TR') rows.push(kid);
        else if (isDictionary(objects.resolve(kid))) collect(kid);
      }
    };
    collect(table);
    let headers = 0;
    const covered: number[] = [];
    const widths = new Set<number>();
    for (const row of rows) {
      let column = 0;
      const skip = (): void => {
        while ((covered[column] ?? 0) > 0) covered[column] = (covered[column++] ?? 0) - 1;
      };
      for (const cell of objects.list(row, '/K')) {
        skip();
        if (objects.get(cell, '/S') === '/TH') headers++;
        const rowSpan = Number(this.#attribute(cell, '/RowSpan') ?? 1);
        for (let span = Number(this.#attribute(cell, '/ColSpan') ?? 1); span > 0; span--) {
          covered[column++] = rowSpan - 1;
        }
      }
      skip();
      widths.add(column);
    }
    if (widths.size > 1) fault(`rows of ${[...widths].join(', ')} columns`);
    if (headers === 0) fault('no header cell');
  }

  #checkHeadings(): void {
    let last = 0;
    for (const level of this.#headings) {
      if (level > last + 1) this.#faults.push(`H${level} after H${last}`);
      last = level;
    }
  }

  /** Links and fields are in the tree, and say what they are. */
  #checkAnnotations(page: string): void {
    const objects = this.#objects;
    for (const annotation of objects.list(page, '/Annots')) {
      const id = idOf(annotation);
      const kind = objects.get(annotation, '/Subtype');
      const found = this.#annotations.get(id);
      const wanted = kind === '/Link' ? 'Link' : 'Form';
      if (found?.type !== wanted) this.#faults.push(`annotation ${id} is not in a ${wanted}`);
      const key = Number(objects.get(annotation, '/StructParent'));
      if (found !== undefined && this.#parents.get(key) !== found.element) {
        this.#faults.push(`annotation ${id}: the parent tree does not lead to its element`);
      }
      const words = kind === '/Link' ? '/Contents' : '/TU';
      if (textOf(objects.get(annotation, words)) === null) {
        this.#faults.push(`annotation ${id} has no ${words}`);
      }
      if (objects.get(page, '/Tabs') !== '/S') this.#faults.push(`page ${page}: /Tabs is not /S`);
    }
  }
}

import { entryAt } from '../../../errors.ts';
import type { StructElement } from '../../model/structure.ts';
import type { PdfFile } from '../file.ts';
import { ObjectLines } from '../objects/object-lines.ts';
import { reference, textString } from '../syntax.ts';
import type { Held, HeldContent, Kid } from './held.ts';
import { sortKids } from './held.ts';
import { type PageRows, writePageRows } from './page-rows.ts';
import { cellPattern, rowPattern, RowRun } from './row-run.ts';

/** A document of fewer plain cells is short: its whole tree is kept for others (structure.ts). */
const LONG_CELLS_MIN = 400;
/** From this many plain cells on, a separate stream for those of a page saves more than it costs. */
const PAGE_CELLS_MIN = 100;
/** A part of a table with this many rows or more lists them in a separate stream. */
const LISTED_ROWS_MIN = 100;
/**
 * In long documents the tree's numbers begin at a multiple of the first, those of a page at a
 * multiple of the second: documents with a few more objects before them have the same numbers.
 */
const TREE_NUMBERS_STEP = 1_000;
const PAGE_NUMBERS_STEP = 100;

/** Writes the structure tree into object streams, parents before their kids. */
export class TreeWriter {
  readonly #file: PdfFile;
  readonly #pageObjects: readonly number[];
  readonly #isLong: boolean;
  /** By index: pages whose rows are written together. */
  readonly #longPages = new Map<number, PageRows>();
  #headingLevel = 0;

  constructor(file: PdfFile, pageObjects: readonly number[], plainCells: number) {
    this.#file = file;
    this.#pageObjects = pageObjects;
    this.#isLong = file.compresses && plainCells >= LONG_CELLS_MIN;
  }

  /** Gives the entries of the catalog. */
  write({ root, pages, annotations }: HeldContent): string {
    if (this.#isLong) this.#numberPages(root, pages);
    const tree = this.#file.reserve();
    this.#element(root, tree);
    const parents = this.#parentTree(pages, annotations);
    this.#file.object(
      tree,
      `<</Type/StructTreeRoot/K ${reference(root.object)}/ParentTree ${reference(parents)}` +
        `/ParentTreeNextKey ${pages.length + annotations.length}>>`,
    );
    return `/MarkInfo<</Marked true>>/StructTreeRoot ${reference(tree)}`;
  }

  /** Numbers the objects of long pages before all others of the tree. */
  #numberPages(root: Held, pages: HeldContent['pages']): void {
    this.#skipToMultiple(TREE_NUMBERS_STEP);
    this.#numberParents(root);
    for (const [index, parents] of pages.entries()) {
      if (plainCellsIn(parents) < PAGE_CELLS_MIN) continue;
      this.#skipToMultiple(PAGE_NUMBERS_STEP);
      for (const parent of parents) {
        if (parent instanceof RowRun) this.#reserveRows(parent);
        else this.#numberOf(parent);
      }
      const pageObject = entryAt(this.#pageObjects, index);
      this.#longPages.set(index, { pageObject, parents, list: this.#file.reserve() });
    }
  }

  /** Numbers the elements that rows are in. */
  #numberParents(held: Held): void {
    for (const kid of held.kids) {
      if (kid.kind === 'element') this.#numberParents(kid.held);
      else if (kid.kind === 'rows') kid.run.parentObject = this.#numberOf(held);
    }
  }

  #skipToMultiple(step: number): void {
    this.#file.skip((step - (this.#file.objectCount % step)) % step);
  }

  #numberOf(held: Held): number {
    if (held.object === 0) held.object = this.#file.reserve();
    return held.object;
  }

  #element(held: Held, parent: number): void {
    const { element, kids } = held;
    sortKids(kids);
    const number = this.#numberOf(held);
    const page = kids.find(isOnPage)?.page ?? -1;
    const onPage = page < 0 ? '' : `/Pg ${reference(entryAt(this.#pageObjects, page))}`;
    this.#file.pack(
      number,
      `<</S/${this.#standardType(element)}/P ${reference(parent)}${onPage}` +
        `${attributes(element, number)}${this.#kids(kids, page)}>>`,
    );
    for (const kid of kids) {
      if (kid.kind === 'element') this.#element(kid.held, number);
      else if (kid.kind === 'rows' && !this.#longPages.has(kid.run.page)) {
        this.#rows(kid.run, number);
      }
    }
  }

  #kids(kids: readonly Kid[], page: number): string {
    if (kids.length === 0) return '';
    if (this.#isLong && kids.some(({ kind }) => kind === 'rows')) {
      const objects = kids.flatMap((kid) => this.#objectsOf(kid));
      if (objects.length >= LISTED_ROWS_MIN) return `/K ${reference(this.#list(objects))}`;
    }
    let list = '';
    for (const kid of kids) {
      if (list !== '') list += ' ';
      list += this.#kid(kid, page);
    }
    return kids.length === 1 && kids[0]?.kind !== 'rows' ? `/K ${list}` : `/K[${list}]`;
  }

  #list(objects: readonly number[]): number {
    const list = this.#file.reserve();
    const lines = new ObjectLines([], this.#file.objectCount);
    lines.list(list, objects);
    this.#file.objectStream(lines.pack());
    return list;
  }

  #kid(kid: Kid, page: number): string {
    switch (kid.kind) {
      case 'element':
        return reference(this.#numberOf(kid.held));
      case 'rows':
        return this.#numberRows(kid.run).map(reference).join(' ');
      case 'content': {
        const elsewhere = this.#elsewhere(kid, page);
        return elsewhere === '' ? String(kid.mcid) : `<</Type/MCR${elsewhere}/MCID ${kid.mcid}>>`;
      }
      case 'annotation':
        return `<</Type/OBJR/Obj ${reference(kid.object)}${this.#elsewhere(kid, page)}>>`;
    }
  }

  /** The page of a kid, if it is not the page of its element. */
  #elsewhere(kid: { readonly page: number }, page: number): string {
    return kid.page === page ? '' : `/Pg ${reference(entryAt(this.#pageObjects, kid.page))}`;
  }

  /** Objects of the kids of a table's part. */
  #objectsOf(kid: Kid): number[] {
    if (kid.kind === 'element') return [this.#numberOf(kid.held)];
    return kid.kind === 'rows' ? this.#numberRows(kid.run) : [];
  }

  #reserveRows(run: RowRun): void {
    if (run.firstObject === 0) run.firstObject = this.#file.reserve(run.objectCount);
  }

  /** Objects of rows, which get numbers if they have none. */
  #numberRows(run: RowRun): number[] {
    this.#reserveRows(run);
    return run.rowObjects();
  }

  #rows(run: RowRun, parent: number): void {
    const { rows, columnCount } = run;
    const page = entryAt(this.#pageObjects, run.page);
    const pattern = rowPattern(columnCount);
    let mcid = run.firstMcid;
    for (let row = 0; row < run.rowCount; row++) {
      const own = run.rowObject(row);
      const cells = rows.scopes.map((_, column) => run.cellObject(row, column));
      this.#file.pack(own, fill(pattern, [parent, ...cells]));
      for (const [column, scope] of rows.scopes.entries()) {
        const cell = fill(cellPattern(scope), [own, page, mcid++]);
        this.#file.pack(run.cellObject(row, column), cell);
      }
    }
  }

  /** The type of an element; headings move up so that no level is left out (ISO 14289-1, 7.4.2). */
  #standardType({ type }: StructElement): string {
    const level = /^H(\d)$/.exec(type)?.[1];
    if (level === undefined) return type;
    this.#headingLevel = Math.min(Number(level), this.#headingLevel + 1);
    return `H${this.#headingLevel}`;
  }

  /** Objects of the elements that hold content, one for each marked-content identifier. */
  #contentObjects(parent: Held | RowRun): number[] {
    return parent instanceof RowRun ? parent.cellObjects() : [this.#numberOf(parent)];
  }

  /** The number tree from content to its element (§14.7.4.4): pages, then annotations. */
  #parentTree(
    pages: readonly (readonly (Held | RowRun)[])[],
    annotations: readonly Held[],
  ): number {
    let entries = '';
    for (const [index, parents] of pages.entries()) {
      const long = this.#longPages.get(index);
      const list = long?.list ?? this.#file.reserve();
      if (long === undefined) {
        const objects = parents.flatMap((parent) => this.#contentObjects(parent));
        this.#file.pack(list, `[${objects.map(reference).join(' ')}]`);
      }
      entries += `${index} ${reference(list)} `;
    }
    for (const [index, held] of annotations.entries()) {
      entries += `${pages.length + index} ${reference(this.#numberOf(held))} `;
    }
    writePageRows(this.#file, [...this.#longPages.values()]);
    return this.#file.add(`<</Nums[${entries.trimEnd()}]>>`);
  }
}

/** Cells of plain rows on a page. */
function plainCellsIn(parents: readonly (Held | RowRun)[]): number {
  let count = 0;
  for (const parent of parents) if (parent instanceof RowRun) count += parent.cellCount;
  return count;
}

function isOnPage(kid: Kid): kid is Extract<Kid, { readonly page: number }> {
  return kid.kind === 'content' || kid.kind === 'annotation';
}

/** Replaces each `#` of the pattern by its number. */
function fill(pattern: string, numbers: readonly number[]): string {
  let next = 0;
  return pattern.replaceAll('#', () => String(numbers[next++]));
}

function attributes(element: StructElement, number: number): string {
  const { type, alt, lang, cell, boundingBox } = element;
  let syntax = '';
  if (alt !== null) syntax += `/Alt${textString(alt)}`;
  if (lang !== null) syntax += `/Lang${textString(lang)}`;
  if (type === 'Note') syntax += `/ID(n${number})`;
  // A figure tells where it is (ISO 32000-1, 14.8.5.4.3).
  if (boundingBox !== null) syntax += `/A<</O/Layout/BBox${boundingBox}>>`;
  if (cell === null) return syntax;
  const { colSpan, rowSpan, scope } = cell;
  const table =
    (colSpan > 1 ? `/ColSpan ${colSpan}` : '') +
    (rowSpan > 1 ? `/RowSpan ${rowSpan}` : '') +
    (scope === null ? '' : `/Scope/${scope}`);
  return table === '' ? syntax : `${syntax}/A<</O/Table${table}>>`;
}

import { LRUCache } from 'lru-cache';
import { StructElement } from '../../model/structure.ts';
import type { PlainRows } from '../../model/structure.ts';
import type { PdfFile, WrittenObjects } from '../file.ts';
import { RowRun } from './row-run.ts';
import { keyOf } from './tree-key.ts';
import { TreeWriter } from './tree.ts';

/** Content of an element: elements in it, rows of them, marked content on a page, annotations. */
export type Kid =
  | { readonly order: number; readonly kind: 'element'; readonly held: Held }
  | { readonly order: number; readonly kind: 'rows'; readonly run: RowRun }
  | { readonly order: number; readonly kind: 'content'; page: number; readonly mcid: number }
  | { readonly order: number; readonly kind: 'annotation'; page: number; readonly object: number };

/** An element of the document, with what it holds. */
export interface Held {
  readonly element: StructElement;
  readonly kids: Kid[];
  /** Its object number; 0: none yet. */
  object: number;
}

/** Marked-content identifiers of one page, while it is painted. */
export class PageTags {
  readonly #structure: Structure;
  readonly #page: number;
  readonly #parents: (Held | RowRun)[];
  #mcidCount = 0;

  constructor(structure: Structure, page: number, parents: (Held | RowRun)[]) {
    this.#structure = structure;
    this.#page = page;
    this.#parents = parents;
  }

  /** The identifier of further content of an element. */
  add(element: StructElement, order: number): number {
    const mcid = this.#mcidCount++;
    const kid: Kid = { order, kind: 'content', page: this.#page, mcid };
    this.#parents.push(this.#structure.add(element, kid));
    return mcid;
  }

  /** Begins rows whose filled cells come one after another. */
  beginRows(rows: PlainRows, rowCount: number): RowRun {
    const run = new RowRun(rows, this.#page, rowCount, this.#mcidCount);
    this.#parents.push(run);
    this.#structure.addRows(run);
    return run;
  }

  /** The identifier of the content of a cell. */
  fillCell(run: RowRun, index: number): number {
    run.isFilled[index] = 1;
    run.filledCount++;
    return this.#mcidCount++;
  }
}

/** Collects what pages paint, and writes the structure tree of the document (§14.7). */
export class Structure {
  readonly #held = new Map<StructElement, Held>();
  /** By page: what holds its marked content, in the order of the identifiers. */
  readonly #pages: (Held | RowRun)[][] = [];
  /** Elements of annotations, whose keys in the parent tree follow those of the pages. */
  readonly #annotations: Held[] = [];
  #root: Held | null = null;
  #kidCount = 0;
  /** Cells of plain rows. */
  #plainCells = 0;

  page(index: number): PageTags {
    const parents: (Held | RowRun)[] = [];
    this.#pages[index] = parents;
    return new PageTags(this, index, parents);
  }

  addRows(run: RowRun): void {
    this.#plainCells += run.isFilled.length;
    const { parent, order } = run.rows;
    this.add(parent, { order, kind: 'rows', run });
  }

  /** Adds a kid to an element, and the element to those around it. */
  add(element: StructElement, kid: Kid): Held {
    const known = this.#held.get(element);
    const held = known ?? this.#hold(element);
    held.kids.push(kid);
    this.#kidCount++;
    return held;
  }

  #hold(element: StructElement): Held {
    const held: Held = { element, kids: [], object: 0 };
    this.#held.set(element, held);
    const { parent, order } = element;
    if (parent === null) this.#root = held;
    // A row is written with all its cells, including empty ones.
    else if (parent.cells === null) this.add(parent, { order, kind: 'element', held });
    else if (!this.#held.has(parent)) this.#holdRow(parent, parent.cells, held);
    return held;
  }

  /** Holds a row: `first` is the cell that is held already. */
  #holdRow(row: StructElement, cells: readonly StructElement[], first: Held): void {
    const heldRow = this.#hold(row);
    for (const cell of cells) {
      const held = cell === first.element ? first : this.#hold(cell);
      heldRow.kids.push({ order: cell.order, kind: 'element', held });
    }
  }

  #document(): Held {
    return (this.#root ??= this.#hold(new StructElement('Document', null, 0)));
  }

  /** Does the same as `link` for the field of a form. */
  form(page: number, annotation: number, pageCount: number): number {
    const root = this.#document().element;
    const field = new StructElement('Form', root, Number.MAX_SAFE_INTEGER);
    return this.link(field, page, annotation, pageCount);
  }

  /** Gives an annotation its place in the tree; its key in the parent tree is `StructParent`. */
  link(element: StructElement | null, page: number, annotation: number, pageCount: number): number {
    const root = this.#document().element;
    const order = Number.MAX_SAFE_INTEGER;
    const own = element ?? new StructElement('Link', root, order);
    const held = this.add(own, { order, kind: 'annotation', page, object: annotation });
    return pageCount + this.#annotations.push(held) - 1;
  }

  /**
   * Writes the tree; gives its entries of the catalog. The structure of most documents is that of
   * many others of the template: its bytes are kept under a key that says all they are made of.
   */
  write(file: PdfFile, pageObjects: readonly number[]): string {
    const root = this.#document();
    const writer = new TreeWriter(file, pageObjects, this.#plainCells);
    const write = (): string => writer.write(root, this.#pages, this.#annotations);
    if (!file.compresses || this.#kidCount > KEPT_KIDS_MAX || this.#plainCells > KEPT_CELLS_MAX) {
      return write();
    }
    const pages = `${this.#pages.length}/${this.#annotations.length}/${pageObjects.join(' ')}`;
    const key = `${file.objectCount} ${pages} ${keyOf(root)}`;
    const known = kept.get(key);
    if (known !== undefined) {
      file.repeat(known.objects);
      return known.catalog;
    }
    let catalog = '';
    const objects = file.record(() => {
      catalog = write();
    });
    kept.set(key, { objects, catalog });
    return catalog;
  }
}

/** Larger trees are written anew: their keys would cost memory and no two are the same. */
const KEPT_KIDS_MAX = 1_000;
const KEPT_CELLS_MAX = 400;
const KEPT_BYTES_MAX = 4 << 20;

interface WrittenTree {
  readonly objects: WrittenObjects;
  readonly catalog: string;
}

const kept = new LRUCache<string, WrittenTree>({
  maxSize: KEPT_BYTES_MAX,
  // Two bytes a character of the key, two numbers of eight bytes an object.
  sizeCalculation: ({ objects }, key) =>
    objects.bytes.length + 2 * key.length + 16 * objects.offsets.length,
});

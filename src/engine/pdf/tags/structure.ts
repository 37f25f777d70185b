import assert from 'node:assert';
import { LRUCache } from 'lru-cache';
import type { PlainRows } from '../../model/structure.ts';
import { StructElement } from '../../model/structure.ts';
import type { PdfFile, WrittenObjects } from '../file.ts';
import type { TreeSteps } from './content-log.ts';
import { ContentLog, LAST_ORDER } from './content-log.ts';
import { RowRun } from './row-run.ts';
import { TreeWriter } from './tree.ts';

/** Marked-content identifiers of one page, while it is painted. */
export class PageTags {
  readonly #log: ContentLog;
  readonly #page: number;
  #mcidCount = 0;

  constructor(log: ContentLog, page: number) {
    this.#log = log;
    this.#page = page;
  }

  /** The identifier of further content of an element. */
  add(element: StructElement, order: number): number {
    this.#log.addContent(element, order);
    return this.#mcidCount++;
  }

  /** Begins rows; the identifiers of all their cells, empty ones as well, follow one another. */
  beginRows(rows: PlainRows, rowCount: number): RowRun {
    const run = new RowRun(rows, this.#page, rowCount, this.#mcidCount);
    this.#log.addRows(run);
    this.#mcidCount += run.cellCount;
    return run;
  }
}

/** One document of a thread is written at a time. */
const log = new ContentLog();

/** Collects what pages paint, and writes the structure tree of the document (§14.7). */
export class Structure {
  constructor() {
    // A document that failed may have left something.
    log.clear();
  }

  /** Begins the next page, before it is painted. */
  page(index: number): PageTags {
    assert.equal(log.addPage(), index, 'pages are painted one after another');
    return new PageTags(log, index);
  }

  /** Does the same as `link` for the field of a form. */
  form(page: number, annotation: number, pageCount: number): number {
    const field = new StructElement('Form', log.root(), LAST_ORDER);
    return this.link(field, page, annotation, pageCount);
  }

  /** Gives an annotation its place in the tree; its key in the parent tree is `StructParent`. */
  link(element: StructElement | null, page: number, annotation: number, pageCount: number): number {
    const own = element ?? new StructElement('Link', log.root(), LAST_ORDER);
    return pageCount + log.addAnnotation(own, page, annotation);
  }

  /**
   * Writes the tree; gives its entries of the catalog. The structure of most documents is that of
   * many others of the template: its bytes are kept beside the steps that they were made from.
   */
  write(file: PdfFile, pageObjects: readonly number[]): string {
    const catalog = this.#write(file, pageObjects);
    log.clear();
    return catalog;
  }

  #write(file: PdfFile, pageObjects: readonly number[]): string {
    const write = (): string => new TreeWriter(file, pageObjects, log.plainCells).write(log.tree());
    const isLong = log.stepCount > KEPT_STEPS_MAX || log.plainCells > KEPT_CELLS_MAX;
    if (!file.compresses || isLong) return write();
    const { steps, orders, texts } = log.treeSteps();
    const source: TreeSource = { steps, orders, texts, pageObjects, firstObject: file.objectCount };
    const key = hashOf(source);
    const known = kept.get(key);
    if (known !== undefined && isSame(known.source, source)) {
      file.repeat(known.objects);
      return known.catalog;
    }
    let catalog = '';
    const objects = file.record(() => {
      catalog = write();
    });
    const own = { ...source, steps: steps.slice(), orders: orders.slice() };
    kept.set(key, { source: own, objects, catalog });
    return catalog;
  }
}

/** Larger trees are written anew: they would cost memory, and no two are the same. */
const KEPT_STEPS_MAX = 4_000;
const KEPT_CELLS_MAX = 400;
const KEPT_BYTES_MAX = 4 << 20;

interface TreeSource extends TreeSteps {
  readonly pageObjects: readonly number[];
  /** Number of the tree's first object. */
  readonly firstObject: number;
}

interface WrittenTree {
  readonly source: TreeSource;
  readonly objects: WrittenObjects;
  readonly catalog: string;
}

/** By a hash of their steps. */
const kept = new LRUCache<number, WrittenTree>({
  maxSize: KEPT_BYTES_MAX,
  // Four bytes a number of a log, eight another, two a character.
  sizeCalculation: ({ source, objects }) =>
    objects.bytes.length +
    8 * objects.offsets.length +
    4 * (source.steps.length + source.orders.length) +
    8 * source.pageObjects.length +
    2 * source.texts.length,
});

/** FNV-1a over numbers: trees with the same hash are compared. */
function hashOf({ steps, firstObject }: TreeSource): number {
  let hash = 0x811c9dc5 ^ firstObject;
  for (let index = 0; index < steps.length; index++) {
    hash = Math.imul(hash ^ steps[index]!, 0x01000193);
  }
  return hash;
}

function isSame(one: TreeSource, other: TreeSource): boolean {
  return (
    one.firstObject === other.firstObject &&
    one.texts === other.texts &&
    areEqual(one.steps, other.steps) &&
    areEqual(one.orders, other.orders) &&
    areEqual(one.pageObjects, other.pageObjects)
  );
}

function areEqual(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

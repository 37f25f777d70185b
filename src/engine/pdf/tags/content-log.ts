import { entryAt } from '../../../errors.ts';
import type { StructType } from '../../model/structure.ts';
import { STRUCT_TYPES, StructElement } from '../../model/structure.ts';
import { Numbers } from '../objects/numbers.ts';
import type { Held, HeldContent, Kid } from './held.ts';
import type { RowRun } from './row-run.ts';

/**
 * The log holds what the pages add to the structure tree, in the order of painting. A step is one or
 * more numbers. A step that is a single number, zero or more, adds marked content to the element with
 * that number; its page and its MCID follow from the steps before it. Every other step begins with a
 * negative code:
 *
 *     ELEMENT, parent, type and scope     the next element; parent NONE: the root
 *     PAGE                      the next page
 *     ROWS, parent, rows, columns, scope of each column     the next run of rows
 *     ANNOTATION, element, page, object
 *
 * Most documents of a template have the same steps, so their tree has the same bytes. To record and
 * to compare steps costs less than to build a tree.
 */
const ELEMENT = -1;
const PAGE = -2;
const ROWS = -3;
const ANNOTATION = -4;
/** In place of the parent of the root. */
const NONE = -1;

/** Annotations and fields of forms follow all other content of their element. */
export const LAST_ORDER = 0x7fff_ffff;

const SCOPES = [null, 'Column', 'Row'] as const;
/** Scope code of an element other than a cell. */
const NO_CELL = SCOPES.length;
const SCOPE_CODES = NO_CELL + 1;
const NO_ORDERS = new Int32Array(0);
const typeCodes = new Map<StructType, number>(STRUCT_TYPES.map((type, code) => [type, code]));

/** Everything that decides the objects of a tree, except the object numbers of the file. */
export interface TreeSteps {
  readonly steps: Int32Array;
  /**
   * The position in reading order of each kid, in the order of painting; empty if the kids were
   * painted in reading order.
   */
  readonly orders: Int32Array;
  /** Alternative texts, languages, bounding boxes, and column and row spans, with their element numbers. */
  readonly texts: string;
}

/**
 * Records what pages paint. The tree is built from the record only if no earlier document had the
 * same one. The arrays are reused for the next document: they would be most of the garbage of a short
 * document.
 */
export class ContentLog {
  readonly #steps = new Numbers();
  /** The position in reading order of each kid, in the order of the steps. */
  readonly #orders = new Numbers();
  #elements: StructElement[] = [];
  /** By element: the order of its last kid. */
  readonly #lastOrders = new Numbers();
  #runs: RowRun[] = [];
  #texts = '';
  #isInOrder = true;
  #pageCount = 0;
  #annotationCount = 0;
  #plainCells = 0;

  /** Forgets the document. */
  clear(): void {
    this.#steps.clear();
    this.#orders.clear();
    this.#lastOrders.clear();
    this.#elements = [];
    this.#runs = [];
    this.#texts = '';
    this.#isInOrder = true;
    this.#pageCount = 0;
    this.#annotationCount = 0;
    this.#plainCells = 0;
  }

  get stepCount(): number {
    return this.#steps.length;
  }

  /** Number of cells in all runs of rows so far. */
  get plainCells(): number {
    return this.#plainCells;
  }

  /** Begins the next page; gives its index. */
  addPage(): number {
    this.#steps.push(PAGE);
    return this.#pageCount++;
  }

  addContent(element: StructElement, order: number): void {
    const number = this.#numberOf(element);
    this.#steps.push(number);
    this.#addOrder(number, order);
  }

  addRows(run: RowRun): void {
    const { parent, order, scopes } = run.rows;
    const number = this.#numberOf(parent);
    this.#steps.push(ROWS);
    this.#steps.push(number);
    this.#steps.push(run.rowCount);
    this.#steps.push(scopes.length);
    for (const scope of scopes) this.#steps.push(SCOPES.indexOf(scope));
    this.#addOrder(number, order);
    this.#runs.push(run);
    this.#plainCells += run.cellCount;
  }

  /** Adds an annotation; gives how many were there before. */
  addAnnotation(element: StructElement, page: number, object: number): number {
    const number = this.#numberOf(element);
    this.#steps.push(ANNOTATION);
    this.#steps.push(number);
    this.#steps.push(page);
    this.#steps.push(object);
    this.#addOrder(number, LAST_ORDER);
    return this.#annotationCount++;
  }

  /** The root, which an empty document has, too. */
  root(): StructElement {
    const [first] = this.#elements;
    if (first !== undefined) return first;
    const root = new StructElement('Document', null, 0);
    this.#addElement(root, NONE);
    return root;
  }

  /**
   * The number of an element. A new element is added first, with its ancestors, and a row with its
   * cells.
   */
  #numberOf(element: StructElement): number {
    // Until an element is added here, its number may be that of another one.
    if (this.#elements[element.number] === element) return element.number;
    const parent = element.parent === null ? NONE : this.#numberOf(element.parent);
    // Adding the row above added all its cells, so the element may be known by now.
    if (this.#elements[element.number] === element) return element.number;
    this.#addElement(element, parent);
    if (element.cells !== null) {
      for (const cell of element.cells) this.#addElement(cell, element.number);
    }
    return element.number;
  }

  #addElement(element: StructElement, parent: number): void {
    const { type, alt, lang, cell, order, boundingBox } = element;
    const number = this.#elements.push(element) - 1;
    element.number = number;
    this.#lastOrders.push(0);
    const scope = cell === null ? NO_CELL : SCOPES.indexOf(cell.scope);
    this.#steps.push(ELEMENT);
    this.#steps.push(parent);
    this.#steps.push((typeCodes.get(type) ?? 0) * SCOPE_CODES + scope);
    // The texts are only compared with those of other documents, never parsed.
    if (alt !== null) this.#texts += `${number}${JSON.stringify(alt)}`;
    if (boundingBox !== null) this.#texts += `${number}${boundingBox}`;
    if (lang !== null) this.#texts += `${number}@${JSON.stringify(lang)}`;
    if (cell !== null && (cell.colSpan > 1 || cell.rowSpan > 1)) {
      this.#texts += `${number}#${cell.colSpan},${cell.rowSpan};`;
    }
    if (parent !== NONE) this.#addOrder(parent, order);
  }

  #addOrder(parent: number, order: number): void {
    this.#orders.push(order);
    if (order < this.#lastOrders.at(parent)) this.#isInOrder = false;
    this.#lastOrders.set(parent, order);
  }

  /** The record of the document, valid until the log is cleared. */
  treeSteps(): TreeSteps {
    const orders = this.#isInOrder ? NO_ORDERS : this.#orders.view();
    return { steps: this.#steps.view(), orders, texts: this.#texts };
  }

  /** Builds the tree of what was recorded. */
  tree(): HeldContent {
    this.root();
    const steps = this.#steps;
    const all: Held[] = this.#elements.map((element) => ({ element, kids: [], object: 0 }));
    const pages: (Held | RowRun)[][] = [];
    const annotations: Held[] = [];
    let [nextElement, orderAt, nextRun, mcid] = [0, 0, 0, 0];
    const add = (parent: number, kid: Kid): Held => {
      const held = entryAt(all, parent);
      held.kids.push(kid);
      return held;
    };
    const nextOrder = (): number => this.#orders.at(orderAt++);
    for (let at = 0; at < steps.length;) {
      const step = steps.at(at++);
      switch (step) {
        case ELEMENT: {
          const held = entryAt(all, nextElement++);
          const parent = steps.at(at);
          if (parent !== NONE) add(parent, { order: nextOrder(), kind: 'element', held });
          at += 2;
          break;
        }
        case PAGE:
          pages.push([]);
          mcid = 0;
          break;
        case ROWS: {
          const run = entryAt(this.#runs, nextRun++);
          add(steps.at(at), { order: nextOrder(), kind: 'rows', run });
          entryAt(pages, run.page).push(run);
          mcid += run.cellCount;
          at += 3 + run.columnCount;
          break;
        }
        case ANNOTATION: {
          const [page, object] = [steps.at(at + 1), steps.at(at + 2)];
          const kid: Kid = { order: nextOrder(), kind: 'annotation', page, object };
          annotations.push(add(steps.at(at), kid));
          at += 3;
          break;
        }
        default: {
          const page = pages.length - 1;
          const held = add(step, { order: nextOrder(), kind: 'content', page, mcid: mcid++ });
          entryAt(pages, page).push(held);
        }
      }
    }
    return { root: entryAt(all, 0), pages, annotations };
  }
}

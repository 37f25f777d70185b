import { LRUCache } from 'lru-cache';
import type { PdfFile } from '../file.ts';
import { ObjectLines } from '../objects/object-lines.ts';
import type { PackedObjects } from '../objects/packed-objects.ts';
import type { Held } from './held.ts';
import { cellPattern, rowPattern, RowRun } from './row-run.ts';

/** Long rows of one page, and all that its marked content belongs to. */
export interface PageRows {
  readonly pageObject: number;
  /** The elements that hold the page's marked content, in its order; all have numbers. */
  readonly parents: readonly (Held | RowRun)[];
  /** Object of the page's entry in the parent tree. */
  readonly list: number;
}

/** Pages whose rows are in one object stream: readers inflate all of it to read one object. */
const PAGES_MAX = 8;

/**
 * Writes the rows of pages, their cells, and the pages' entries in the parent tree. They depend on
 * the numbers of rows and objects but not on the data, so that most statements of a template have the
 * same ones: they are made once and kept.
 */
export function writePageRows(file: PdfFile, pages: readonly PageRows[]): void {
  for (let index = 0; index < pages.length; index += PAGES_MAX) {
    const group = pages.slice(index, index + PAGES_MAX);
    const key = group.map(keyOf).join();
    let packed = kept.get(key);
    if (packed === undefined) {
      packed = pack(group);
      kept.set(key, packed);
    }
    file.objectStream(packed);
  }
}

const KEPT_BYTES_MAX = 4 << 20;

const kept = new LRUCache<string, PackedObjects>({
  maxSize: KEPT_BYTES_MAX,
  // Two bytes a character, four a number.
  sizeCalculation: ({ entries, data, numbers }, key) =>
    data.length + 2 * (entries.length + key.length) + 4 * numbers.length,
});

/** All that the objects are made of. */
function keyOf({ pageObject, parents, list }: PageRows): string {
  let key = `${pageObject} ${list}`;
  for (const kid of parents) {
    if (kid instanceof RowRun) {
      const { parentObject, firstObject, rowCount, firstMcid, rows } = kid;
      key += ` ${parentObject}:${firstObject}+${rowCount}/${firstMcid}${rows.scopes.join()}`;
    } else {
      key += ` ${kid.object}`;
    }
  }
  return key;
}

function pack(pages: readonly PageRows[]): PackedObjects {
  const runs = pages.flatMap(({ parents }) => parents.filter((kid) => kid instanceof RowRun));
  const lines = new ObjectLines(runs.map(objectsOf), greatestNumber(pages));
  for (const page of pages) {
    for (const run of page.parents) {
      if (run instanceof RowRun) writeRun(lines, run, page.pageObject);
    }
  }
  for (const { list, parents } of pages) {
    lines.list(
      list,
      parents.flatMap((kid) => (kid instanceof RowRun ? kid.cellObjects() : [kid.object])),
    );
  }
  return lines.pack();
}

/** The greatest number in the objects: a page's entry has the last number of its objects. */
function greatestNumber(pages: readonly PageRows[]): number {
  let greatest = 0;
  for (const { parents, list } of pages) {
    greatest = Math.max(greatest, list);
    for (const kid of parents) {
      if (kid instanceof RowRun) greatest = Math.max(greatest, kid.firstMcid + kid.cellCount);
    }
  }
  return greatest;
}

/** The objects of a row: its cells, then the row itself. */
function objectsOf({ rows, columnCount }: RowRun): string[] {
  return [...rows.scopes.map(cellPattern), rowPattern(columnCount)];
}

/** A line for each row. */
function writeRun(lines: ObjectLines, run: RowRun, pageObject: number): void {
  const { columnCount } = run;
  lines.form(objectsOf(run));
  for (let row = 0; row < run.rowCount; row++) {
    const object = run.rowObject(row);
    lines.line();
    let field = 0;
    for (let column = 0; column < columnCount; column++) {
      lines.object(column, run.cellObject(row, column));
      lines.set(field++, object);
      lines.set(field++, pageObject);
      lines.set(field++, run.firstMcid + row * columnCount + column);
    }
    lines.object(columnCount, object);
    lines.set(field++, run.parentObject);
    for (let column = 0; column < columnCount; column++) {
      lines.set(field++, run.cellObject(row, column));
    }
  }
}

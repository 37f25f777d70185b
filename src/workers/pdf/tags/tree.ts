import { entryAt } from '../../../errors.ts';
import type { StructElement } from '../../model/structure.ts';
import type { PdfFile } from '../file.ts';
import { reference, textString } from '../syntax.ts';
import { RowRun } from './row-run.ts';
import type { NumberRange } from './row-writer.ts';
import { emptyCell, filledCell, rowPattern, RowWriter } from './row-writer.ts';
import type { Held, Kid } from './structure.ts';
import { sortKids } from './tree-key.ts';

/** From this many plain cells on, separate streams for them save more than they cost. */
const LONG_CELLS_MIN = 400;

/** Writes the structure tree into object streams, parents before their kids. */
export class TreeWriter {
  readonly #file: PdfFile;
  readonly #pageObjects: readonly number[];
  /** null: the rows are few, or are written for people to read. */
  readonly #rowWriter: RowWriter | null;
  #headingLevel = 0;

  constructor(file: PdfFile, pageObjects: readonly number[], plainCells: number) {
    this.#file = file;
    this.#pageObjects = pageObjects;
    const isLong = file.compresses && plainCells >= LONG_CELLS_MIN;
    this.#rowWriter = isLong ? new RowWriter(file, pageObjects) : null;
  }

  /** Gives the entries of the catalog. */
  write(
    root: Held,
    pages: readonly (readonly (Held | RowRun)[])[],
    annotations: readonly Held[],
  ): string {
    const tree = this.#file.reserve();
    this.#element(root, tree);
    const parents = this.#parentTree(pages, annotations);
    this.#rowWriter?.finish();
    this.#file.object(
      tree,
      `<</Type/StructTreeRoot/K ${reference(root.object)}/ParentTree ${reference(parents)}` +
        `/ParentTreeNextKey ${pages.length + annotations.length}>>`,
    );
    return `/MarkInfo<</Marked true>>/StructTreeRoot ${reference(tree)}`;
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
      else if (kid.kind === 'rows' && this.#rowWriter === null) this.#rows(kid.run, number);
    }
    this.#rowWriter?.write(runsOf(kids), number);
  }

  #kids(kids: readonly Kid[], page: number): string {
    if (kids.length === 0) return '';
    if (this.#rowWriter !== null && kids.some(({ kind }) => kind === 'rows')) {
      const list = this.#file.reserve();
      this.#rowWriter.reserve(runsOf(kids));
      this.#rowWriter.list(
        list,
        kids.flatMap((kid) => this.#rangeOf(kid)),
      );
      return `/K ${reference(list)}`;
    }
    let list = '';
    for (const kid of kids) {
      if (list !== '') list += ' ';
      list += this.#kid(kid, page);
    }
    return kids.length === 1 && kids[0]?.kind !== 'rows' ? `/K ${list}` : `/K[${list}]`;
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

  /** Numbers of the objects that a kid of a long table's part is. */
  #rangeOf(kid: Kid): NumberRange[] {
    if (kid.kind === 'element') return [{ first: this.#numberOf(kid.held), count: 1 }];
    return kid.kind === 'rows' ? [{ first: kid.run.firstRow, count: kid.run.rowCount }] : [];
  }

  /** Reserves the numbers of rows and their cells; gives those of the rows. */
  #numberRows(run: RowRun): number[] {
    run.firstFilled = this.#file.reserve(run.filledCount);
    run.firstEmpty = this.#file.reserve(run.isFilled.length - run.filledCount);
    run.firstRow = this.#file.reserve(run.rowCount);
    return Array.from({ length: run.rowCount }, (_, row) => run.firstRow + row);
  }

  #rows(run: RowRun, parent: number): void {
    const { rows, columnCount, isFilled, firstRow } = run;
    const page = entryAt(this.#pageObjects, run.page);
    const pattern = rowPattern(columnCount);
    let { firstFilled: nextFilled, firstEmpty: nextEmpty, firstMcid: mcid } = run;
    let index = 0;
    for (let row = firstRow; row < firstRow + run.rowCount; row++) {
      const cells: number[] = [];
      for (const scope of rows.scopes) {
        const isCellFilled = isFilled[index++] === 1;
        const cell = isCellFilled ? nextFilled++ : nextEmpty++;
        cells.push(cell);
        const body = isCellFilled
          ? fill(filledCell(scope), [row, page, mcid++])
          : fill(emptyCell(scope), [row]);
        this.#file.pack(cell, body);
      }
      this.#file.pack(row, fill(pattern, [parent, ...cells]));
    }
  }

  /** The type of an element; headings move up so that no level is left out (ISO 14289-1, 7.4.2). */
  #standardType({ type }: StructElement): string {
    const level = /^H(\d)$/.exec(type)?.[1];
    if (level === undefined) return type;
    this.#headingLevel = Math.min(Number(level), this.#headingLevel + 1);
    return `H${this.#headingLevel}`;
  }

  /** Numbers of the elements that hold content. */
  #contentRange(parent: Held | RowRun): NumberRange {
    return parent instanceof RowRun
      ? { first: parent.firstFilled, count: parent.filledCount }
      : { first: this.#numberOf(parent), count: 1 };
  }

  /** The number tree from content to its element (§14.7.4.4): pages, then annotations. */
  #parentTree(
    pages: readonly (readonly (Held | RowRun)[])[],
    annotations: readonly Held[],
  ): number {
    let entries = '';
    for (const [index, parents] of pages.entries()) {
      const list = this.#file.reserve();
      const ranges = parents.map((parent) => this.#contentRange(parent));
      const isEmpty = ranges.every(({ count }) => count === 0);
      if (this.#rowWriter !== null && !isEmpty) this.#rowWriter.list(list, ranges);
      else this.#file.pack(list, `[${ranges.flatMap(numbersIn).map(reference).join(' ')}]`);
      entries += `${index} ${reference(list)} `;
    }
    for (const [index, held] of annotations.entries()) {
      entries += `${pages.length + index} ${reference(this.#numberOf(held))} `;
    }
    return this.#file.add(`<</Nums[${entries.trimEnd()}]>>`);
  }
}

function runsOf(kids: readonly Kid[]): RowRun[] {
  return kids.flatMap((kid) => (kid.kind === 'rows' ? [kid.run] : []));
}

function numbersIn({ first, count }: NumberRange): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

function isOnPage(kid: Kid): kid is Extract<Kid, { readonly page: number }> {
  return kid.kind === 'content' || kid.kind === 'annotation';
}

/** Replaces each `#` of the pattern by its number. */
function fill(pattern: string, numbers: readonly number[]): string {
  let next = 0;
  return pattern.replaceAll('#', () => String(numbers[next++]));
}

function attributes({ type, alt, lang, cell }: StructElement, number: number): string {
  let syntax = '';
  if (alt !== null) syntax += `/Alt${textString(alt)}`;
  if (lang !== null) syntax += `/Lang${textString(lang)}`;
  if (type === 'Note') syntax += `/ID(n${number})`;
  if (cell === null) return syntax;
  const { colSpan, rowSpan, scope } = cell;
  const table =
    (colSpan > 1 ? `/ColSpan ${colSpan}` : '') +
    (rowSpan > 1 ? `/RowSpan ${rowSpan}` : '') +
    (scope === null ? '' : `/Scope/${scope}`);
  return table === '' ? syntax : `${syntax}/A<</O/Table${table}>>`;
}

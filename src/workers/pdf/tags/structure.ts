import { entryAt } from '../../../errors.ts';
import { StructElement } from '../../model/structure.ts';
import type { PdfFile } from '../file.ts';
import { reference, textString } from '../syntax.ts';

/** Something of an element: an element in it, marked content on a page, or an annotation. */
type Kid =
  | { readonly order: number; readonly element: StructElement }
  | { readonly order: number; readonly page: number; readonly mcid: number }
  | { readonly order: number; readonly page: number; readonly annotation: number };

/** Marked-content identifiers of one page, while it is painted. */
export class PageTags {
  readonly #structure: Structure;
  readonly #page: number;
  readonly #parents: StructElement[];

  constructor(structure: Structure, page: number, parents: StructElement[]) {
    this.#structure = structure;
    this.#page = page;
    this.#parents = parents;
  }

  /** The operator that begins content of an element. */
  open(element: StructElement, order: number): string {
    const mcid = this.#parents.push(element) - 1;
    this.#structure.add(element, { order, page: this.#page, mcid });
    return `/${element.type}<</MCID ${mcid}>>BDC\n`;
  }
}

/** Collects what pages paint, and writes the structure tree of the document (§14.7). */
export class Structure {
  readonly #kids = new Map<StructElement, Kid[]>();
  /** By page: the element of each marked-content identifier. */
  readonly #pages: StructElement[][] = [];
  /** Annotations, each with its element: keys of the parent tree after the pages. */
  readonly #annotations: StructElement[] = [];
  #root: StructElement | null = null;
  #headingLevel = 0;

  page(index: number): PageTags {
    const parents: StructElement[] = [];
    this.#pages[index] = parents;
    return new PageTags(this, index, parents);
  }

  /** Puts something into an element, and the element into those around it. */
  add(element: StructElement, kid: Kid): void {
    const known = this.#kids.get(element);
    if (known !== undefined) {
      known.push(kid);
      return;
    }
    this.#kids.set(element, [kid]);
    this.#attach(element);
  }

  #attach(element: StructElement): void {
    const { parent, order } = element;
    if (parent === null) {
      this.#root = element;
      return;
    }
    // A row is written with all its cells, including empty ones.
    if (parent.cells === null) {
      this.add(parent, { order, element });
      return;
    }
    if (this.#kids.has(parent)) return;
    this.#kids.set(
      parent,
      parent.cells.map((cell) => ({ order: cell.order, element: cell })),
    );
    this.#attach(parent);
  }

  /** The same for a form's field. */
  form(page: number, annotation: number, pageCount: number): number {
    const root = (this.#root ??= new StructElement('Document', null, 0));
    if (!this.#kids.has(root)) this.#kids.set(root, []);
    const field = new StructElement('Form', root, Number.MAX_SAFE_INTEGER);
    return this.link(field, page, annotation, pageCount);
  }

  /** Gives an annotation its place in the tree; its key in the parent tree is `StructParent`. */
  link(element: StructElement | null, page: number, annotation: number, pageCount: number): number {
    const root = (this.#root ??= new StructElement('Document', null, 0));
    if (!this.#kids.has(root)) this.#kids.set(root, []);
    const own = element ?? new StructElement('Link', root, Number.MAX_SAFE_INTEGER);
    this.add(own, { order: Number.MAX_SAFE_INTEGER, page, annotation });
    return pageCount + this.#annotations.push(own) - 1;
  }

  /** Writes the tree; gives its entries of the catalog. */
  write(file: PdfFile, pageObjects: readonly number[]): string {
    const root = (this.#root ??= new StructElement('Document', null, 0));
    const tree = file.reserve();
    const numbers = new Map<StructElement, number>();
    const numberOf = (element: StructElement): number => {
      const known = numbers.get(element) ?? file.reserve();
      numbers.set(element, known);
      return known;
    };
    this.#writeElement(file, root, tree, numberOf, pageObjects);
    const parents = this.#writeParents(file, numberOf);
    file.object(
      tree,
      `<</Type/StructTreeRoot/K ${reference(numberOf(root))}/ParentTree ${reference(parents)}` +
        `/ParentTreeNextKey ${this.#pages.length + this.#annotations.length}>>`,
    );
    return `/MarkInfo<</Marked true>>/StructTreeRoot ${reference(tree)}`;
  }

  /** An element and all in it, parents before their kids. */
  #writeElement(
    file: PdfFile,
    element: StructElement,
    parent: number,
    numberOf: (element: StructElement) => number,
    pageObjects: readonly number[],
  ): void {
    const kids = this.#kids.get(element) ?? [];
    if (!isSorted(kids)) kids.sort((one, other) => one.order - other.order);
    const number = numberOf(element);
    const first = kids.find((kid) => 'page' in kid);
    const page = first !== undefined && 'page' in first ? first.page : -1;
    let list = '';
    for (const kid of kids) {
      if (list !== '') list += ' ';
      if ('element' in kid) list += reference(numberOf(kid.element));
      else list += contentSyntax(kid, page, pageObjects);
    }
    const onPage = page < 0 ? '' : `/Pg ${reference(entryAt(pageObjects, page))}`;
    const content = kids.length === 0 ? '' : `/K${kids.length === 1 ? ` ${list}` : `[${list}]`}`;
    file.pack(
      number,
      `<</S/${this.#standardType(element)}/P ${reference(parent)}${onPage}${attributes(element, number)}${content}>>`,
    );
    for (const kid of kids) {
      if ('element' in kid) {
        this.#writeElement(file, kid.element, number, numberOf, pageObjects);
      }
    }
  }

  /** No level of headings is left out, whichever of them this document has (ISO 14289-1, 7.4.2). */
  #standardType({ type }: StructElement): string {
    const level = /^H(\d)$/.exec(type)?.[1];
    if (level === undefined) return type;
    this.#headingLevel = Math.min(Number(level), this.#headingLevel + 1);
    return `H${this.#headingLevel}`;
  }

  /** The number tree from content to its element (§14.7.4.4): pages, then annotations. */
  #writeParents(file: PdfFile, numberOf: (element: StructElement) => number): number {
    let entries = '';
    for (const [index, parents] of this.#pages.entries()) {
      const list = file.reserve();
      file.pack(list, `[${parents.map((element) => reference(numberOf(element))).join(' ')}]`);
      entries += `${index} ${reference(list)} `;
    }
    for (const [index, element] of this.#annotations.entries()) {
      entries += `${this.#pages.length + index} ${reference(numberOf(element))} `;
    }
    return file.add(`<</Nums[${entries.trimEnd()}]>>`);
  }
}

function isSorted(kids: readonly Kid[]): boolean {
  let last = -1;
  for (const { order } of kids) {
    if (order < last) return false;
    last = order;
  }
  return true;
}

/** Content on the element's own page is a number; on another page it says where. */
function contentSyntax(
  kid: Exclude<Kid, { readonly element: StructElement }>,
  page: number,
  pageObjects: readonly number[],
): string {
  const other = kid.page === page ? '' : `/Pg ${reference(entryAt(pageObjects, kid.page))}`;
  if ('annotation' in kid) return `<</Type/OBJR/Obj ${reference(kid.annotation)}${other}>>`;
  return other === '' ? String(kid.mcid) : `<</Type/MCR${other}/MCID ${kid.mcid}>>`;
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

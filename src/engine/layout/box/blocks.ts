import type { ColumnsNode, NodeBase, StackNode, TocNode, Width } from '../../model/nodes.ts';
import type { Item, LinkArea, LinkTarget } from '../../model/frame.ts';
import { SizedBox } from './box.ts';
import type { ListBox } from './list-box.ts';
import type { TableBox } from './table/table-box.ts';
import type { TextBox } from './text-box.ts';
import { isFixed, narrowWidthOf } from './fit-columns.ts';
import { leastScaleOf, type PrintedCode } from './printed-code.ts';
import {
  anyHasAmounts,
  maxWidthOf,
  minBoundWidthOf,
  minWidthOf,
  resolveWidths,
  type SizedColumn,
  type Surroundings,
} from './widths.ts';

/** The boxes of nodes with children, of pictures and of tables of contents. */

export type Box = TextBox | StackBox | ColumnsBox | TableBox | ListBox | GraphicBox | TocBox;

/** Boxes one below the other. */
export class StackBox extends SizedBox {
  readonly kind = 'stack';
  readonly node: StackNode;
  readonly children: readonly Box[];

  constructor(node: StackNode, children: readonly Box[]) {
    super();
    this.node = node;
    this.children = children;
  }

  protected minContentPt(): number {
    let width = 0;
    for (const child of this.children) width = Math.max(width, child.minPt);
    return width;
  }

  protected override minBoundContentPt(): number {
    let width = 0;
    for (const child of this.children) width = Math.max(width, child.minBoundPt);
    return width;
  }

  protected override leastContentPt(): number {
    let width = 0;
    for (const child of this.children) width = Math.max(width, child.leastPt);
    return width;
  }

  protected override tightContentPt(): number {
    let width = 0;
    for (const child of this.children) width = Math.max(width, child.tightPt);
    return width;
  }

  protected maxContentPt(): number {
    let width = 0;
    for (const child of this.children) width = Math.max(width, child.maxPt);
    return width;
  }

  get hasAmounts(): boolean {
    return this.children.some(({ hasAmounts }) => hasAmounts);
  }

  override get hasCodes(): boolean {
    return this.children.some(({ hasCodes }) => hasCodes);
  }
}

/** One column of a `columns` node: the width that the template gives it, and its content. */
export class ColumnBox implements SizedColumn {
  readonly width: Width;
  readonly box: Box;
  readonly verticalAlignment: 'top' | 'middle' | 'bottom';

  constructor(width: Width, box: Box, verticalAlignment: 'top' | 'middle' | 'bottom') {
    this.width = width;
    this.box = box;
    this.verticalAlignment = verticalAlignment;
  }

  get minPt(): number {
    return this.box.minPt;
  }

  get leastPt(): number {
    return this.box.leastPt;
  }

  get tightPt(): number {
    return this.box.tightPt;
  }

  get hasAmounts(): boolean {
    return this.box.hasAmounts;
  }

  get hasCodes(): boolean {
    return this.box.hasCodes;
  }

  get minBoundPt(): number {
    return this.box.minBoundPt;
  }

  get maxPt(): number {
    return this.box.maxPt;
  }
}

/** Boxes side by side. */
export class ColumnsBox extends SizedBox {
  readonly kind = 'columns';
  readonly node: ColumnsNode;
  readonly columns: readonly ColumnBox[];
  #hasAmounts: boolean | null = null;

  constructor(node: ColumnsNode, columns: readonly ColumnBox[]) {
    super();
    this.node = node;
    this.columns = columns;
  }

  get hasAmounts(): boolean {
    this.#hasAmounts ??= anyHasAmounts(this.columns);
    return this.#hasAmounts;
  }

  override get hasCodes(): boolean {
    return this.columns.some(({ width, hasCodes }) => !isFixed(width) && hasCodes);
  }

  /** The widths of the columns, gaps not included, where the node is `roomPt` wide. */
  columnWidths(roomPt: number, around: Surroundings): number[] {
    const { snaking } = this.node;
    const room = roomPt - this.#gapsPt;
    return resolveWidths(snaking ? this.#snaked : this.columns, room, room, null, around);
  }

  /** Columns that content flows through: it must fit each of them. */
  get #snaked(): readonly ColumnBox[] {
    const { columns } = this;
    const [first] = columns;
    if (first === undefined) return columns;
    return columns.map((column) =>
      column.width.kind === 'star' ? new ColumnBox(column.width, first.box, 'top') : column,
    );
  }

  protected minContentPt(): number {
    return minWidthOf(this.columns) + this.#gapsPt;
  }

  protected override minBoundContentPt(): number {
    return minBoundWidthOf(this.columns) + this.#gapsPt;
  }

  protected override leastContentPt(): number {
    const columns = this.node.snaking ? this.#snaked : this.columns;
    return narrowWidthOf(columns, ({ leastPt }) => leastPt) + this.#gapsPt;
  }

  protected override tightContentPt(): number {
    const columns = this.node.snaking ? this.#snaked : this.columns;
    return narrowWidthOf(columns, ({ tightPt }) => tightPt) + this.#gapsPt;
  }

  protected maxContentPt(): number {
    return maxWidthOf(this.columns) + this.#gapsPt;
  }

  get #gapsPt(): number {
    return this.node.gapPt * Math.max(0, this.columns.length - 1);
  }
}

/** Image, svg, QR code or canvas: a box of fixed size that paints itself. */
export class GraphicBox extends SizedBox {
  readonly kind = 'graphic';
  readonly hasAmounts = false;
  readonly node: NodeBase;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly alignment: 'left' | 'right' | 'center' | 'justify';
  readonly link: LinkTarget | null;
  /** Alternate description for tagged documents; '' makes it an artifact. */
  alt = '';
  /** Set if it is a QR code or barcode. */
  readonly code: PrintedCode | null;
  /** Link areas, relative to its top left corner; only pages of other PDFs have any. */
  readonly areas: readonly LinkArea[];
  /** Makes new items with their top left corner at (x, y). */
  readonly paint: (x: number, y: number) => Item[];

  constructor(
    node: NodeBase,
    widthPt: number,
    heightPt: number,
    alignment: 'left' | 'right' | 'center' | 'justify',
    link: LinkTarget | null,
    paint: (x: number, y: number) => Item[],
    areas: readonly LinkArea[] = [],
    code: PrintedCode | null = null,
  ) {
    super();
    this.node = node;
    this.widthPt = widthPt;
    this.heightPt = heightPt;
    this.alignment = alignment;
    this.link = link;
    this.paint = paint;
    this.areas = areas;
    this.code = code;
  }

  override get hasCodes(): boolean {
    return this.code !== null;
  }

  protected override leastContentPt(): number | null {
    return this.code === null ? null : this.widthPt * leastScaleOf(this.code);
  }

  protected override tightContentPt(): number | null {
    return this.leastContentPt();
  }

  protected minContentPt(): number {
    return this.widthPt;
  }

  protected maxContentPt(): number {
    return this.widthPt;
  }
}

/** A table of contents: its title and the table of its entries; either may be null. */
export class TocBox extends SizedBox {
  readonly kind = 'toc';
  readonly node: TocNode;
  readonly title: Box | null;
  /** Set once the whole document is measured, before anything is placed. */
  entries: Box | null = null;

  constructor(node: TocNode, title: Box | null) {
    super();
    this.node = node;
    this.title = title;
  }

  protected minContentPt(): number {
    return Math.max(this.title?.minPt ?? 0, this.entries?.minPt ?? 0);
  }

  protected override leastContentPt(): number {
    return Math.max(this.title?.leastPt ?? 0, this.entries?.leastPt ?? 0);
  }

  protected override tightContentPt(): number {
    return Math.max(this.title?.tightPt ?? 0, this.entries?.tightPt ?? 0);
  }

  protected maxContentPt(): number {
    return Math.max(this.title?.maxPt ?? 0, this.entries?.maxPt ?? 0);
  }

  get hasAmounts(): boolean {
    return this.title?.hasAmounts === true || this.entries?.hasAmounts === true;
  }
}

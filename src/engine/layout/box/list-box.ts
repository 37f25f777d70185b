import type { ListNode } from '../../model/nodes.ts';
import type { Sheet } from '../place/sheet.ts';
import type { Box } from './blocks.ts';
import { SizedBox } from './box.ts';

/** A list marker waiting for the first line of its item. */
export interface Marker {
  /** A number or letter, which is read aloud; a bullet is not. */
  readonly isText: boolean;
  draw(sheet: Sheet, x: number, y: number, ascentPt: number): void;
}

export interface ListEntry {
  readonly box: Box;
  /** Null for nested lists and for type `none`. */
  readonly marker: Marker | null;
}

/** A list: entries indented by the width of the widest marker. */
export class ListBox extends SizedBox {
  readonly kind = 'list';
  readonly node: ListNode;
  readonly entries: readonly ListEntry[];
  readonly indentPt: number;

  constructor(node: ListNode, entries: readonly ListEntry[], indentPt: number) {
    super();
    this.node = node;
    this.entries = entries;
    this.indentPt = indentPt;
  }

  protected minContentPt(): number {
    let width = 0;
    for (const { box } of this.entries) width = Math.max(width, box.minPt);
    return width + this.indentPt;
  }

  protected override leastContentPt(): number {
    let width = 0;
    for (const { box } of this.entries) width = Math.max(width, box.leastPt);
    return width + this.indentPt;
  }

  protected override tightContentPt(): number {
    let width = 0;
    for (const { box } of this.entries) width = Math.max(width, box.tightPt);
    return width + this.indentPt;
  }

  get hasAmounts(): boolean {
    return this.entries.some(({ box }) => box.hasAmounts);
  }

  override get hasCodes(): boolean {
    return this.entries.some(({ box }) => box.hasCodes);
  }

  protected maxContentPt(): number {
    let width = 0;
    for (const { box } of this.entries) width = Math.max(width, box.maxPt);
    return width + this.indentPt;
  }
}

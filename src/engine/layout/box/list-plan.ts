import type { ListItem, ListNode } from '../../model/nodes.ts';
import type { Rgb, TextStyle } from '../../model/style.ts';
import type { DataScope } from '../scope.ts';
import type { Box } from './blocks.ts';
import { ListBox, type ListEntry } from './list-box.ts';
import { counterText, NumberMarker, ShapeMarker } from './marker.ts';
import { appendBoxes, isFixedChild, Plan } from './plan.ts';

/** Sets the indent of lists: room for one digit, a separator and a space. */
const INDENT_SAMPLE = '9. ';

/** One box of an item, which has several with `each`. */
interface ItemBox {
  readonly item: ListItem;
  readonly box: Box;
}

export class ListPlan extends Plan {
  declare readonly node: ListNode;
  readonly #items: readonly { readonly item: ListItem; readonly plan: Plan }[];

  constructor(node: ListNode, planOf: (node: ListItem['node']) => Plan) {
    const items = node.items.map((item) => ({ item, plan: planOf(item.node) }));
    super(
      node,
      items.every(({ plan }) => isFixedChild(plan)),
    );
    this.#items = items;
  }

  protected makeBox(scope: DataScope): ListBox {
    const boxes: ItemBox[] = [];
    for (const { item, plan } of this.#items) {
      const made: Box[] = [];
      appendBoxes(plan, scope, made);
      for (const box of made) boxes.push({ item, box });
    }
    return this.node.ordered ? this.#number(boxes) : this.#mark(boxes);
  }

  /** Gives each entry a bullet, and none to a nested list. */
  #mark(boxes: readonly ItemBox[]): ListBox {
    const { node } = this;
    const indent = widthIn(node.markerStyle, INDENT_SAMPLE);
    const entries = boxes.map(({ item, box }): ListEntry => {
      if (box.kind === 'list') return { box, marker: null };
      const type = item.listType ?? node.type;
      if (type === 'none') return { box, marker: null };
      return { box, marker: new ShapeMarker(type, styleOf(node, item.markerColor), indent) };
    });
    return new ListBox(node, entries, indent);
  }

  /** Numbers the entries; the widest number sets the indent. */
  #number(boxes: readonly ItemBox[]): ListBox {
    const { node } = this;
    let counter = node.start;
    let indent = widthIn(node.markerStyle, INDENT_SAMPLE);
    const texts = boxes.map(({ item, box }) => {
      if (box.kind === 'list') return null;
      const number = item.counter ?? counter;
      counter += node.reversed ? -1 : 1;
      const text = counterText(number, item.listType ?? node.type, node.separator);
      if (text !== null) indent = Math.max(indent, widthIn(node.markerStyle, text));
      return text;
    });
    const entries = boxes.map(({ item, box }, index): ListEntry => {
      const text = texts[index] ?? null;
      if (text === null) return { box, marker: null };
      return { box, marker: new NumberMarker(text, styleOf(node, item.markerColor), indent) };
    });
    return new ListBox(node, entries, indent);
  }
}

function styleOf(node: ListNode, color: Rgb | null | undefined): TextStyle {
  const style = node.markerStyle;
  return color === null || color === undefined ? style : { ...style, color };
}

function widthIn(style: TextStyle, text: string): number {
  const shape = style.stack.shape(text);
  return shape.widthEm * style.sizePt + style.characterSpacingPt * (shape.clusterCount - 1);
}

import type { FieldValues } from '../contract/types.ts';
import { DataScope } from '../layout/scope.ts';
import { childrenOf } from '../model/nodes.ts';
import type {
  CompiledTemplate,
  Condition,
  Node,
  RunningElement,
  TableNode,
  TextTemplate,
} from '../model/nodes.ts';

/**
 * What a document prints of its values as text. A field that stands only in a barcode, in nodes that
 * conditions hide, or in a column that no cell shows is not printed.
 */
export class PrintedText {
  /** Fields, except tables, by index. */
  readonly fields = new Set<number>();
  readonly #columns = new Map<number, Set<number>>();
  readonly #scope: DataScope;

  constructor(template: CompiledTemplate, values: FieldValues) {
    this.#scope = new DataScope(values);
    const { sections, watermark, signatureField } = template;
    for (const { content, setup } of sections) {
      this.#addNode(content, null);
      for (const element of [setup.header, setup.footer, setup.background]) {
        for (const node of nodesOf(element)) this.#addNode(node, null);
      }
    }
    if (watermark !== null) this.#addText(watermark.text, null);
    if (signatureField !== null) this.#addNode(signatureField.content, null);
  }

  /** Whether the cells of a column of a table or list are printed. */
  hasColumn(field: number, column: number): boolean {
    return this.#columns.get(field)?.has(column) === true;
  }

  #isShown({ conditions }: { readonly conditions: readonly Condition[] }): boolean {
    return this.#scope.holds(conditions);
  }

  /** `outer`: the table field of the nearest `each` around the node. */
  #addNode(node: Node, outer: number | null): void {
    if (!this.#isShown(node)) return;
    const each = node.each ?? outer;
    if (node.kind === 'text') {
      for (const run of node.runs) {
        if (this.#isShown(run)) this.#addText(run.text, run.each ?? each);
      }
    } else if (node.kind === 'table') {
      this.#addTable(node, each);
    } else if (node.kind === 'svg') {
      if (node.source.kind === 'field') this.fields.add(node.source.field);
    } else {
      for (const child of childrenOf(node)) this.#addNode(child, each);
    }
  }

  #addTable({ rows, statement = null }: TableNode, each: number | null): void {
    const sums = [statement?.carriedForward, statement?.broughtForward, statement?.pageTotal];
    for (const row of [...rows, ...sums]) {
      if (row === null || row === undefined || !this.#isShown(row)) continue;
      for (const cell of row.cells) {
        if (cell !== null) this.#addNode(cell.node, row.each ?? each);
      }
    }
  }

  #addText(text: TextTemplate, each: number | null): void {
    for (const part of text) {
      if (part.kind === 'field' || part.kind === 'formatted') this.fields.add(part.field);
      if (part.kind === 'entry') this.#addColumn(part.field, part.column);
      if (part.kind === 'cell' && each !== null) this.#addColumn(each, part.column);
    }
  }

  #addColumn(field: number, column: number): void {
    const columns = this.#columns.get(field);
    if (columns === undefined) this.#columns.set(field, new Set([column]));
    else columns.add(column);
  }
}

function nodesOf(element: RunningElement | null): readonly Node[] {
  if (element === null) return [];
  return [element.first, element.rest, element.last].filter((node) => node !== null);
}

import type { FieldDefect } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { BarcodeFault, BarcodePart } from '../barcode/barcode.ts';
import { REASONS } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type {
  BarcodeNode,
  CompiledTemplate,
  Condition,
  RunningElement,
  Node,
  TextPart,
} from '../model/nodes.ts';
import { composeNode } from './box/barcode-plan.ts';
import { DataScope } from './scope.ts';

/** A barcode of a template with its conditions and its repetition. */
interface Placed {
  readonly node: BarcodeNode;
  readonly conditions: readonly Condition[];
  /** Table field of the nearest `each`, or null. */
  readonly each: number | null;
}

const placedIn = new WeakMap<CompiledTemplate, readonly Placed[]>();

/**
 * Finds the fields whose values do not fit their barcodes. Codes that fit are cached, so that
 * layout does not encode them again.
 */
export function findUnencodable(template: CompiledTemplate, values: FieldValues): FieldDefect[] {
  let placed = placedIn.get(template);
  if (placed === undefined) {
    placed = barcodesOf(template);
    placedIn.set(template, placed);
  }
  if (placed.length === 0) return [];
  const search = new Search(template, values);
  for (const barcode of placed) search.check(barcode);
  return [...search.defects].map(([field, reason]) => ({ field, reason }));
}

class Search {
  /** The first reason found, by name of the field. */
  readonly defects = new Map<string, string>();
  readonly #template: CompiledTemplate;
  readonly #scope: DataScope;
  #characters = 0;

  constructor(template: CompiledTemplate, values: FieldValues) {
    this.#template = template;
    this.#scope = new DataScope(values);
  }

  check({ node, conditions, each }: Placed): void {
    const scope = this.#scope;
    if (!scope.holds(conditions)) return;
    if (each === null) {
      this.#checkNode(node, each);
      return;
    }
    for (const row of scope.rows(each)) {
      scope.row = row;
      this.#checkNode(node, each);
    }
    scope.row = null;
  }

  #checkNode(node: BarcodeNode, each: number | null): void {
    for (const { part, text } of node.parts) {
      this.#characters += this.#scope.text(text).length;
      if (this.#characters > LIMITS.barcodeCharactersMax) {
        this.#report(node, part, each, REASONS.barcodesMany);
        return;
      }
    }
    const composed = composeNode(node, this.#scope);
    if (composed.kind === 'fault') {
      this.#report(node, composed.part, each, reasonOf(composed.fault));
    }
  }

  #report(node: BarcodeNode, part: BarcodePart, each: number | null, reason: string): void {
    for (const one of node.parts) {
      if (one.part !== part) continue;
      for (const bound of one.text) {
        const field = this.#template.fields[fieldOf(bound, each) ?? -1];
        if (field !== undefined && !this.defects.has(field.name)) {
          this.defects.set(field.name, reason);
        }
      }
    }
  }
}

function fieldOf(part: TextPart, each: number | null): number | null {
  switch (part.kind) {
    case 'field':
    case 'formatted':
    case 'columnSum':
      return part.field;
    case 'cell':
      return each;
    case 'static':
    case 'sum':
    case 'page':
    case 'pages':
    case 'signature':
      return null;
  }
}

function reasonOf(fault: BarcodeFault): string {
  switch (fault) {
    case 'characters':
      return REASONS.barcodeCharacters;
    case 'digits':
      return REASONS.barcodeDigits;
    case 'ean13':
      return REASONS.barcodeEan13;
    case 'length':
      return REASONS.barcodeLength;
    case 'payee':
      return REASONS.payee;
    case 'biller':
      return REASONS.biller;
    case 'reference1':
    case 'reference2':
      return REASONS.paymentReference;
    case 'amount':
      return REASONS.paymentAmount;
  }
}

function barcodesOf({ sections }: CompiledTemplate): readonly Placed[] {
  const found: Placed[] = [];
  for (const { content, setup } of sections) {
    collect(content, [], null, found);
    for (const element of [setup.header, setup.footer, setup.background]) {
      for (const node of nodesOf(element)) collect(node, [], null, found);
    }
  }
  // Sections share headers, so each node is visited only once.
  return [...new Map(found.map((placed) => [placed.node, placed])).values()];
}

function nodesOf(element: RunningElement | null): readonly Node[] {
  if (element === null) return [];
  return [element.first, element.rest, element.last].filter((node) => node !== null);
}

function collect(
  node: Node,
  outer: readonly Condition[],
  outerEach: number | null,
  found: Placed[],
): void {
  const conditions = [...outer, ...node.conditions];
  const each = node.each ?? outerEach;
  switch (node.kind) {
    case 'barcode':
      found.push({ node, conditions, each });
      return;
    case 'stack':
      for (const child of node.children) collect(child, conditions, each, found);
      return;
    case 'columns':
      for (const column of node.columns) collect(column.node, conditions, each, found);
      return;
    case 'list':
      for (const item of node.items) collect(item.node, conditions, each, found);
      return;
    case 'table':
      for (const row of node.rows) {
        const inRow = [...conditions, ...row.conditions];
        for (const cell of row.cells) {
          if (cell !== null) collect(cell.node, inRow, row.each ?? each, found);
        }
      }
      return;
    case 'toc':
    case 'text':
    case 'image':
    case 'svg':
    case 'qr':
    case 'canvas':
  }
}

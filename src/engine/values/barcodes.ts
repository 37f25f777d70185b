import { LIMITS } from '../../limits.ts';
import type { BarcodeFault, BarcodePart } from '../barcode/barcode.ts';
import { REASONS } from '../contract/reasons.ts';
import type { Reason } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type {
  BarcodeNode,
  CompiledTemplate,
  Condition,
  RunningElement,
  Node,
  TextPart,
} from '../model/nodes.ts';
import { composeNode } from '../layout/box/barcode-plan.ts';
import { DataScope } from '../layout/scope.ts';
import { childrenOf } from '../model/nodes.ts';

/** A barcode of a template with the conditions and the repetition of all nodes around it. */
export interface NestedBarcode {
  readonly node: BarcodeNode;
  readonly conditions: readonly Condition[];
  /** Fields of all `each` around it, from the outermost: of tables, the nearest one only. */
  readonly eaches: readonly number[];
  /** The table of the nearest `each` over a table, or null. */
  readonly table: number | null;
}

/** Where the fields whose values do not fit are reported, by index. */
interface DefectList {
  add(field: number, reason: Reason): void;
}

/**
 * Reports the fields whose values do not fit their barcodes. Codes that fit are cached, so that
 * layout does not encode them again.
 */
export function findUnencodable(
  barcodes: readonly NestedBarcode[],
  values: FieldValues,
  found: DefectList,
): void {
  const checker = new BarcodeChecker(values, found);
  for (const barcode of barcodes) checker.check(barcode);
}

/** Encodes the barcodes of one document and reports what does not fit. */
class BarcodeChecker {
  readonly #found: DefectList;
  readonly #scope: DataScope;
  /** Characters of all barcodes so far, which bound the work. */
  #characters = 0;

  constructor(values: FieldValues, found: DefectList) {
    this.#found = found;
    this.#scope = new DataScope(values);
  }

  check(barcode: NestedBarcode): void {
    if (this.#scope.holds(barcode.conditions)) this.#checkInside(barcode, 0);
  }

  /** `depth`: how many of its `each` the scope has entered. */
  #checkInside(barcode: NestedBarcode, depth: number): void {
    const { node, conditions, eaches, table } = barcode;
    const each = eaches[depth];
    if (each !== undefined) {
      this.#scope.forEach(each, () => this.#checkInside(barcode, depth + 1));
    } else if (depth === 0 || this.#scope.holds(conditions)) {
      this.#checkNode(node, table);
    }
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

  #report(node: BarcodeNode, part: BarcodePart, each: number | null, reason: Reason): void {
    for (const one of node.parts) {
      if (one.part !== part) continue;
      for (const bound of one.text) {
        const field = fieldOf(bound, each);
        if (field !== null) this.#found.add(field, reason);
      }
    }
  }
}

/** The field that a part of a text comes from, `each` for a cell; null for none. */
function fieldOf(part: TextPart, each: number | null): number | null {
  switch (part.kind) {
    case 'field':
    case 'formatted':
    case 'columnSum':
    case 'entry':
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

function reasonOf(fault: BarcodeFault): Reason {
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

/** The barcodes of a template, each once. */
export function barcodesOf({ sections, fields }: CompiledTemplate): readonly NestedBarcode[] {
  const found: NestedBarcode[] = [];
  const none = { conditions: [], eaches: [], table: null };
  const isTable = (field: number): boolean => fields[field]?.type === 'table';
  for (const { content, setup } of sections) {
    collect(content, none, isTable, found);
    for (const element of [setup.header, setup.footer, setup.background]) {
      for (const node of nodesOf(element)) collect(node, none, isTable, found);
    }
  }
  // Sections share headers, so each node is visited only once.
  return [...new Map(found.map((barcode) => [barcode.node, barcode])).values()];
}

function nodesOf(element: RunningElement | null): readonly Node[] {
  if (element === null) return [];
  return [element.first, element.rest, element.last].filter((node) => node !== null);
}

type Around = Omit<NestedBarcode, 'node'>;

/** Appends the barcodes of a node and of those inside it. */
function collect(
  node: Node,
  outer: Around,
  isTable: (field: number) => boolean,
  found: NestedBarcode[],
): void {
  const around = enter(node, outer, isTable);
  if (node.kind === 'barcode') {
    found.push({ node, ...around });
  } else if (node.kind === 'table') {
    for (const row of node.rows) {
      const inRow = enter(row, around, isTable);
      for (const cell of row.cells) if (cell !== null) collect(cell.node, inRow, isTable, found);
    }
  } else if (node.kind !== 'toc') {
    for (const child of childrenOf(node)) collect(child, around, isTable, found);
  }
}

function enter(
  { conditions, each }: Pick<Node, 'conditions' | 'each'>,
  outer: Around,
  isTable: (field: number) => boolean,
): Around {
  const all = [...outer.conditions, ...conditions];
  if (each === null) return { ...outer, conditions: all };
  if (!isTable(each)) return { ...outer, conditions: all, eaches: [...outer.eaches, each] };
  const lists = outer.eaches.filter((field) => !isTable(field));
  return { conditions: all, eaches: [...lists, each], table: each };
}

import type { BarcodeKind } from '../../barcode/barcode.ts';
import { type Reason, REASONS } from '../../contract/reasons.ts';
import type { FieldValue, FieldValues } from '../../contract/types.ts';
import { childrenOf, type Node, type TextTemplate } from '../../model/nodes.ts';
import type { TextBox } from '../box/text-box.ts';
import type { Line } from '../text/line.ts';
import type { RunStyle } from '../text/run-style.ts';
import type { FilledText } from './loose.ts';

/**
 * Values are printed whole. A line beyond `maxHeight` is not drawn, and a header or footer has only
 * the room of its margin: where a value would be lost there, the document is refused. So it is where
 * a code has no room (`codes.ts`).
 */

/** A value has no room where the template prints it. Only `layoutDocument` catches it. */
export class LostTextFault extends Error {
  /** JSON path of the node. */
  readonly path: string;
  readonly node: Node;
  /** The text that has no room; null: that of all texts of the node together. */
  readonly text: string | null;
  readonly reason: Reason;

  constructor(node: Node, text: string | null, reason: Reason = REASONS.textLong) {
    super('a value does not fit its place');
    this.path = node.path;
    this.node = node;
    this.text = text;
    this.reason = reason;
  }
}

/** Throws `LostTextFault` if a run with bindings prints text in the lines from `from` on. */
export function demandNoValues(box: TextBox, lines: readonly Line[], from: number): void {
  const bound = new Set<RunStyle>();
  for (const { run, kept } of box.runs) if (kept === null) bound.add(run);
  for (let index = from; index < lines.length; index++) {
    for (const { amounts, run, shape } of lines[index]?.atoms ?? []) {
      const isValue = amounts !== null || bound.has(run);
      if (isValue && shape.text.trim() !== '') throw lostText(box);
    }
  }
}

/** The same for a text of one line. */
export function demandNoValue(box: TextBox): void {
  const isValue = box.runs.some(({ kept, text }) => kept === null && text.trim() !== '');
  if (isValue) throw lostText(box);
}

/** The fault of a text that has no room. */
export function lostText({ node, runs }: FilledText): LostTextFault {
  return new LostTextFault(node, runs.map(({ text }) => text).join(''));
}

/** Index of the field to shorten: the one whose value takes most room; -1: no field is bound. */
export function fieldToShorten({ node, text }: LostTextFault, values: FieldValues): number {
  const bound = new Bound();
  bound.add(node);
  let longest = -1;
  let length = -1;
  for (const field of bound.fields) {
    const own = lengthOf(values[field] ?? null);
    if (own > length) [longest, length] = [field, own];
  }
  const cells = bound.columns.size > 0 ? tableWith(text, bound.columns, values) : null;
  return cells !== null && cells.length > length ? cells.field : longest;
}

/** The barcodes that hold any text, also one of a single digit. */
const HOLD_ANY_TEXT: ReadonlySet<BarcodeKind> = new Set(['code128', 'datamatrix', 'pdf417']);

/** The fields that a node prints, and the columns of cells whose `each` is further out. */
class Bound {
  readonly fields = new Set<number>();
  readonly columns = new Set<number>();

  add(node: Node): void {
    this.#addEach(node.each);
    for (const { each, text } of boundTexts(node)) {
      this.#addEach(each);
      for (const part of text) {
        if ('field' in part) this.fields.add(part.field);
        else if (part.kind === 'cell') this.columns.add(part.column);
      }
    }
    for (const { each } of node.kind === 'table' ? node.rows : []) this.#addEach(each);
    for (const child of childrenOf(node)) this.add(child);
  }

  /** Adds the fields of barcodes whose text must have a certain form. */
  addRigid(node: Node): void {
    if (node.kind === 'barcode' && !HOLD_ANY_TEXT.has(node.symbology)) this.add(node);
    for (const child of childrenOf(node)) this.addRigid(child);
  }

  #addEach(each: number | null): void {
    if (each !== null) this.fields.add(each);
  }
}

function boundTexts(
  node: Node,
): readonly { readonly each: number | null; readonly text: TextTemplate }[] {
  switch (node.kind) {
    case 'text':
      return node.runs;
    case 'qr':
      return [{ each: null, text: node.text }];
    case 'barcode':
      return node.parts.map(({ text }) => ({ each: null, text }));
    case 'stack':
    case 'columns':
    case 'table':
    case 'list':
    case 'image':
    case 'svg':
    case 'canvas':
    case 'toc':
      return [];
  }
}

/** The table with the longest cell of these columns that `text` shows, or just any table. */
function tableWith(
  text: string | null,
  columns: ReadonlySet<number>,
  values: FieldValues,
): { readonly field: number; readonly length: number } | null {
  let found: { field: number; length: number } | null = null;
  for (const [field, value] of values.entries()) {
    if (value?.type !== 'table') continue;
    found ??= { field, length: 0 };
    for (const row of value.rows) {
      for (const column of columns) {
        const cell = row[column] ?? '';
        const isLonger = cell.length > found.length;
        if (isLonger && text?.includes(cell) === true) found = { field, length: cell.length };
      }
    }
  }
  return found;
}

function lengthOf(value: FieldValue | null): number {
  if (value === null) return -1;
  if ('display' in value) return value.display.length;
  if (value.type !== 'table' && value.type !== 'list') return 0;
  return value.rows.reduce((sum, row) => sum + row.join('').length, 0);
}

/**
 * Values of the fields of a node that take as little room as any. Those of barcodes that do not hold any
 * text stay as they are.
 */
export function shortestValues(node: Node, values: FieldValues): FieldValues {
  const kept = new Bound();
  kept.addRigid(node);
  return values.map((value, field) => {
    if (kept.fields.has(field)) return value;
    switch (value?.type) {
      case 'text':
      case 'number':
        return { ...value, display: '1', raw: '1' };
      case 'qrcode':
        return { ...value, display: '1' };
      case 'table':
        return { ...value, rows: value.rows.slice(0, 1).map((row) => row.map(() => '1')) };
      case 'list':
        return { ...value, rows: value.rows.map((row) => row.map(() => '1')) };
      case 'view':
      case 'record':
      case 'date':
      case 'image':
      case 'svg':
      case undefined:
        return value ?? null;
    }
  });
}

import type { FieldValue, FieldValues, ListValue, ViewValue } from '../contract/types.ts';
import type { Condition, StatementSum, TextPart, TextTemplate } from '../model/nodes.ts';
import type { OpeningBalance } from '../model/printed.ts';
import { sumColumn } from '../contract/format/amount.ts';

/** Sums of a statement table as texts, before formatting. */
export interface SumSource {
  /** Index of the table or list that is summed. */
  readonly field: number;
  /** Number of rows that are summed. */
  count: number;
  decimal(sum: StatementSum): string;
}

/** Where a scope is: the row of the nearest `each` over a table, and the entries of lists. */
export interface DataPlace {
  readonly row: readonly string[] | null;
  readonly entries: readonly number[];
}

type ColumnSumPart = Extract<TextPart, { kind: 'columnSum' }>;

/** Values for bindings: those of the document, and those of the place that is being filled in. */
export class DataScope {
  readonly values: FieldValues;
  /** The row of the nearest `each` over a table. */
  row: readonly string[] | null = null;
  /** By index of a list: the row of the entry that the `each` over it is at; -1: there is none. */
  #entries: number[] = [];
  /** The sums of the nearest statement table. */
  sums: SumSource | null = null;
  /** `{{page}}` and `{{pages}}`, in header, footer and background. */
  page = '';
  pages = '';
  /** Values of `{{signature.signer}}` etc., in a signature field. */
  signature: { signer: string; date: string; time: string } | null = null;
  #columnSums: Map<string, string> | null = null;

  constructor(values: FieldValues) {
    this.values = values;
  }

  /** Whether all conditions of a node hold. */
  holds(conditions: readonly Condition[]): boolean {
    for (const condition of conditions) {
      if (this.#isFulfilled(condition) !== condition.present) return false;
    }
    return true;
  }

  /** The number of rows of a table, or of entries of a list; 0 when it is absent. */
  rowCount(field: number): number {
    const value = this.values[field];
    if (value?.type === 'table') return value.rows.length;
    return isRepeatedOver(value) ? this.#endOf(value) - this.#startOf(value) : 0;
  }

  /** The rows of a table or of a list's entries, in the order of `forEach`. */
  rowsOf(field: number): readonly (readonly string[])[] {
    const value = this.values[field];
    if (value?.type === 'table') return value.rows;
    if (!isRepeatedOver(value)) return [];
    const [start, end] = [this.#startOf(value), this.#endOf(value)];
    if (value.type === 'list') return value.rows.slice(start, end);
    const entries = this.values[value.list];
    const rows = entries?.type === 'list' ? entries.rows : [];
    return value.order.slice(start, end).map((entry) => rows[entry] ?? []);
  }

  /**
   * An unformatted number: the value of a field, or a value of the list entry at which `each` is
   * now.
   */
  numberAt(place: OpeningBalance): string {
    if ('list' in place) return this.#cellOf(place.list, place.column) ?? '';
    const value = this.values[place.field];
    return value?.type === 'number' ? value.raw : '';
  }

  /**
   * Calls `visit` with the scope at each row of a table, or at each entry of a list, in turn. What
   * it is called with is what `goTo` takes.
   */
  forEach(field: number, visit: (index: number) => void): void {
    const value = this.values[field];
    if (value?.type === 'table') {
      const outer = this.row;
      for (let index = 0; index < value.rows.length; index++) {
        this.row = value.rows[index] ?? null;
        visit(index);
      }
      this.row = outer;
    } else if (isRepeatedOver(value)) {
      const entries = this.#entries;
      const end = this.#endOf(value);
      while (entries.length <= field) entries.push(-1);
      for (let index = this.#startOf(value); index < end; index++) {
        this.#enter(field, value, index);
        visit(index);
      }
      this.#enter(field, value, -1);
    }
  }

  /** Enters the row or entry of the `each` over a field for which `forEach` gave this index. */
  goTo(field: number, index: number): void {
    const value = this.values[field];
    if (value?.type === 'table') this.row = value.rows[index] ?? null;
    else if (isRepeatedOver(value)) this.#enter(field, value, index);
  }

  /** Whether a field is a view of a list, made by the one `each` that goes over it. */
  isView(field: number): boolean {
    return this.values[field]?.type === 'view';
  }

  /** Goes to an entry; in a view, to that of its list, too. -1: to none. */
  #enter(field: number, value: ListValue | ViewValue, index: number): void {
    this.#entries[field] = index;
    if (value.type === 'view') this.#entries[value.list] = value.order[index] ?? -1;
  }

  /** The rows and entries that the scope is at, to return to later. */
  get place(): DataPlace {
    return { row: this.row, entries: this.#entries.slice() };
  }

  set place({ row, entries }: DataPlace) {
    this.row = row;
    this.#entries = entries.slice();
  }

  #startOf({ parent, starts }: ListValue | ViewValue): number {
    if (parent < 0) return 0;
    return starts[this.#entries[parent] ?? -1] ?? 0;
  }

  #endOf({ parent, starts, rows }: ListValue | ViewValue): number {
    if (parent < 0) return rows.length;
    const at = this.#entries[parent] ?? -1;
    return at < 0 ? 0 : (starts[at + 1] ?? rows.length);
  }

  /** A cell of the entry that the `each` over a list is at; null: it is at none. */
  #cellOf(list: number, column: number): string | null {
    const value = this.values[list];
    if (!isRepeatedOver(value)) return null;
    return value.rows[this.#entries[list] ?? -1]?.[column] ?? null;
  }

  /** A text with its bindings filled in. */
  text(template: TextTemplate): string {
    if (template.length === 1) {
      const only = template[0];
      return only === undefined ? '' : this.part(only);
    }
    let text = '';
    for (const part of template) text += this.part(part);
    return text;
  }

  part(part: TextPart): string {
    switch (part.kind) {
      case 'static':
        return part.text;
      case 'field': {
        const value = this.values[part.field];
        return value !== null && value !== undefined && 'display' in value ? value.display : '';
      }
      case 'formatted': {
        const raw = rawOf(this.values[part.field] ?? null);
        return raw === null ? '' : part.format(raw);
      }
      case 'cell': {
        const cell = this.row?.[part.column] ?? '';
        return part.format === null ? cell : part.format(cell);
      }
      case 'entry': {
        const cell = this.#cellOf(part.field, part.column) ?? '';
        return part.format === null || cell === '' ? cell : part.format(cell);
      }
      case 'sum':
        return this.sums === null ? '' : part.format(this.sums.decimal(part.sum));
      case 'columnSum':
        return this.#columnSum(part);
      case 'page':
        return this.page;
      case 'pages':
        return this.pages;
      case 'signature': {
        const shown = this.signature?.[part.shows] ?? '';
        return part.format === null ? shown : part.format(shown);
      }
    }
  }

  /**
   * The text of a part for an embedded file: text fields keep the control characters they came
   * with.
   */
  partAsSent(part: TextPart): string {
    const value = part.kind === 'field' ? this.values[part.field] : null;
    return (value?.type === 'text' ? value.sent : undefined) ?? this.part(part);
  }

  /**
   * The text of a part as programs read it: numbers and sums as plain decimals, days as YYYY-MM-DD,
   * other values as they were sent.
   */
  plainPart(part: TextPart): string {
    switch (part.kind) {
      case 'field': {
        const value = this.values[part.field] ?? null;
        return (value?.type === 'text' ? value.sent : undefined) ?? rawOf(value) ?? '';
      }
      case 'columnSum':
        return this.#sumOf(part) ?? '';
      case 'static':
      case 'formatted':
      case 'cell':
      case 'entry':
      case 'sum':
      case 'page':
      case 'pages':
      case 'signature':
        return this.part(part);
    }
  }

  #columnSum(part: ColumnSumPart): string {
    const sum = this.#sumOf(part);
    return sum === null ? '' : part.format(sum);
  }

  /** Sums each column once per document, because its sum may stand on every page. */
  #sumOf({ field, column }: ColumnSumPart): string | null {
    const value = this.values[field];
    if (value?.type !== 'table') return null;
    const key = `${field}.${column}`;
    this.#columnSums ??= new Map();
    let sum = this.#columnSums.get(key);
    if (sum === undefined) {
      sum = sumColumn(value.rows, column);
      this.#columnSums.set(key, sum);
    }
    return sum;
  }

  /** What a condition would print of no entry is unknown, so that such a condition holds. */
  #isFulfilled(condition: Condition): boolean {
    if ('field' in condition) return this.#isPresent(condition.field);
    const cell = this.#cellOf(condition.list, condition.column);
    return cell === null ? condition.present : cell !== '';
  }

  #isPresent(field: number): boolean {
    const value = this.values[field];
    if (value === null || value === undefined) return false;
    if (isRepeatedOver(value)) return this.#endOf(value) > this.#startOf(value);
    return value.type !== 'table' || value.rows.length > 0;
  }
}

/** A list, or a view of one. */
function isRepeatedOver(value: FieldValue | null | undefined): value is ListValue | ViewValue {
  return value?.type === 'list' || value?.type === 'view';
}

/** A value before its field's own format; null for one that has no text. */
function rawOf(value: FieldValue | null): string | null {
  return value !== null && 'display' in value ? (value.raw ?? value.display) : null;
}

/** Whether a text is the same for every document and page. */
export function isStaticText(template: TextTemplate): boolean {
  return template.every((part) => part.kind === 'static');
}

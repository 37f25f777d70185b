import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { Condition, StatementSum, TextPart, TextTemplate } from '../model/nodes.ts';
import { sumColumn } from '../contract/format/amount.ts';

/** Sums of a statement table as texts, before formatting. */
export interface SumSource {
  /** Index of the table field. */
  readonly field: number;
  /** Number of rows that are summed. */
  count: number;
  decimal(sum: StatementSum): string;
}

type ColumnSumPart = Extract<TextPart, { kind: 'columnSum' }>;

/** Values for bindings: those of the document, and those of the place that is being filled in. */
export class DataScope {
  readonly values: FieldValues;
  /** The row of the nearest `each`. */
  row: readonly string[] | null = null;
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
      if (this.#isPresent(condition.field) !== condition.present) return false;
    }
    return true;
  }

  /** Rows of a table field; none when it is absent. */
  rows(field: number): readonly (readonly string[])[] {
    const value = this.values[field];
    return value?.type === 'table' ? value.rows : NO_ROWS;
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

  #isPresent(field: number): boolean {
    const value = this.values[field];
    if (value === null || value === undefined) return false;
    return value.type !== 'table' || value.rows.length > 0;
  }
}

/** A value before its field's own format; null for one that has no text. */
function rawOf(value: FieldValue | null): string | null {
  return value !== null && 'display' in value ? (value.raw ?? value.display) : null;
}

const NO_ROWS: readonly (readonly string[])[] = [];

/** Whether a text is the same for every document and page. */
export function isStaticText(template: TextTemplate): boolean {
  return template.every((part) => part.kind === 'static');
}

import { entryAt } from '../../../errors.ts';
import { isAmount } from '../../contract/format/amount.ts';
import { printsFigures } from '../../contract/format/formats.ts';
import type { Reason } from '../../contract/reasons.ts';
import type { FieldDescriptor, FieldValues } from '../../contract/types.ts';
import type { CompiledTemplate, TextPart, TextTemplate } from '../../model/nodes.ts';
import type { DataScope } from '../scope.ts';
import { looksLikeAmount } from './look.ts';

/**
 * Amounts are words: sign, prefix, digits and suffix stay on one line, whatever stands in them. Here
 * they are found while the text of a document is filled in; lines are then built around them
 * (`text/`), and one that is wider than its line is made smaller (`fit.ts`).
 */

/** An amount in a text or in an atom: UTF-16 units `from` to `to`, without outer spaces. */
export interface Amount {
  readonly from: number;
  readonly to: number;
  readonly source: AmountSource;
}

/** Where an amount comes from, to name the field of one that does not fit. */
export interface AmountSource {
  readonly policy: AmountPolicy;
  /** Index of the field; -1: the table field that has `row`. */
  readonly field: number;
  readonly row: readonly string[] | null;
}

/** An amount or a code that was printed smaller, or would have had to be. */
export interface NarrowedAmount {
  readonly neededPt: number;
  readonly roomPt: number;
  /** Whether it fits its place in a smaller size. */
  readonly isPrinted: boolean;
  /** The width of a module before the code was made smaller; null for an amount. */
  readonly modulePt: number | null;
}

/** A header or footer whose texts and codes end beyond its margin. Heights are in points from its top. */
export interface OverfullElement {
  readonly role: 'header' | 'footer';
  readonly textEndPt: number;
  /** Where they would end with the shortest values. */
  readonly leastEndPt: number;
  readonly roomPt: number;
}

/** The place for which a document was refused, and why. */
export interface RefusedPlace {
  readonly path: string;
  readonly reason: Reason;
}

/** An amount is made smaller down to this share of its size. */
const LEAST_SCALE = 0.6;

/** How a template prints amounts, and how those of its last document came out. */
export class AmountPolicy {
  /** Least share of its size that an amount is printed in; 1: it is never made smaller. */
  readonly leastScale: number;
  /** By path of the node: the amount or code that was made smaller most. Emptied before each document. */
  readonly narrowed = new Map<string, NarrowedAmount>();
  /** By path of the node: the width in points of the narrowest modules of the last document's codes. */
  readonly smallModules = new Map<string, number>();
  /** By path of the node: how far lines of the last document reached beyond their places. */
  readonly beyond = new Map<string, number>();
  /** By path of the node: the headers and footers of the last document that are higher than their margins. */
  readonly overfull = new Map<string, OverfullElement>();
  /** Set when the last document was refused because a value does not fit its place. */
  refusedPlace: RefusedPlace | null = null;
  /** By field: whether it prints a number in figures. */
  readonly #printsFigures: readonly boolean[];
  /** By field: whether it prints a text, which may look like an amount. */
  readonly #printsText: readonly boolean[];

  /** By column: the table fields that are summed there. */
  readonly #summed: (number[] | undefined)[] = [];
  /** Then every row is one of its rows. */
  readonly #hasOneTable: boolean;

  constructor({
    wideAmount,
    fields,
    amountColumns,
  }: Pick<CompiledTemplate, 'wideAmount' | 'fields' | 'amountColumns'>) {
    this.#hasOneTable = fields.filter(({ type }) => type === 'table').length === 1;
    for (const { field, column } of amountColumns) (this.#summed[column] ??= []).push(field);
    this.leastScale = wideAmount === 'reject' ? 1 : LEAST_SCALE;
    this.#printsFigures = fields.map(isInFigures);
    this.#printsText = fields.map(({ type }) => type === 'text');
  }

  /** How each part of a text is told from amounts; null: the text holds none. */
  checksOf(template: TextTemplate): readonly AmountCheck[] | null {
    const checks = template.map((part) => this.#checkOf(part));
    return checks.every((check) => check === 'never') ? null : checks;
  }

  /** Whether a text is one number in figures and nothing else. */
  isFigures(template: TextTemplate): boolean {
    const [only, more] = template;
    if (only === undefined || more !== undefined) return false;
    return 'format' in only
      ? only.format !== null && printsFigures(only.format)
      : this.#checkOf(only) !== 'never';
  }

  /** Whether all bindings of a text print numbers in figures. */
  printsOnlyFigures(template: TextTemplate): boolean {
    return template.every((part) => {
      if (part.kind === 'field') return this.#printsFigures[part.field] === true;
      return part.kind === 'static' || this.#checkOf(part) === 'always';
    });
  }

  /** Whether a cell of digits is added up: elsewhere it may be an account number. */
  isSummed(part: TextPart, { row, values }: DataScope): boolean {
    if (part.kind !== 'cell' || row === null || !isAmount(row[part.column] ?? '')) return false;
    if (this.#hasOneTable) return true;
    return (this.#summed[part.column] ?? []).some((field) => {
      const value = values[field];
      return value?.type === 'table' && value.rows.includes(row);
    });
  }

  #checkOf(part: TextPart): AmountCheck {
    switch (part.kind) {
      case 'field':
        if (this.#printsFigures[part.field] === true) return 'always';
        return this.#printsText[part.field] === true ? 'look' : 'never';
      case 'cell':
        if (part.format === null) return this.#summed[part.column] ? 'summed' : 'look';
        return printsFigures(part.format) ? 'cell' : 'never';
      case 'entry':
        if (part.format !== null) return printsFigures(part.format) ? 'always' : 'never';
        if (isInFigures(part.of)) return 'always';
        return part.of.type === 'text' ? 'look' : 'never';
      case 'formatted':
      case 'sum':
      case 'columnSum':
        return printsFigures(part.format) ? 'always' : 'never';
      case 'static':
      case 'page':
      case 'pages':
      case 'signature':
        return 'never';
    }
  }
}

/** Whether a field prints a number in figures. */
function isInFigures({ type, format }: Pick<FieldDescriptor, 'type' | 'format'>): boolean {
  return type === 'number' && format?.words !== true && format?.style === undefined;
}

/**
 * What the template alone says about a part of a text: it is an amount, or is not, or is one if its
 * text looks so, or if its cell is one (`isNumber`) or is summed.
 */
export type AmountCheck = 'always' | 'never' | 'look' | 'cell' | 'summed';

/** Whether a part, filled in as `text`, is an amount. */
function isAmountPart(
  check: AmountCheck,
  part: TextPart,
  text: string,
  scope: DataScope,
  policy: AmountPolicy,
): boolean {
  switch (check) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'look':
      return looksLikeAmount(text);
    case 'cell':
      return isNumber(part.kind === 'cell' ? (scope.row?.[part.column] ?? '') : '', text);
    case 'summed':
      return looksLikeAmount(text) || policy.isSummed(part, scope);
  }
}

/** Whether a cell with a format of numbers was printed as one, or is printed as sent and looks so. */
function isNumber(cell: string, text: string): boolean {
  return isAmount(cell) || text !== cell || looksLikeAmount(text);
}

/** A text with its bindings filled in, and the amounts in it, in order; null: none. */
export interface FilledText {
  readonly text: string;
  readonly amounts: readonly Amount[] | null;
}

const SPACE = 0x20;

/** Fills in a text that may hold amounts; `checks` are those of its parts. */
export function fillText(
  template: TextTemplate,
  checks: readonly AmountCheck[],
  scope: DataScope,
  policy: AmountPolicy,
): FilledText {
  let text = '';
  let amounts: Amount[] | null = null;
  for (let index = 0; index < template.length; index++) {
    const part = entryAt(template, index);
    const printed = scope.part(part);
    if (printed !== '' && isAmountPart(checks[index] ?? 'never', part, printed, scope, policy)) {
      amounts ??= [];
      addAmount(amounts, printed, text.length, sourceOf(part, scope, policy));
    }
    text += printed;
  }
  return { text, amounts };
}

/** The amount that a text of only one part is, filled in as `text`; null: it is none. */
export function amountsOfPart(
  part: TextPart,
  check: AmountCheck,
  text: string,
  scope: DataScope,
  policy: AmountPolicy,
): readonly Amount[] | null {
  if (text === '' || !isAmountPart(check, part, text, scope, policy)) return null;
  const amounts: Amount[] = [];
  addAmount(amounts, text, 0, sourceOf(part, scope, policy));
  return amounts;
}

/** Adds the amount that a part, filled in as `printed`, is at `start` of a text. */
function addAmount(amounts: Amount[], printed: string, start: number, source: AmountSource): void {
  let from = 0;
  let to = printed.length;
  while (to > from && printed.charCodeAt(to - 1) === SPACE) to--;
  while (from < to && printed.charCodeAt(from) === SPACE) from++;
  if (from < to) amounts.push({ from: start + from, to: start + to, source });
}

function sourceOf(part: TextPart, { row, sums }: DataScope, policy: AmountPolicy): AmountSource {
  if ('field' in part) return { policy, field: part.field, row: null };
  if (part.kind === 'sum') return { policy, field: sums?.field ?? -1, row: null };
  return { policy, field: -1, row };
}

/** The index of the field that an amount comes from; -1 if it comes from none. */
export function fieldOf({ field, row }: AmountSource, values: FieldValues): number {
  if (field >= 0 || row === null) return field;
  return values.findIndex((value) => value?.type === 'table' && value.rows.includes(row));
}

/** The amounts that lie in `from` to `to` of a text, as parts of that piece; null: none. */
export function amountsIn(
  amounts: readonly Amount[] | null,
  from: number,
  to: number,
): readonly Amount[] | null {
  if (amounts === null) return null;
  const inside = amounts.filter((amount) => amount.from >= from && amount.to <= to);
  if (inside.length === 0) return null;
  if (from === 0) return inside;
  return inside.map((one) => ({ ...one, from: one.from - from, to: one.to - from }));
}

/** Whether a text may not be split at `at`, because an amount stands on both sides. */
export function splitsAmount(amounts: readonly Amount[] | null, at: number): boolean {
  return amounts !== null && amounts.some(({ from, to }) => from < at && at < to);
}

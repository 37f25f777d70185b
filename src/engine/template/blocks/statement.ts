import { compileCellFormatter } from '../../contract/format/formats.ts';
import { isList } from '../../contract/nested/flatten.ts';
import type { FieldFormat } from '../../contract/types.ts';
import { languageOf } from '../fields/bindings.ts';
import { checkIsObject, checkObject, isAbsent } from '../vocabulary/check.ts';
import type { Context, CompileScope } from '../context.ts';
import type { Entries } from '../fields/entries.ts';
import { checkFormat } from '../fields/format.ts';
import { STATEMENT_KEYS } from '../vocabulary/keys.ts';
import type { Node, Statement, TableRow } from '../../model/nodes.ts';
import type { OpeningBalance } from '../../model/printed.ts';
import { childrenOf } from '../../model/nodes.ts';
import { compileRow, RowGrid } from './rows.ts';

/** A statement table, and the scope in which its sums may be bound. */
interface CompiledStatement {
  readonly statement: Statement | null;
  readonly scope: CompileScope;
}

const AMOUNT_FORMAT = { decimals: 2, thousandsSeparator: true } as const;

export function compileStatement(
  source: unknown,
  columnCount: number,
  path: string,
  context: Context,
  outer: CompileScope,
): CompiledStatement {
  if (source === undefined) return { statement: null, scope: outer };
  const { findings, fields } = context;
  const language = languageOf(outer, context);
  const object = checkIsObject(source, path, findings) ?? {};
  const own = checkObject(object, path, STATEMENT_KEYS, findings);
  const format =
    own.format === undefined
      ? AMOUNT_FORMAT
      : checkFormat(own.format, `${path}.format`, language, findings);
  const sums = sumFormatters(format ?? AMOUNT_FORMAT, language);
  const scope: CompileScope = { ...outer, sums, pageSums: false };
  if (isAbsent(object['each'])) {
    const message = 'A statement needs "each": the table or list whose amounts it sums.';
    findings.error(path, message);
  }
  if (isAbsent(object['credit']) && isAbsent(object['debit'])) {
    const message =
      'A statement needs "credit" or "debit": a column of the table, from 0, or the name of a ' +
      'number field of the list’s entries.';
    findings.error(path, message);
  }
  const field =
    own.each === undefined ? null : fields.bindSummed(own.each, `${path}.each`, outer.entries);
  const opening =
    own.opening === undefined
      ? null
      : bindOpening(own.opening, `${path}.opening`, context, outer.entries);
  const row = (key: 'broughtForward' | 'carriedForward' | 'pageTotal'): TableRow | null => {
    if (own[key] === undefined) return null;
    const grid = new RowGrid(columnCount, 1);
    const compiled = compileRow(own[key], `${path}.${key}`, grid, context, {
      ...scope,
      pageSums: true,
      room: null,
    });
    const repeated = repeatedIn(compiled);
    if (repeated !== null) findings.error(`${repeated}.each`, REPEATED);
    return compiled;
  };
  const rows = {
    broughtForward: row('broughtForward'),
    carriedForward: row('carriedForward'),
    pageTotal: row('pageTotal'),
  };
  if (field === null) return { statement: null, scope };
  const creditColumn = bindColumn(field, own.credit, `${path}.credit`, context);
  const debitColumn = bindColumn(field, own.debit, `${path}.debit`, context);
  return { statement: { field, opening, creditColumn, debitColumn, ...rows }, scope };
}

/**
 * Makes the balance follow the printed order: if the rows of the table repeat over a filtered,
 * sorted or grouped view of the list, the statement sums that view instead of the list.
 */
export function overShownEntries(
  statement: Statement | null,
  rows: readonly TableRow[],
  { fields }: Context,
): Statement | null {
  if (statement === null) return null;
  const { field } = statement;
  const shown = rows.find(({ each }) => each !== null && fields.viewed(each) === field);
  return { ...statement, field: shown?.each ?? field };
}

/** The column that is summed. Null if `source` is undefined, or wrong, which a finding reports. */
function bindColumn(
  field: number,
  source: number | string | undefined,
  path: string,
  { fields, findings, amountColumns }: Context,
): number | null {
  if (source === undefined) return null;
  if (isList(fields.descriptor(field))) {
    if (typeof source === 'string') return fields.bindAmount(field, source, path);
    findings.error(path, 'A list has no columns: name a number field of its entries.');
    return null;
  }
  if (typeof source === 'number') {
    amountColumns.add(field, source, path);
    return source;
  }
  findings.error(path, 'A table has no names of columns: give the number of the column, from 0.');
  return null;
}

function bindOpening(
  name: string,
  path: string,
  { fields, findings }: Context,
  entries: Entries,
): OpeningBalance | null {
  if (!fields.isEntryPath(name, entries)) {
    if (fields.reportOfEntry(name, path, entries)) return null;
    const field = fields.bind(name, path, ['number'], 'an opening balance');
    return field === null ? null : { field };
  }
  const bound = fields.bindEntry(name, path, entries);
  if (bound === null) return null;
  if (bound.of.type === 'number') {
    fields.markRaw(bound.list);
    return { list: bound.list, column: bound.rawColumn };
  }
  const quoted = JSON.stringify(name);
  findings.error(path, `${quoted} is of type ${bound.of.type}; an opening balance needs number.`);
  return null;
}

/** Each page end draws these rows, so their work must not grow with the rows of a table. */
const REPEATED = 'A row with sums stands on every page; it cannot repeat anything. Remove "each".';

/** The path of what is repeated in a row, or the row itself; null: nothing is. */
function repeatedIn({ each, path, cells }: TableRow): string | null {
  if (each !== null) return path;
  for (const cell of cells) {
    const found = cell === null ? null : repeatedInside(cell.node);
    if (found !== null) return found;
  }
  return null;
}

function repeatedInside(node: Node): string | null {
  const isRepeated =
    (node.kind === 'text' && node.runs.some(({ each }) => each !== null)) || node.each !== null;
  if (isRepeated) return node.path;
  if (node.kind === 'table') {
    const row = node.rows.find(({ each }) => each !== null);
    if (row !== undefined) return row.path;
  }
  for (const child of childrenOf(node)) {
    const found = repeatedInside(child);
    if (found !== null) return found;
  }
  return null;
}

/** Amounts as the format says; rows are counted in the same digits. */
function sumFormatters(format: FieldFormat, language: string): NonNullable<CompileScope['sums']> {
  const { digits = 'latin' } = format;
  const whole = { decimals: 0, thousandsSeparator: true, digits };
  return {
    amount: compileCellFormatter(format, language, 'number'),
    count: compileCellFormatter(whole, language, 'number'),
  };
}

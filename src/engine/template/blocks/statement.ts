import { compileCellFormatter } from '../../contract/format/formats.ts';
import type { FieldFormat } from '../../contract/types.ts';
import { languageOf } from '../fields/bindings.ts';
import { checkIsObject, checkObject, isAbsent } from '../vocabulary/check.ts';
import type { Context, CompileScope } from '../context.ts';
import { checkFormat } from '../fields/format.ts';
import { STATEMENT_KEYS } from '../vocabulary/keys.ts';
import type { Node, Statement, TableRow } from '../../model/nodes.ts';
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
    findings.error(path, 'A statement needs "each": the table field whose rows it sums.');
  }
  if (isAbsent(object['credit']) && isAbsent(object['debit'])) {
    findings.error(path, 'A statement needs "credit" or "debit": the column (from 0) it sums.');
  }
  const field =
    own.each === undefined ? null : fields.bind(own.each, `${path}.each`, ['table'], 'a statement');
  const opening =
    own.opening === undefined
      ? null
      : fields.bind(own.opening, `${path}.opening`, ['number'], 'an opening balance');
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
  const creditColumn = own.credit ?? null;
  const debitColumn = own.debit ?? null;
  if (creditColumn !== null) context.amountColumns.add(field, creditColumn);
  if (debitColumn !== null) context.amountColumns.add(field, debitColumn);
  return { statement: { field, opening, creditColumn, debitColumn, ...rows }, scope };
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

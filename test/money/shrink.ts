import type { StatementCase, TableCase } from './statement-case.ts';

/** Tries simpler forms of a case as long as one of them still fails. */
export async function shrink(
  failing: StatementCase,
  fails: (wanted: StatementCase) => Promise<boolean>,
): Promise<StatementCase> {
  let simplest = failing;
  for (let tries = 0; tries < TRIES_MAX;) {
    let found = false;
    for (const simpler of simplerCases(simplest)) {
      if (tries++ >= TRIES_MAX) break;
      if (!(await fails(simpler))) continue;
      simplest = simpler;
      found = true;
      break;
    }
    if (!found) break;
  }
  return simplest;
}

const TRIES_MAX = 600;

function* simplerCases(wanted: StatementCase): Generator<StatementCase> {
  const { tables, introLines, outroLines } = wanted;
  if (tables.length > 1) {
    for (const table of tables) yield { ...wanted, container: 'content', tables: [table] };
  }
  if (wanted.container !== 'content') yield { ...wanted, container: 'content' };
  if (wanted.letterhead) yield { ...wanted, letterhead: false };
  for (const fewer of smaller(introLines)) yield { ...wanted, introLines: fewer };
  if (outroLines > 0) yield { ...wanted, outroLines: 0 };
  for (const [index, table] of tables.entries()) {
    for (const simpler of simplerTables(table)) {
      yield { ...wanted, tables: tables.with(index, simpler) };
    }
  }
  if (wanted.fontSize !== 10) yield { ...wanted, fontSize: 10 };
  if (wanted.width !== 700) yield { ...wanted, width: 700 };
  if (wanted.margins.join() !== '20,20,20,20') yield { ...wanted, margins: [20, 20, 20, 20] };
  for (const height of smaller(Math.ceil(wanted.height), 60)) yield { ...wanted, height };
}

/** Smaller whole numbers, from the boldest step to the smallest. */
function smaller(value: number, least = 0): number[] {
  const steps = [value - least, Math.floor((value - least) / 2), 10, 1];
  return [...new Set(steps.filter((step) => step > 0 && value - step >= least))].map(
    (step) => value - step,
  );
}

function* simplerTables(table: TableCase): Generator<TableCase> {
  yield* fewerRows(table);
  for (const key of ['before', 'after', 'aside', 'rowPt', 'headerRows'] as const) {
    for (const fewer of smaller(table[key])) yield { ...table, [key]: fewer };
  }
  for (const key of ['keepWithHeaderRows', 'keepRowsAtStart', 'keepRowsAtEnd'] as const) {
    for (const fewer of smaller(table[key])) yield { ...table, [key]: fewer };
  }
  for (const key of ['dontBreakRows', 'joined', 'formatted'] as const) {
    if (table[key]) yield { ...table, [key]: false };
  }
  for (const [index, width] of table.widths.entries()) {
    const simpler = index === 1 ? '*' : 120;
    if (width !== simpler) yield { ...table, widths: table.widths.with(index, simpler) };
  }
  if (table.layout !== 'noBorders') yield { ...table, layout: 'noBorders' };
  const { statement } = table;
  if (statement === null) return;
  for (const key of ['brought', 'carried', 'total'] as const) {
    const row = statement[key];
    if (row === null) continue;
    yield { ...table, statement: { ...statement, [key]: null } };
    const simpler = { ...row, bold: false, label: 'sum', span: 1 };
    if (JSON.stringify(simpler) !== JSON.stringify(row)) {
      yield { ...table, statement: { ...statement, [key]: simpler } };
    }
  }
  if (statement.opening !== null) yield { ...table, statement: { ...statement, opening: null } };
  if (statement.prefix !== '') yield { ...table, statement: { ...statement, prefix: '' } };
  if (statement.decimals !== 2) yield { ...table, statement: { ...statement, decimals: 2 } };
}

function* fewerRows(table: TableCase): Generator<TableCase> {
  const { rows } = table;
  for (
    let size = Math.ceil(rows.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let start = 0; start < rows.length; start += size) {
      yield { ...table, rows: rows.toSpliced(start, size) };
    }
  }
  const plain = { text: '', debit: '', credit: '1.00' };
  for (const [index, row] of rows.entries()) {
    const isPlain = Object.entries(plain).every(([key, value]) => row[key as 'text'] === value);
    if (!isPlain) yield { ...table, rows: rows.with(index, plain) };
    if (row.text !== '') yield { ...table, rows: rows.with(index, { ...row, text: '' }) };
  }
}

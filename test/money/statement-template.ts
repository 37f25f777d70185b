import { colorFor } from './statement-case.ts';
import type { Role, StatementCase, SumRowCase, SumsCase, TableCase } from './statement-case.ts';

/** Between the columns that a table snakes through. */
export const SNAKE_GAP_PT = 20;

type Json = Readonly<Record<string, unknown>>;

export interface Document {
  readonly template: Json;
  readonly data: Json;
}

/** The template and the data of a case. */
export function makeDocument(wanted: StatementCase): Document {
  const fields: Json[] = [];
  const data: Record<string, unknown> = {};
  wanted.tables.forEach((table, index) => {
    fields.push({ name: `rows${index}`, type: 'table' });
    data[`rows${index}`] = table.rows.map(({ text, debit, credit }, row) => [
      `#${row + 1}`,
      text,
      debit,
      credit,
    ]);
    fields.push({ name: `aside${index}`, type: 'table' });
    data[`aside${index}`] = Array.from({ length: table.aside }, (_, row) => [`C${row + 1}`]);
    const opening = table.statement?.opening ?? null;
    if (opening === null) return;
    fields.push({ name: `opening${index}`, type: 'number' });
    data[`opening${index}`] = opening;
  });
  const [left, , right] = wanted.margins;
  const document = {
    pageSize: { width: wanted.width, height: wanted.height },
    pageMargins: wanted.margins,
    defaultStyle: { fontSize: wanted.fontSize },
    header: sumLine(wanted, [left, 2, right, 0]),
    footer: {
      text: 'Page {{page}} of {{pages}}',
      color: color('pageFooter', 0, 0),
      fontSize: 7,
      margin: [left, 2, right, 0],
    },
    ...(wanted.letterhead ? { background: letterhead(wanted) } : {}),
    content: content(wanted),
  };
  return { template: { templateId: 'audited', fields, document }, data };
}

/** A header that prints the sum of the first table's credits on every page. */
function sumLine(wanted: StatementCase, margin: readonly number[]): unknown {
  if (wanted.margins[1] < 14 || wanted.tables.length === 0) return null;
  return {
    text: 'Sum {{sum rows0.3}}',
    format: { decimals: 2, thousandsSeparator: true },
    color: color('pageHeader', 0, 0),
    fontSize: 7,
    margin,
  };
}

function letterhead(wanted: StatementCase): unknown {
  const { width, height } = wanted;
  const rect = { type: 'rect', x: 4, y: 4, w: width - 8, h: height - 8, lineWidth: 0.5 };
  return { first: { canvas: [rect] }, rest: { canvas: [{ ...rect, lineWidth: 2 }] } };
}

function color(role: Role, table: number, column: number): string {
  return `#${colorFor(role, table, column).toString(16).padStart(6, '0')}`;
}

function lines(count: number, word: string): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    text: `${word} ${index + 1}`,
    color: color('around', 0, 0),
  }));
}

function content(wanted: StatementCase): unknown {
  const intro = lines(wanted.introLines, 'Intro');
  const outro = lines(wanted.outroLines, 'Outro');
  const tables = wanted.tables.map((table, index) => tableNode(table, index));
  switch (wanted.container) {
    case 'content':
      return [...intro, ...tables, ...outro];
    case 'stack':
      return [{ stack: [...intro, { stack: tables, margin: [0, 3] }] }, ...outro];
    case 'column': {
      const side = { width: 60, stack: lines(wanted.introLines + wanted.outroLines, 'Side') };
      return [...intro, { columns: [{ width: '*', stack: tables }, side] }, ...outro];
    }
    case 'list':
      return [...intro, { ul: [...tables, 'End of the list'] }, ...outro];
    case 'cell':
      return [...intro, { table: { widths: ['*'], body: [[{ stack: tables }]] } }, ...outro];
    case 'heading': {
      const heading = { text: 'Heading', color: color('around', 0, 0), keepWithNext: true };
      return [...intro, ...tables.flatMap((table) => [heading, table]), ...outro];
    }
    case 'snaking': {
      const width = (wanted.width - wanted.margins[0] - wanted.margins[2] - SNAKE_GAP_PT) / 2;
      const columns = [
        { width, stack: [...intro, ...tables, ...outro] },
        { width, text: '' },
      ];
      return [{ columnGap: SNAKE_GAP_PT, snakingColumns: true, columns }];
    }
    case 'newPage':
      return [...intro, { stack: tables, pageBreak: 'before' }, ...outro];
    case 'section':
      return ['Cover', { section: { stack: [...intro, ...tables, ...outro] } }];
    case 'twoColumns':
      return [
        ...intro,
        { columns: tables.map((stack) => ({ width: '*', stack: [stack] })) },
        ...outro,
      ];
  }
}

function tableNode(table: TableCase, index: number): unknown {
  const { statement, keepRowsAtStart, keepRowsAtEnd } = table;
  return {
    table: {
      widths: table.widths,
      ...(table.rowPt > 0 ? { heights: table.rowPt } : {}),
      headerRows: table.headerRows,
      keepWithHeaderRows: table.keepWithHeaderRows,
      dontBreakRows: table.dontBreakRows,
      ...(keepRowsAtStart > 0 ? { keepRowsAtStart } : {}),
      ...(keepRowsAtEnd > 0 ? { keepRowsAtEnd } : {}),
      ...(statement === null ? {} : { statement: statementKey(statement, index) }),
      body: body(table, index),
    },
    layout: table.layout,
  };
}

function body(table: TableCase, index: number): unknown[] {
  const amount = table.formatted
    ? { alignment: 'right', format: { decimals: 2, thousandsSeparator: true } }
    : { alignment: 'right' };
  const entry = (text: string, column: number, keys: Json = {}): Json => ({
    text,
    color: color('entry', index, column),
    ...keys,
  });
  const rows: unknown[] = fixedRows(table.headerRows, 'H', 'header', index, false);
  rows.push(...fixedRows(table.before, 'B', 'before', index, false));
  rows.push({
    each: `rows${index}`,
    cells: [
      entry('{{0}}', 0),
      entry('{{1}}', 1),
      entry('{{2}}', 2, amount),
      entry('{{3}}', 3, amount),
      table.statement === null
        ? entry('{{3}}', 4, amount)
        : entry('{{statement.balance}}', 4, { alignment: 'right' }),
    ],
  });
  rows.push({
    each: `aside${index}`,
    cells: [0, 1, 2, 3, 4].map((column) => ({
      text: column === 0 ? '{{0}}' : 'x',
      color: color('after', index, column),
    })),
  });
  rows.push(...fixedRows(table.after, 'A', 'after', index, table.joined));
  return rows;
}

function fixedRows(
  count: number,
  letter: string,
  role: Role,
  index: number,
  joined: boolean,
): unknown[] {
  return Array.from({ length: count }, (_, row) =>
    [0, 1, 2, 3, 4].map((column) => {
      if (joined && column === 4) return row === 0 ? { text: 'J', rowSpan: count } : {};
      return { text: `${letter}${row + 1}`, color: color(role, index, column) };
    }),
  );
}

function statementKey(sums: SumsCase, index: number): Json {
  const { opening, decimals, prefix, brought, carried, total } = sums;
  const rowOf = (
    row: SumRowCase | null,
    key: string,
    role: Role,
    cells: readonly string[],
  ): Json => (row === null ? {} : { [key]: sumCells(row, role, index, cells) });
  return {
    each: `rows${index}`,
    ...(opening === null ? {} : { opening: `opening${index}` }),
    debit: 2,
    credit: 3,
    format: { decimals, thousandsSeparator: true, ...(prefix === '' ? {} : { prefix }) },
    ...rowOf(brought, 'broughtForward', 'brought', [
      'BF',
      `${brought?.label} {{statement.rows}}`,
      '{{statement.debits}}',
      '{{statement.credits}}',
      '{{statement.balance}}',
    ]),
    ...rowOf(carried, 'carriedForward', 'carried', [
      'CF',
      `${carried?.label} {{statement.rows}} {{statement.pageRows}}`,
      '{{statement.pageDebits}}',
      '{{statement.pageCredits}}',
      '{{statement.balance}}',
    ]),
    ...rowOf(total, 'pageTotal', 'total', [
      'PT',
      `${total?.label} {{statement.pageRows}}`,
      '{{statement.pageDebits}}',
      '{{statement.pageCredits}}',
      '{{statement.balance}}',
    ]),
  };
}

function sumCells(row: SumRowCase, role: Role, index: number, cells: readonly string[]): unknown[] {
  return cells.map((text, column) => {
    const { span } = row;
    if (column > 0 && column < span) return {};
    return {
      text: column === 0 && span > 1 ? `${text} ${cells[1]}` : text,
      color: color(role, index, column),
      fontSize: row.fontSize,
      bold: row.bold,
      ...(column > 1 ? { alignment: 'right' } : {}),
      ...(column === 0 && span > 1 ? { colSpan: span } : {}),
    };
  });
}

/**
 * A document with statement tables, as the auditor thinks of it: what is drawn at random, shrunk
 * and kept. `statement-template.ts` makes its template, `statement-judge.ts` knows what must be printed.
 */
export interface StatementCase {
  readonly width: number;
  readonly height: number;
  /** Left, top, right and bottom. */
  readonly margins: readonly [number, number, number, number];
  readonly fontSize: number;
  readonly introLines: number;
  readonly outroLines: number;
  readonly container: Container;
  readonly letterhead: boolean;
  readonly tables: readonly TableCase[];
}

export const CONTAINERS = [
  'content',
  'stack',
  'column',
  'list',
  'cell',
  'section',
  'twoColumns',
  'heading',
  'newPage',
  'snaking',
] as const;
export type Container = (typeof CONTAINERS)[number];

export type Width = number | '*' | 'auto';

export interface TableCase {
  /** Widths of number, text, debit, credit and balance. */
  readonly widths: readonly Width[];
  readonly layout: unknown;
  readonly headerRows: number;
  readonly keepWithHeaderRows: number;
  readonly keepRowsAtStart: number;
  readonly keepRowsAtEnd: number;
  readonly dontBreakRows: boolean;
  /** Numbers of fixed rows before and after the entries; `joined`: a rowSpan joins those after. */
  readonly before: number;
  readonly after: number;
  readonly joined: boolean;
  /** Number of rows that another `each` makes between the entries and the fixed rows after them. */
  readonly aside: number;
  /** Minimum height of rows; 0 for none. */
  readonly rowPt: number;
  /** Whether amounts are too wide for their columns: they are printed smaller, or refused. */
  readonly narrow: boolean;
  /** null: a plain table. */
  readonly statement: SumsCase | null;
  /** Whether `format` stands beside the amounts; otherwise they are printed as sent. */
  readonly formatted: boolean;
  readonly rows: readonly EntryCase[];
}

export interface SumsCase {
  readonly opening: string | null;
  readonly decimals: number;
  readonly prefix: string;
  readonly brought: SumRowCase | null;
  readonly carried: SumRowCase | null;
  readonly total: SumRowCase | null;
}

export interface SumRowCase {
  /** Columns that the label spans: with 1 it stands in the second column, else in the first. */
  readonly span: number;
  readonly label: string;
  readonly fontSize: number;
  readonly bold: boolean;
}

export interface EntryCase {
  readonly text: string;
  readonly debit: string;
  readonly credit: string;
}

/** What a colour says about the text that has it. */
export const ROLES = [
  'around',
  'header',
  'entry',
  'before',
  'after',
  'brought',
  'carried',
  'total',
  'pageHeader',
  'pageFooter',
] as const;
export type Role = (typeof ROLES)[number];

/** Every cell has a colour that tells its role, table and column, so that no text is mistaken. */
export function colorFor(role: Role, table: number, column: number): number {
  return ((ROLES.indexOf(role) + 1) << 16) | ((table + 1) << 8) | (column + 1);
}

export interface Origin {
  readonly role: Role;
  readonly table: number;
  readonly column: number;
}

export function originOf(color: number): Origin | null {
  const role = ROLES[(color >> 16) - 1];
  if (role === undefined) return null;
  return { role, table: ((color >> 8) & 0xff) - 1, column: (color & 0xff) - 1 };
}

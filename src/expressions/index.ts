import { charge, type Context, excerpt } from './compile/typed.ts';
import { read } from './compile/equality.ts';
import { compileTree } from './compile/compiler.ts';
import { type ExpressionError, Fault, located } from './fault.ts';
import { EXPRESSION_LIMITS } from './limits.ts';
import { type ReadPath, readsOf } from './reads.ts';
import { parse } from './syntax/parser.ts';
import { type Fields, present, type Type } from './types.ts';
import { Day, formatDay, parseDay } from './values/day.ts';
import { Decimal, formatDecimal } from './values/decimal.ts';
import { ownField, type RecordValue, type Result, type Value } from './values/value.ts';

export type { ExpressionError } from './fault.ts';
export { EXPRESSION_LIMITS } from './limits.ts';
export {
  BOOLEAN,
  DATE,
  describeType,
  join,
  listOf,
  NULL,
  NUMBER,
  optional,
  recordOf,
  TEXT,
  UNKNOWN,
} from './types.ts';
export type { Fields, Type } from './types.ts';
export { EXISTENCE } from './reads.ts';
export type { ReadPath } from './reads.ts';
export type { RecordValue, Result } from './values/value.ts';

/** Whether a text is a day as YYYY-MM-DD, in the years 1 to 9999. */
export function isDay(text: string): boolean {
  return parseDay(text) !== null;
}

/** What an evaluation gives, and how many steps it took. */
export type Evaluation =
  | { readonly ok: true; readonly value: Result; readonly steps: number }
  | { readonly ok: false; readonly error: ExpressionError; readonly steps: number };

/** A compiled expression; it may be evaluated any number of times. */
export interface Expression {
  readonly ok: true;
  readonly type: Type;
  /** What it reads of the scope. */
  readonly reads: readonly ReadPath[];
  /** The source as messages quote it: in backticks, and shortened. */
  readonly excerpt: string;
  /**
   * Evaluates with the values of the scope: numbers and dates are texts, as in the data of a
   * document. Never throws for what values contain.
   */
  readonly evaluate: (values: RecordValue, stepsMax?: number) => Evaluation;
}

/** The defects of a source, by their place. */
export interface Refusal {
  readonly ok: false;
  readonly errors: readonly ExpressionError[];
}

/** Compiles an expression of docs/expressions.md over the names of the scope. */
export function compile(source: string, scope: Fields): Expression | Refusal {
  try {
    const tree = parse(source);
    const { typed, faults } = compileTree(source, tree, scope);
    if (faults.length > 0) return refusal(source, faults);
    const { type } = typed;
    const evaluate: Expression['evaluate'] = (values, stepsMax = EXPRESSION_LIMITS.stepsMax) => {
      const context: Context = { values, variables: [], steps: stepsMax };
      try {
        charge(context, typed.cost);
        const value = resultOf(context, typed.run(context), type, typed.span);
        return { ok: true, value, steps: stepsMax - context.steps };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const steps = stepsMax - Math.max(0, context.steps);
        return { ok: false, error: located(error, source), steps };
      }
    };
    const quoted = excerpt(source, { start: 0, end: source.length });
    return { ok: true, type, reads: readsOf(tree), excerpt: quoted, evaluate };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refusal(source, [error]);
  }
}

/** What an expression reads, known before its types are; null when its syntax is wrong. */
export function readPaths(source: string): readonly ReadPath[] | null {
  try {
    return readsOf(parse(source));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function refusal(source: string, faults: readonly Fault[]): Refusal {
  const errors = faults.map((fault) => located(fault, source));
  return { ok: false, errors: errors.toSorted((a, b) => a.start - b.start) };
}

/** The value in the form of the data: items and fields are read by their types. */
function resultOf(context: Context, value: Value, type: Type, span: Fault['span']): Result {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Decimal) return formatDecimal(value);
  if (value instanceof Day) return formatDay(value);
  const inner = present(type);
  charge(context, 2);
  if (inner.kind === 'list' && Array.isArray(value)) {
    return value.map((raw) => {
      charge(context, 4);
      return resultOf(context, read(raw, inner.item, span), inner.item, span);
    });
  }
  if (inner.kind !== 'record' || Array.isArray(value)) return null;
  const fields = Object.entries(inner.fields).map(([name, of]) => {
    charge(context, 5);
    // The value is a record, as its type says.
    const raw = ownField(value as RecordValue, name);
    return [name, resultOf(context, read(raw, of, span), of, span)] as const;
  });
  return Object.fromEntries(fields);
}

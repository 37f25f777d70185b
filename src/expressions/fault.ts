/** Why an expression cannot be compiled or evaluated. */
export type ExpressionCode =
  | 'syntax'
  | 'not_supported'
  | 'unknown_name'
  | 'unknown_function'
  | 'wrong_type'
  | 'wrong_arguments'
  | 'division_by_zero'
  | 'absent'
  | 'out_of_range'
  | 'too_large'
  | 'too_many_steps'
  | 'wrong_data';

/** A stretch of the source: UTF-16 offsets, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A defect of an expression and its place; the message holds no data. */
export interface ExpressionError extends Span {
  readonly code: ExpressionCode;
  readonly message: string;
  /** Line of the source, from 1. */
  readonly line: number;
  /** Column in code points, from 1. */
  readonly column: number;
}

/** Thrown inside this folder only; `compile` and `evaluate` return it as an `ExpressionError`. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ExpressionCode;
  readonly span: Span;

  constructor(code: ExpressionCode, message: string, span: Span) {
    super(message);
    this.code = code;
    this.span = span;
  }

  /** Limits end the evaluation; `||`, `&&` and macros never take another result instead. */
  get isLimit(): boolean {
    return this.code === 'too_many_steps' || this.code === 'too_large';
  }
}

const EXCERPT_MAX = 60;

/** A part of the source for a message, shortened to `EXCERPT_MAX` code points. */
export function shortened(text: string): string {
  // A chain of operators has as many nodes as characters: only their starts are read.
  const characters = Array.from(text.slice(0, EXCERPT_MAX * 2 + 2));
  if (characters.length <= EXCERPT_MAX) return text;
  return `${characters.slice(0, EXCERPT_MAX - 3).join('')}…`;
}

/** The fault with its line and column in the source. */
export function located({ code, message, span }: Fault, source: string): ExpressionError {
  const lines = source.slice(0, span.start).split('\n');
  const column = Array.from(lines.at(-1) ?? '').length + 1;
  return { code, message, ...span, line: lines.length, column };
}

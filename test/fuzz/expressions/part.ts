import { BOOLEAN, DATE, NUMBER, TEXT, type Type } from '../../../src/expressions/index.ts';
import { type DayNumber, type Exact, need, refuse, Refused, type Value } from './reference.ts';

/** The values of the names around a part of an expression. */
export type Scope = ReadonlyMap<string, Value>;

export type Evaluate = (scope: Scope) => Value;

/** A part of an expression: its source, and its value as the reference computes it. */
export interface Part {
  readonly source: string;
  /** How strongly its outermost operator binds; 7 for what stands by itself. */
  readonly power: number;
  readonly value: Evaluate;
}

/** A part with its type. */
export interface Path extends Part {
  readonly type: Type;
}

export type Scalar = 'number' | 'text' | 'date' | 'boolean';

export const KINDS: readonly Scalar[] = ['number', 'text', 'date', 'boolean'];

export const TYPES: Readonly<Record<Scalar, Type>> = {
  number: NUMBER,
  text: TEXT,
  date: DATE,
  boolean: BOOLEAN,
};

// The grammar makes operands of the right type; null is refused first, as operators do.
export const numberOf = (part: Part) => (scope: Scope) => need(part.value(scope)) as Exact;
export const dayOf = (part: Part) => (scope: Scope) => need(part.value(scope)) as DayNumber;
export const textOf = (part: Part) => (scope: Scope) => need(part.value(scope)) as string;
export const truthOf = (part: Part) => (scope: Scope) => need(part.value(scope)) as boolean;

/** The value as a list; null is refused. */
export function listOf(value: Value): readonly Value[] {
  const list = need(value);
  return Array.isArray(list) ? (list as readonly Value[]) : refuse('no list');
}

/** The value of a condition, or the error that it ends with. */
export function outcomeOf(run: (scope: Scope) => boolean, scope: Scope): boolean | Refused {
  try {
    return run(scope);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

const WORDS = new Set(
  (
    'as break const continue else for function if import let loop package namespace return var ' +
    'void while in true false null'
  ).split(' '),
);

/** A name as a source writes it. */
export function named(name: string, isField = false): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && (isField || !WORDS.has(name));
  return isPlain ? name : `\`${name}\``;
}

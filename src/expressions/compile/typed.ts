import { type ExpressionCode, Fault, shortened, type Span } from '../fault.ts';
import type { Node } from '../syntax/nodes.ts';
import { describeType, present, type Fields, type Kind, type Type, UNKNOWN } from '../types.ts';
import { Day } from '../values/day.ts';
import { Decimal } from '../values/decimal.ts';
import { isRecord, type RecordValue, type Value } from '../values/value.ts';

/** The state of one evaluation. */
export interface Context {
  /** The values of the scope. */
  readonly values: RecordValue;
  /** The variables of the macros around the node, by the depth of their macro. */
  readonly variables: unknown[];
  /** Steps that are left. */
  steps: number;
}

export type Run = (context: Context) => Value;

/** A compiled node. */
export interface Typed {
  readonly type: Type;
  readonly span: Span;
  /** Steps of the node and its operands; macros charge those of their bodies for each item. */
  readonly cost: number;
  readonly run: Run;
}

/** A variable of a macro. */
export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly slot: number;
}

/** What the compilers of nodes work with. */
export interface Compiler {
  readonly source: string;
  readonly scope: Fields;
  /** Variables of the macros around the node, the innermost last. */
  readonly variables: readonly Variable[];
  readonly compile: (node: Node) => Typed;
  /** Compiles with one more variable. */
  readonly within: (
    name: string,
    type: Type,
    compile: (inner: Compiler, slot: number) => Typed,
  ) => Typed;
  /** Keeps a defect; the node is compiled on with an unknown type, so that others are found, too. */
  readonly report: (code: ExpressionCode, message: string, span: Span) => Typed;
}

/** A node with a defect: nothing runs it. */
export function defective(span: Span): Typed {
  const run = (): never => {
    throw new Fault('wrong_type', 'This expression has a defect.', span);
  };
  return { type: UNKNOWN, span, cost: 0, run };
}

/** Throws the same fault each time: its message holds no data, and a trace costs microseconds. */
export function thrower(code: ExpressionCode, message: string, span: Span): () => never {
  let fault: Fault | null = null;
  return () => {
    fault ??= new Fault(code, message, span);
    throw fault;
  };
}

/** Takes steps from the evaluation, before they are made. */
export function charge(context: Context, steps: number): void {
  context.steps -= steps;
  if (context.steps < 0) throw new Fault('too_many_steps', TOO_MANY_STEPS, { start: 0, end: 0 });
}

const TOO_MANY_STEPS = 'This expression takes too many steps with this data.';

/** Steps for copying a text or comparing it for equality, of which the engine does 64 units at once. */
export function copySteps(units: number): number {
  return units >> 6;
}

/** Steps for visiting a text unit by unit. */
export function visitSteps(units: number): number {
  return units >> 4;
}

/** Characters of a number that the steps of an item already pay for. */
const SHORT_NUMBER = 16;

/** Additional steps for reading an item that is a longer number. */
export function parseSteps(raw: unknown, type: Type): number {
  if (typeof raw !== 'string' || raw.length <= SHORT_NUMBER) return 0;
  return present(type).kind === 'number' ? 1 + (raw.length >> 5) : 0;
}

/** Whether a value of the type can be of the kind, after null is refused. */
export function isKind(type: Type, ...kinds: readonly Kind[]): boolean {
  const { kind } = present(type);
  return kind === 'unknown' || kinds.includes(kind);
}

function absent({ span, type }: Typed, source: string): () => never {
  const text = excerpt(source, span);
  const what = type.kind === 'null' ? 'is null' : 'is absent';
  return thrower('absent', `${text} ${what}: test it with has() or == null first.`, span);
}

/** The source of a node, shortened, in back-quotes. */
export function excerpt(source: string, { start, end }: Span): string {
  const text = source.slice(start, Math.min(end, start + 200)).replaceAll(/\s+/g, ' ');
  return `\`${shortened(text)}\``;
}

/** The value as a number; a fault when it is null. */
export function asNumber(typed: Typed, source: string): (context: Context) => Decimal {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return value instanceof Decimal ? value : fault();
  };
}

export function asText(typed: Typed, source: string): (context: Context) => string {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return typeof value === 'string' ? value : fault();
  };
}

export function asDay(typed: Typed, source: string): (context: Context) => Day {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return value instanceof Day ? value : fault();
  };
}

export function asBoolean(typed: Typed, source: string): (context: Context) => boolean {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return typeof value === 'boolean' ? value : fault();
  };
}

export function asList(typed: Typed, source: string): (context: Context) => readonly unknown[] {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return Array.isArray(value) ? (value as readonly unknown[]) : fault();
  };
}

export function asRecord(typed: Typed, source: string): (context: Context) => RecordValue {
  const fault = absent(typed, source);
  return (context) => {
    const value = typed.run(context);
    return isRecord(value) ? value : fault();
  };
}

/** Any value but null. */
export function asPresent(
  typed: Typed,
  source: string,
): (context: Context) => Exclude<Value, null> {
  const fault = absent(typed, source);
  return (context) => typed.run(context) ?? fault();
}

/** `a number and a text`. */
export function bothTypes(a: Type, b: Type): string {
  return `${describeType(a)} and ${describeType(b)}`;
}

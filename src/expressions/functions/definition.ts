import type { Node } from '../syntax/nodes.ts';
import type { Kind, Type } from '../types.ts';
import type { Compiler, Run, Typed } from '../compile/typed.ts';

/** Kinds that an argument takes. */
export type Parameter = readonly Kind[];

/** A call whose arguments have the right number and kinds. */
export interface Call {
  readonly compiler: Compiler;
  readonly span: Typed['span'];
  readonly args: readonly Typed[];
  /** The nodes of the arguments. */
  readonly nodes: readonly Node[];
}

/** A function of the language: `name(a, b)`, which may also be written `a.name(b)`. */
export interface FunctionDefinition {
  readonly takes: readonly Parameter[];
  /** How many of the last parameters may be left out. */
  readonly mayOmit: number;
  /** Steps of a call beside those of its arguments. */
  readonly cost: number;
  readonly gives: (types: readonly Type[]) => Type;
  /** Makes what a call runs; it may report a defect of an argument that is a literal. */
  readonly compile: (call: Call) => Run;
}

/** A function of exactly these parameters. */
export function define(
  takes: readonly Parameter[],
  type: Type,
  compile: FunctionDefinition['compile'],
  cost = 2,
): FunctionDefinition {
  return { takes, mayOmit: 0, cost, gives: () => type, compile };
}

/** The argument at the position, which the parameters of the function demand. */
export function argument({ args }: Call, index: number): Typed {
  const arg = args[index];
  if (arg === undefined) throw new RangeError(`no argument ${index}`);
  return arg;
}

import { Fault } from '../fault.ts';
import type { BinaryNode, Node } from '../syntax/nodes.ts';
import { BOOLEAN, join } from '../types.ts';
import {
  asBoolean,
  bothTypes,
  charge,
  type Compiler,
  type Context,
  excerpt,
  isKind,
  type Typed,
} from './typed.ts';

/** Throwing and catching costs about as much as this many steps. */
const FAULT_STEPS = 40;

/** The operand's value, or the fault that it ended with; a limit ends the evaluation. */
export function attempt(run: (context: Context) => boolean, context: Context): boolean | Fault {
  try {
    return run(context);
  } catch (error) {
    if (!(error instanceof Fault) || error.isLimit) throw error;
    charge(context, FAULT_STEPS);
    return error;
  }
}

/**
 * `&&` and `||` as CEL defines them: an operand that decides the result does so even if the other
 * one fails, on whichever side it stands.
 */
export function compileLogic(compiler: Compiler, node: BinaryNode): Typed {
  const operands = [compiler.compile(node.left), compiler.compile(node.right)] as const;
  const decides = node.operator === '||';
  const faulty = operands.find(({ type }) => !isKind(type, 'boolean'));
  if (faulty !== undefined) {
    const message = `${excerpt(compiler.source, faulty.span)}: "${node.operator}" takes booleans.`;
    return compiler.report('wrong_type', message, faulty.span);
  }
  const [left, right] = operands.map((operand) => asBoolean(operand, compiler.source));
  if (left === undefined || right === undefined)
    throw new RangeError('an operator has two operands');
  const cost = operands[0].cost + operands[1].cost + 1;
  const run = (context: Context): boolean => {
    const first = attempt(left, context);
    if (first === decides) return decides;
    // Without a failure on the left, one on the right is simply the result.
    if (typeof first === 'boolean') return right(context);
    const second = attempt(right, context);
    if (second === decides) return decides;
    throw first;
  };
  return { type: BOOLEAN, span: node, cost, run };
}

/** `!boolean`. */
export function compileNot(compiler: Compiler, node: Node, of: Node): Typed {
  const operand = compiler.compile(of);
  if (!isKind(operand.type, 'boolean')) {
    const message = `${excerpt(compiler.source, operand.span)}: "!" takes a boolean.`;
    return compiler.report('wrong_type', message, node);
  }
  const value = asBoolean(operand, compiler.source);
  const run = (context: Context): boolean => !value(context);
  return { type: BOOLEAN, span: node, cost: operand.cost + 1, run };
}

/** `condition ? whenTrue : whenFalse`, of which only one branch is evaluated. */
export function compileConditional(
  compiler: Compiler,
  node: Extract<Node, { kind: 'conditional' }>,
): Typed {
  const condition = compiler.compile(node.condition);
  const [whenTrue, whenFalse] = [compiler.compile(node.whenTrue), compiler.compile(node.whenFalse)];
  if (!isKind(condition.type, 'boolean')) {
    const message = `${excerpt(compiler.source, condition.span)}: the condition before "?" is a boolean.`;
    return compiler.report('wrong_type', message, condition.span);
  }
  const type = join(whenTrue.type, whenFalse.type);
  if (type === null) {
    const both = bothTypes(whenTrue.type, whenFalse.type);
    const message = `${excerpt(compiler.source, node)}: both results have one type, these are ${both}.`;
    return compiler.report('wrong_type', message, node);
  }
  const holds = asBoolean(condition, compiler.source);
  const cost = condition.cost + whenTrue.cost + whenFalse.cost + 1;
  const run: Typed['run'] = (context) =>
    holds(context) ? whenTrue.run(context) : whenFalse.run(context);
  return { type, span: node, cost, run };
}

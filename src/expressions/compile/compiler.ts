import { EXPRESSION_LIMITS } from '../limits.ts';
import { Fault, type ExpressionCode, type Span } from '../fault.ts';
import type { Node } from '../syntax/nodes.ts';
import {
  BOOLEAN,
  describeType,
  type Fields,
  listOf,
  join,
  NULL,
  NUMBER,
  TEXT,
  type Type,
  UNKNOWN,
} from '../types.ts';
import { Decimal, negate } from '../values/decimal.ts';
import { compileCall } from './calls.ts';
import { compileConditional, compileLogic, compileNot } from './logic.ts';
import { compileMacro, isMacro } from './macros.ts';
import { compileOperator } from './operators.ts';
import {
  compileHas,
  compileIndex,
  compileName,
  compileRecord,
  compileSelect,
} from './selection.ts';
import {
  asNumber,
  type Compiler,
  defective,
  excerpt,
  isKind,
  type Typed,
  type Variable,
} from './typed.ts';

/** The tree as closures, and every defect that its types show. */
export function compileTree(
  source: string,
  tree: Node,
  scope: Fields,
): { readonly typed: Typed; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const typed = compilerOf(source, scope, [], faults).compile(tree);
  return { typed, faults };
}

function compilerOf(
  source: string,
  scope: Fields,
  variables: readonly Variable[],
  faults: Fault[],
): Compiler {
  const compiler: Compiler = {
    source,
    scope,
    variables,
    compile: (node) => compileNode(compiler, node),
    within: (name, type, compile) => {
      const slot = variables.length;
      const inner = [...variables, { name, type, slot }];
      return compile(compilerOf(source, scope, inner, faults), slot);
    },
    report: (code: ExpressionCode, message: string, span: Span) => {
      const { start, end } = span;
      if (faults.length < EXPRESSION_LIMITS.defectsMax) {
        faults.push(new Fault(code, message, { start, end }));
      }
      return defective(span);
    },
  };
  return compiler;
}

function compileNode(compiler: Compiler, node: Node): Typed {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      return { type: literalType(value), span: node, cost: 1, run: () => value };
    }
    case 'name':
      return compileName(compiler, node);
    case 'select':
      return compileSelect(compiler, node);
    case 'index':
      return compileIndex(compiler, node);
    case 'unary':
      return node.operator === '!'
        ? compileNot(compiler, node, node.of)
        : compileNegation(compiler, node, node.of);
    case 'binary': {
      const { operator } = node;
      if (operator === '&&' || operator === '||') return compileLogic(compiler, node);
      return compileOperator(compiler, node, operator);
    }
    case 'conditional':
      return compileConditional(compiler, node);
    case 'call':
      if (node.name === 'has' && node.target === null) return compileHas(compiler, node, node.args);
      return isMacro(node.name) ? compileMacro(compiler, node) : compileCall(compiler, node);
    case 'list':
      return compileList(compiler, node);
    case 'record':
      return compileRecord(compiler, node);
  }
}

function literalType(value: Decimal | string | boolean | null): Type {
  if (value === null) return NULL;
  if (value instanceof Decimal) return NUMBER;
  return typeof value === 'string' ? TEXT : BOOLEAN;
}

function compileNegation(compiler: Compiler, node: Node, of: Node): Typed {
  const operand = compiler.compile(of);
  if (!isKind(operand.type, 'number')) {
    const what = `${excerpt(compiler.source, operand.span)} is ${describeType(operand.type)}`;
    return compiler.report('wrong_type', `${what}; "-" takes a number.`, node);
  }
  const value = asNumber(operand, compiler.source);
  return {
    type: NUMBER,
    span: node,
    cost: operand.cost + 1,
    run: (context) => negate(value(context)),
  };
}

function compileList(compiler: Compiler, node: Extract<Node, { kind: 'list' }>): Typed {
  const items = node.items.map((item) => compiler.compile(item));
  let type: Type = UNKNOWN;
  for (const item of items) {
    const joined = join(type, item.type);
    if (joined === null) {
      const message = `${excerpt(compiler.source, item.span)} is ${describeType(item.type)}, the items before are not.`;
      return compiler.report('wrong_type', message, item.span);
    }
    type = joined;
  }
  const cost = items.reduce((sum, item) => sum + item.cost, 1 + items.length);
  return {
    type: listOf(type),
    span: node,
    cost,
    run: (context) => items.map(({ run }) => run(context)),
  };
}

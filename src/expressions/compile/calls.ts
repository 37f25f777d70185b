import { shortened } from '../fault.ts';
import { nearest, suggested } from '../../runtime/nearest.ts';
import { DATES } from '../functions/dates.ts';
import type { FunctionDefinition } from '../functions/definition.ts';
import { LISTS } from '../functions/lists.ts';
import { NUMBERS } from '../functions/numbers.ts';
import { TEXTS } from '../functions/texts.ts';
import type { CallNode } from '../syntax/nodes.ts';
import { describeType } from '../types.ts';
import { type Compiler, excerpt, isKind, type Typed } from './typed.ts';

const FUNCTIONS: Readonly<Record<string, FunctionDefinition>> = {
  ...LISTS,
  ...NUMBERS,
  ...TEXTS,
  ...DATES,
};

const NO_GUESS = 'a text is never read as a number: declare the field as a number';

/** Functions that other CEL evaluators have, and what to do without them. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  int: NO_GUESS,
  uint: NO_GUESS,
  double: NO_GUESS,
  number: NO_GUESS,
  matches: 'a regular expression has no bound on its cost; use contains, startsWith or endsWith',
  timestamp: 'use date("2026-01-31")',
  duration: 'use a number of days',
  bytes: 'there are no byte strings',
  dyn: 'each value has one type that is known before evaluation',
  type: 'each value has one type that is known before evaluation',
  lowerAscii: 'use lower',
  upperAscii: 'use upper',
};

/** What to write for a number with a comma, such as 0,07, which separates two arguments. */
function commaHint(source: string, operands: CallNode['args']): string {
  for (const [index, { end }] of operands.slice(0, -1).entries()) {
    const next = operands[index + 1];
    const before = /(?<![\w.])\d{1,15}$/.exec(source.slice(0, end));
    const after = /^,(\d{1,15})$/.exec(source.slice(end, next?.end));
    if (before !== null && after !== null)
      return `; a number has a decimal point: ${before[0]}.${after[1]}`;
  }
  return '';
}

/** Compiles `name(a, b)` and `a.name(b)`, which mean the same. */
export function compileCall(compiler: Compiler, node: CallNode): Typed {
  const { name, nameSpan } = node;
  const operands = node.target === null ? node.args : [node.target, ...node.args];
  const args = operands.map((operand) => compiler.compile(operand));
  if (!Object.hasOwn(FUNCTIONS, name)) return unknownFunction(compiler, node);
  const definition = FUNCTIONS[name];
  if (definition === undefined) throw new RangeError(`no function ${name}`);
  const { takes, mayOmit, cost, gives } = definition;
  const [least, most] = [takes.length - mayOmit, takes.length];
  if (args.length < least || args.length > most) {
    const count = least === most ? `${most}` : `${least} or ${most}`;
    const noun = count === '1' ? 'argument' : 'arguments';
    const hint = args.length > most ? commaHint(compiler.source, operands) : '';
    const message = `${name}() takes ${count} ${noun}, not ${args.length}${hint}.`;
    return compiler.report('wrong_arguments', message, nameSpan);
  }
  const wrong = args.findIndex(({ type }, index) => !isKind(type, ...(takes[index] ?? [])));
  const [arg, kinds] = [args[wrong], takes[wrong]];
  if (arg !== undefined && kinds !== undefined) {
    const wanted = kinds.map((kind) => `a ${kind}`).join(' or ');
    const what = `${excerpt(compiler.source, arg.span)} is ${describeType(arg.type)}`;
    return compiler.report('wrong_type', `${what}; ${name}() takes ${wanted} there.`, arg.span);
  }
  const run = definition.compile({ compiler, span: node, args, nodes: operands });
  const type = gives(args.map((argument) => argument.type));
  const steps = args.reduce((sum, operand) => sum + operand.cost, cost);
  return { type, span: node, cost: steps, run };
}

function unknownFunction({ report }: Compiler, { name, nameSpan }: CallNode): Typed {
  const instead = Object.hasOwn(NOT_SUPPORTED, name) ? NOT_SUPPORTED[name] : undefined;
  if (instead !== undefined) {
    return report('not_supported', `${name}() is not supported: ${instead}.`, nameSpan);
  }
  const near = nearest(name, Object.keys(FUNCTIONS), { left: 20_000 });
  const hint = near === null ? '.' : suggested(near);
  return report('unknown_function', `There is no function ${shortened(name)}()${hint}`, nameSpan);
}

import type { BinaryNode, BinaryOperator } from '../syntax/nodes.ts';
import { BOOLEAN, DATE, join, NUMBER, present, TEXT, type Type, UNKNOWN } from '../types.ts';
import * as days from '../values/day.ts';
import { Day } from '../values/day.ts';
import * as decimals from '../values/decimal.ts';
import type { Decimal } from '../values/decimal.ts';
import { ownField, type Value } from '../values/value.ts';
import { areEqual, comparable, compareScalars, read } from './equality.ts';
import { EXPRESSION_LIMITS } from '../limits.ts';
import {
  asDay,
  asList,
  asNumber,
  asPresent,
  asRecord,
  asText,
  bothTypes,
  charge,
  type Compiler,
  copySteps,
  excerpt,
  isKind,
  parseSteps,
  type Run,
  thrower,
  type Typed,
  visitSteps,
} from './typed.ts';

const ORDER: Readonly<Record<'<' | '<=' | '>' | '>=', (sign: number) => boolean>> = {
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

const ARITHMETIC = {
  '+': decimals.add,
  '-': (a: Decimal, b: Decimal) => decimals.add(a, decimals.negate(b)),
  '*': decimals.multiply,
  '/': decimals.divide,
  '%': decimals.remainder,
} as const;

/** Compiles a binary operator other than `&&` and `||`. */
export function compileOperator(
  compiler: Compiler,
  node: BinaryNode,
  operator: Exclude<BinaryOperator, '&&' | '||'>,
): Typed {
  const left = compiler.compile(node.left);
  const right = compiler.compile(node.right);
  switch (operator) {
    case '==':
    case '!=':
      return equality(compiler, node, left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(compiler, node, left, right, ORDER[operator]);
    case 'in':
      return membership(compiler, node, left, right);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(compiler, node, operator, left, right);
  }
}

function made(
  node: BinaryNode,
  type: Type,
  left: Typed,
  right: Typed,
  own: number,
  run: Run,
): Typed {
  return { type, span: node, cost: left.cost + right.cost + own, run };
}

function equality(compiler: Compiler, node: BinaryNode, left: Typed, right: Typed): Typed {
  const type = comparable(left.type, right.type);
  if (type === null) {
    const message = `${excerpt(compiler.source, node)}: ${bothTypes(left.type, right.type)} are never equal.`;
    return compiler.report('wrong_type', message, node);
  }
  const expected = node.operator === '==';
  return made(node, BOOLEAN, left, right, 1, (context) => {
    const [a, b] = [left.run(context), right.run(context)];
    return areEqual(context, a, b, type, node) === expected;
  });
}

function order(
  compiler: Compiler,
  node: BinaryNode,
  left: Typed,
  right: Typed,
  holds: (sign: number) => boolean,
): Typed {
  const isOrdered = [left, right].every(({ type }) =>
    isKind(type, 'number', 'text', 'date', 'boolean'),
  );
  if (!isOrdered || join(left.type, right.type) === null) {
    const message = `${excerpt(compiler.source, node)}: ${bothTypes(left.type, right.type)} cannot be compared.`;
    return compiler.report('wrong_type', message, node);
  }
  const { source } = compiler;
  const [a, b] = [asPresent(left, source), asPresent(right, source)];
  return made(node, BOOLEAN, left, right, 2, (context) => {
    const [x, y] = [a(context), b(context)];
    return holds(compareScalars(context, x, y));
  });
}

function membership(compiler: Compiler, node: BinaryNode, left: Typed, right: Typed): Typed {
  const { source } = compiler;
  const container = present(right.type);
  if (container.kind === 'record' && isKind(left.type, 'text')) {
    const [name, record] = [asText(left, source), asRecord(right, source)];
    // Looking up a name in an object takes several times as long as other steps.
    return made(node, BOOLEAN, left, right, 8, (context) => {
      const field = name(context);
      // V8 hashes a text that is nobody's name whenever it is looked for.
      charge(context, visitSteps(field.length));
      return (ownField(record(context), field) ?? null) !== null;
    });
  }
  const item = container.kind === 'list' ? container.item : UNKNOWN;
  const type = comparable(left.type, item);
  if (!isKind(right.type, 'list') || type === null) {
    const message = `${excerpt(source, node)}: ${bothTypes(left.type, right.type)}; "in" takes a list of such values.`;
    return compiler.report('wrong_type', message, node);
  }
  const list = asList(right, source);
  return made(node, BOOLEAN, left, right, 1, (context) => {
    const [value, items] = [left.run(context), list(context)];
    for (const raw of items) {
      charge(context, 3 + parseSteps(raw, item));
      if (areEqual(context, value, read(raw, item, node), type, node)) return true;
    }
    return false;
  });
}

type ArithmeticOperator = keyof typeof ARITHMETIC;

function arithmetic(
  compiler: Compiler,
  node: BinaryNode,
  operator: ArithmeticOperator,
  left: Typed,
  right: Typed,
): Typed {
  const both = (kind: 'number' | 'text' | 'date'): boolean =>
    isKind(left.type, kind) && isKind(right.type, kind);
  if (both('number')) return ofNumbers(compiler, node, operator, left, right);
  if (operator === '+' && both('text')) return concatenation(compiler, node, left, right);
  const lists = operator === '+' && isKind(left.type, 'list') && join(left.type, right.type);
  if (lists && isKind(right.type, 'list'))
    return concatenatedLists(compiler, node, lists, left, right);
  const ofDays = dayArithmetic(compiler, node, operator, left, right);
  if (ofDays !== null) return ofDays;
  const message = `${excerpt(compiler.source, node)}: "${operator}" does not take ${bothTypes(left.type, right.type)}.`;
  const hint =
    operator === '+' && isKind(left.type, 'text') ? ' string() makes a text of a value.' : '';
  return compiler.report('wrong_type', message + hint, node);
}

function ofNumbers(
  compiler: Compiler,
  node: BinaryNode,
  operator: ArithmeticOperator,
  left: Typed,
  right: Typed,
): Typed {
  const { source } = compiler;
  const divides = operator === '/' || operator === '%';
  const message = `${excerpt(source, node)} divides by zero.`;
  const divisor = node.right.kind === 'literal' ? node.right.value : null;
  if (divides && divisor instanceof decimals.Decimal && divisor.coefficient === 0n) {
    return { ...compiler.report('division_by_zero', message, node), type: NUMBER };
  }
  const zero = thrower('division_by_zero', message, node);
  const tooLong = tooManyDigits(source, node);
  const [a, b] = [asNumber(left, source), asNumber(right, source)];
  const compute = ARITHMETIC[operator];
  const cost = operator === '/' ? 12 : operator === '%' ? 6 : 2;
  return made(node, NUMBER, left, right, cost, (context) => {
    const [x, y] = [a(context), b(context)];
    if (divides && y.coefficient === 0n) return zero();
    return compute(x, y) ?? tooLong();
  });
}

/** Throws that a number got too long. */
export function tooManyDigits(source: string, span: Typed['span']): () => never {
  const max = EXPRESSION_LIMITS.digitsMax;
  return thrower('out_of_range', `${excerpt(source, span)} has more than ${max} digits.`, span);
}

function concatenation(compiler: Compiler, node: BinaryNode, left: Typed, right: Typed): Typed {
  const { source } = compiler;
  const [a, b] = [asText(left, source), asText(right, source)];
  const limit = tooLongText(source, node);
  return made(node, TEXT, left, right, 1, (context) => {
    const [x, y] = [a(context), b(context)];
    if (x.length + y.length > EXPRESSION_LIMITS.textLengthMax) return limit();
    charge(context, copySteps(x.length + y.length));
    return x + y;
  });
}

/** Throws that a text got too long. */
export function tooLongText(source: string, span: Typed['span']): () => never {
  const max = EXPRESSION_LIMITS.textLengthMax;
  return thrower('too_large', `${excerpt(source, span)} has more than ${max} characters.`, span);
}

function concatenatedLists(
  compiler: Compiler,
  node: BinaryNode,
  type: Type,
  left: Typed,
  right: Typed,
): Typed {
  const { source } = compiler;
  const [a, b] = [asList(left, source), asList(right, source)];
  return made(node, type, left, right, 1, (context) => {
    const [x, y] = [a(context), b(context)];
    charge(context, x.length + y.length);
    return [...x, ...y];
  });
}

function isUnknown({ type }: Typed): boolean {
  return present(type).kind === 'unknown';
}

/** date + days, date - days, date - date; null for other operands. */
function dayArithmetic(
  compiler: Compiler,
  node: BinaryNode,
  operator: ArithmeticOperator,
  left: Typed,
  right: Typed,
): Typed | null {
  const { source } = compiler;
  if (!isKind(left.type, 'date') || (operator !== '+' && operator !== '-')) return null;
  const day = asDay(left, source);
  if (operator === '-' && isKind(right.type, 'date')) {
    const other = asDay(right, source);
    // A date minus a value of unknown type: a number of days if the value is a date, a date if it
    // is a number.
    return made(node, isUnknown(right) ? UNKNOWN : NUMBER, left, right, 1, (context): Value => {
      const [x, y] = [day(context), other(context)];
      return decimals.decimalFrom(x.number - y.number);
    });
  }
  if (!isKind(right.type, 'number')) return null;
  const count = asNumber(right, source);
  const outside = thrower('out_of_range', outsideOfCalendar(source, node), node);
  const sign = operator === '-' ? -1 : 1;
  return made(node, DATE, left, right, 2, (context): Day => {
    const [x, y] = [day(context), decimals.wholeNumber(count(context))];
    return (y === null ? null : days.addDays(x, sign * y)) ?? outside();
  });
}

/** The message for a day that does not exist. */
export function outsideOfCalendar(source: string, span: Typed['span']): string {
  return `${excerpt(source, span)}: a date takes whole numbers, and stays in the years 1 to 9999.`;
}

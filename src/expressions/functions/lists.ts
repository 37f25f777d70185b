import { compareScalars, read } from '../compile/equality.ts';
import { tooManyDigits } from '../compile/operators.ts';
import {
  asList,
  asPresent,
  charge,
  type Context,
  excerpt,
  isKind,
  parseSteps,
  type Run,
} from '../compile/typed.ts';
import {
  describeType,
  NUMBER,
  optional,
  present,
  type Kind,
  type Type,
  UNKNOWN,
} from '../types.ts';
import { add, Decimal, decimalFrom, divide, ZERO } from '../values/decimal.ts';
import type { Value } from '../values/value.ts';
import { argument, type Call, define, type FunctionDefinition } from './definition.ts';

/** Functions of lists; absent items add nothing to sum, min, max and avg, as in SQL. */
export const LISTS: Readonly<Record<string, FunctionDefinition>> = {
  size: define([['list', 'text', 'record']], NUMBER, size),
  sum: define([['list']], NUMBER, sum),
  avg: define([['list']], optional(NUMBER), avg, 14),
  min: { ...define([['list']], UNKNOWN, (call) => extreme(call, -1)), gives: optionalItem },
  max: { ...define([['list']], UNKNOWN, (call) => extreme(call, 1)), gives: optionalItem },
  first: { ...define([['list']], UNKNOWN, (call) => itemAt(call, 0)), gives: optionalItem },
  last: { ...define([['list']], UNKNOWN, (call) => itemAt(call, -1)), gives: optionalItem },
};

function itemOf(type: Type | undefined): Type {
  const list = present(type ?? UNKNOWN);
  return list.kind === 'list' ? list.item : UNKNOWN;
}

function optionalItem([type]: readonly Type[]): Type {
  return optional(itemOf(type));
}

/** Items of a list, code points of a text, or fields of a record that are there. */
function size(call: Call): Run {
  const value = asPresent(argument(call, 0), call.compiler.source);
  return (context) => {
    const given = value(context);
    if (typeof given === 'string') return decimalFrom(codePoints(context, given));
    if (Array.isArray(given)) return decimalFrom(given.length);
    const fields = Object.values(given).filter((field) => field !== null && field !== undefined);
    charge(context, fields.length);
    return decimalFrom(fields.length);
  };
}

/** The first half of a character beyond U+FFFF. */
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Most texts hold no surrogate, which a regular expression sees ten times as fast as a loop would. */
function codePoints(context: Context, text: string): number {
  charge(context, text.length >> 5);
  if (!HIGH_SURROGATE.test(text)) return text.length;
  charge(context, text.length >> 3);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Visits the items that are there; reports a list whose items are of another kind. */
function items(
  call: Call,
  name: string,
  kinds: readonly Kind[],
  steps: number,
): (context: Context, visit: (value: Exclude<Value, null>) => void) => void {
  const { compiler, span } = call;
  const list = argument(call, 0);
  const item = itemOf(list.type);
  if (!isKind(item, ...kinds, 'null')) {
    const what = `${excerpt(compiler.source, list.span)} has ${describeType(item)} in each place`;
    const wanted = kinds.map((kind) => `${kind}s`).join(', ');
    compiler.report('wrong_type', `${what}; ${name}() takes a list of ${wanted}.`, list.span);
  }
  const values = asList(list, compiler.source);
  return (context, visit) => {
    for (const raw of values(context)) {
      charge(context, steps + parseSteps(raw, item));
      const value = read(raw, optional(item), span);
      if (value !== null) visit(value);
    }
  };
}

function sum(call: Call): Run {
  const each = items(call, 'sum', ['number'], 2);
  const tooLong = tooManyDigits(call.compiler.source, call.span);
  return (context) => {
    let total = ZERO;
    each(context, (value) => {
      if (value instanceof Decimal) total = add(total, value) ?? tooLong();
    });
    return total;
  };
}

function avg(call: Call): Run {
  const each = items(call, 'avg', ['number'], 2);
  const tooLong = tooManyDigits(call.compiler.source, call.span);
  return (context) => {
    let [total, count] = [ZERO, 0];
    each(context, (value) => {
      if (!(value instanceof Decimal)) return;
      total = add(total, value) ?? tooLong();
      count += 1;
    });
    return count === 0 ? null : (divide(total, decimalFrom(count)) ?? tooLong());
  };
}

/** The smallest (-1) or the largest (1) item, the first of equal ones; null when there is none. */
function extreme(call: Call, sign: -1 | 1): Run {
  const each = items(call, sign < 0 ? 'min' : 'max', ['number', 'text', 'date'], 2);
  return (context) => {
    let found: Exclude<Value, null> | null = null;
    each(context, (value) => {
      if (found === null || compareScalars(context, value, found) * sign > 0) found = value;
    });
    return found;
  };
}

function itemAt(call: Call, index: 0 | -1): Run {
  const list = asList(argument(call, 0), call.compiler.source);
  const item = optional(itemOf(argument(call, 0).type));
  return (context) => read(list(context).at(index), item, call.span);
}

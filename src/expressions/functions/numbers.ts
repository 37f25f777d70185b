import { asNumber, excerpt, type Run, thrower } from '../compile/typed.ts';
import { tooManyDigits } from '../compile/operators.ts';
import { EXPRESSION_LIMITS } from '../limits.ts';
import { NUMBER } from '../types.ts';
import { type Decimal, negate, roundTo, toWhole, wholeNumber, ZERO } from '../values/decimal.ts';
import { argument, type Call, define, type FunctionDefinition } from './definition.ts';

/** Functions of numbers. */
export const NUMBERS: Readonly<Record<string, FunctionDefinition>> = {
  round: { ...define([['number'], ['number']], NUMBER, round, 8), mayOmit: 1 },
  floor: define([['number']], NUMBER, (call) => ofNumber(call, (x) => toWhole(x, -1))),
  ceil: define([['number']], NUMBER, (call) => ofNumber(call, (x) => toWhole(x, 1))),
  abs: define([['number']], NUMBER, (call) =>
    ofNumber(call, (x) => (x.coefficient < 0n ? negate(x) : x)),
  ),
};

function ofNumber(call: Call, compute: (value: Decimal) => Decimal): Run {
  const value = asNumber(argument(call, 0), call.compiler.source);
  return (context) => compute(value(context));
}

function round(call: Call): Run {
  const { source } = call.compiler;
  const value = asNumber(argument(call, 0), source);
  const decimals = call.args[1] === undefined ? () => ZERO : asNumber(call.args[1], source);
  const max = EXPRESSION_LIMITS.roundDecimalsMax;
  const message = `${excerpt(source, call.span)} rounds to 0 to ${max} digits after the point.`;
  const outside = thrower('out_of_range', message, call.span);
  const tooLong = tooManyDigits(source, call.span);
  return (context) => {
    const [number, count] = [value(context), wholeNumber(decimals(context))];
    if (count === null || count < 0 || count > max) return outside();
    return roundTo(number, count) ?? tooLong();
  };
}

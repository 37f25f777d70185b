import { asDay, asNumber, asText, excerpt, type Run, thrower } from '../compile/typed.ts';
import { outsideOfCalendar } from '../compile/operators.ts';
import { DATE, NUMBER } from '../types.ts';
import * as days from '../values/day.ts';
import type { Day } from '../values/day.ts';
import { decimalFrom, wholeNumber } from '../values/decimal.ts';
import { argument, type Call, define, type FunctionDefinition } from './definition.ts';

/** Functions of dates. */
export const DATES: Readonly<Record<string, FunctionDefinition>> = {
  date: define([['text']], DATE, date, 4),
  year: define([['date']], NUMBER, (call) => part(call, 'year'), 4),
  month: define([['date']], NUMBER, (call) => part(call, 'month'), 4),
  day: define([['date']], NUMBER, (call) => part(call, 'day'), 4),
  addDays: define([['date'], ['number']], DATE, (call) => later(call, days.addDays), 4),
  addMonths: define([['date'], ['number']], DATE, (call) => later(call, days.addMonths), 20),
  startOfMonth: define([['date']], DATE, (call) => ofMonth(call, days.startOfMonth), 6),
  endOfMonth: define([['date']], DATE, (call) => ofMonth(call, days.endOfMonth), 10),
  daysBetween: define([['date'], ['date']], NUMBER, daysBetween),
};

function ofMonth(call: Call, compute: (day: Day) => Day): Run {
  const day = asDay(argument(call, 0), call.compiler.source);
  return (context) => compute(day(context));
}

function part(call: Call, name: 'year' | 'month' | 'day'): Run {
  const day = asDay(argument(call, 0), call.compiler.source);
  return (context) => decimalFrom(days.partsOf(day(context))[name]);
}

/** A date of a text; one that is written in the expression is checked when it is compiled. */
function date(call: Call): Run {
  const { compiler, span, nodes } = call;
  const message = `${excerpt(compiler.source, span)}: a date is written YYYY-MM-DD.`;
  const [written] = nodes;
  if (written?.kind === 'literal' && typeof written.value === 'string') {
    const day = days.parseDay(written.value);
    if (day === null) compiler.report('out_of_range', message, span);
    return () => day;
  }
  const text = asText(argument(call, 0), compiler.source);
  const noDate = thrower('out_of_range', message, span);
  return (context) => days.parseDay(text(context)) ?? noDate();
}

function later(call: Call, compute: (day: Day, count: number) => Day | null): Run {
  const { source } = call.compiler;
  const [day, count] = [asDay(argument(call, 0), source), asNumber(argument(call, 1), source)];
  const outside = thrower('out_of_range', outsideOfCalendar(source, call.span), call.span);
  return (context) => {
    const [from, number] = [day(context), wholeNumber(count(context))];
    return (number === null ? null : compute(from, number)) ?? outside();
  };
}

function daysBetween(call: Call): Run {
  const { source } = call.compiler;
  const [from, to] = [asDay(argument(call, 0), source), asDay(argument(call, 1), source)];
  return (context) => {
    const [first, last] = [from(context), to(context)];
    return decimalFrom(last.number - first.number);
  };
}

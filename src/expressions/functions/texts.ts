import {
  asList,
  asNumber,
  asPresent,
  asText,
  charge,
  type Context,
  copySteps,
  excerpt,
  isKind,
  type Run,
  thrower,
  visitSteps,
} from '../compile/typed.ts';
import { tooLongText } from '../compile/operators.ts';
import { read } from '../compile/equality.ts';
import { EXPRESSION_LIMITS } from '../limits.ts';
import { BOOLEAN, describeType, present, TEXT } from '../types.ts';
import { Day } from '../values/day.ts';
import { Decimal, wholeNumber } from '../values/decimal.ts';
import { textOfScalar } from '../values/value.ts';
import { argument, type Call, define, type FunctionDefinition } from './definition.ts';

const { textLengthMax } = EXPRESSION_LIMITS;

/** Functions of texts. */
export const TEXTS: Readonly<Record<string, FunctionDefinition>> = {
  string: define([['number', 'text', 'date', 'boolean']], TEXT, string, 4),
  contains: define([['text'], ['text']], BOOLEAN, (call) => test(call, (a, b) => a.includes(b))),
  startsWith: define([['text'], ['text']], BOOLEAN, (call) =>
    test(call, (a, b) => a.startsWith(b)),
  ),
  endsWith: define([['text'], ['text']], BOOLEAN, (call) => test(call, (a, b) => a.endsWith(b))),
  upper: define([['text']], TEXT, (call) => change(call, (text) => text.toUpperCase()), 4),
  lower: define([['text']], TEXT, (call) => change(call, (text) => text.toLowerCase()), 4),
  trim: define([['text']], TEXT, (call) => change(call, trim), 4),
  substring: { ...define([['text'], ['number'], ['number']], TEXT, substring, 4), mayOmit: 1 },
  join: { ...define([['list'], ['text']], TEXT, join, 4), mayOmit: 1 },
};

function string(call: Call): Run {
  const value = asPresent(argument(call, 0), call.compiler.source);
  return (context) => {
    const scalar = value(context);
    const isScalar =
      typeof scalar !== 'object' || scalar instanceof Decimal || scalar instanceof Day;
    if (!isScalar) throw new RangeError('string() takes scalars only');
    return textOfScalar(scalar);
  };
}

function test(call: Call, holds: (text: string, part: string) => boolean): Run {
  const { source } = call.compiler;
  const [text, part] = [asText(argument(call, 0), source), asText(argument(call, 1), source)];
  return (context) => {
    const [whole, sought] = [text(context), part(context)];
    charge(context, 2 * visitSteps(whole.length + sought.length));
    return holds(whole, sought);
  };
}

/** A text made of another, whose letters are visited one by one. */
function change(call: Call, compute: (text: string) => string): Run {
  const text = asText(argument(call, 0), call.compiler.source);
  const limit = tooLongText(call.compiler.source, call.span);
  return (context) => {
    const whole = text(context);
    if (whole.length > textLengthMax) return limit();
    charge(context, whole.length >> 3);
    const changed = compute(whole);
    return changed.length > textLengthMax ? limit() : changed;
  };
}

/** Without the white space of Unicode at both ends, which differs from that of String.trim. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** White_Space of Unicode; all of it lies in the first plane. */
function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(unit)
  );
}

/** By code points, from 0; the end is exclusive. */
function substring(call: Call): Run {
  const { source } = call.compiler;
  const text = asText(argument(call, 0), source);
  const start = asNumber(argument(call, 1), source);
  const end = call.args[2] === undefined ? null : asNumber(call.args[2], source);
  const message = `${excerpt(source, call.span)}: the text has no such part.`;
  const outside = thrower('out_of_range', message, call.span);
  const limit = tooLongText(source, call.span);
  return (context) => {
    const whole = text(context);
    if (whole.length > textLengthMax) return limit();
    charge(context, whole.length >> 2);
    const points = Array.from(whole);
    const from = wholeNumber(start(context));
    const to = end === null ? points.length : wholeNumber(end(context));
    if (from === null || to === null || from < 0 || to > points.length || from > to)
      return outside();
    return points.slice(from, to).join('');
  };
}

function join(call: Call): Run {
  const { compiler, span } = call;
  const of = argument(call, 0);
  const type = present(of.type);
  if (type.kind === 'list' && !isKind(type.item, 'text', 'null')) {
    const what = `${excerpt(compiler.source, of.span)} has ${describeType(type.item)} in each place`;
    const message = `${what}; join() takes a list of texts: string() makes them.`;
    compiler.report('wrong_type', message, of.span);
  }
  const list = asList(of, compiler.source);
  const separator = call.args[1] === undefined ? () => '' : asText(call.args[1], compiler.source);
  const message = `${excerpt(compiler.source, span)}: a text of the list is absent.`;
  const missing = thrower('absent', message, span);
  const limit = tooLongText(compiler.source, span);
  return (context: Context) => {
    const [items, between] = [list(context), separator(context)];
    const texts: string[] = [];
    let length = 0;
    for (const raw of items) {
      const text = raw === null ? missing() : read(raw, TEXT, span);
      if (typeof text !== 'string') return missing();
      length += text.length + between.length;
      if (length > textLengthMax + between.length) return limit();
      charge(context, 1 + copySteps(text.length + between.length));
      texts.push(text);
    }
    return texts.join(between);
  };
}

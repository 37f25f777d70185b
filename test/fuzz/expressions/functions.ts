import type { Grammar } from './grammar.ts';
import { present } from './contract.ts';
import { quantified } from './macros.ts';
import {
  dayOf,
  type Evaluate,
  KINDS,
  listOf,
  numberOf,
  outcomeOf,
  type Part,
  type Scalar,
  type Scope,
  textOf,
} from './part.ts';
import * as reference from './reference.ts';
import { type Exact, need, refuse, type Value } from './reference.ts';

/** Functions: how each is written, and its value by the reference. */

/** `name(a, b)` or `a.name(b)`. */
function written(grammar: Grammar, name: string, args: readonly Part[], value: Evaluate): Part {
  const [first, ...others] = args;
  const rest = others.map(({ source }) => source);
  const isMember = first !== undefined && grammar.random.chance(2);
  const source = isMember
    ? `${grammar.wrapped(first, 7)}.${name}(${rest.join(', ')})`
    : `${name}(${args.map((arg) => arg.source).join(', ')})`;
  return { source, power: 7, value };
}

/** A function or macro that gives this kind. */
export function call(grammar: Grammar, kind: Scalar, depth: number): Part {
  const { random } = grammar;
  if (kind !== 'boolean' && random.chance(4)) return itemOf(grammar, kind, depth);
  if (random.chance(14)) return fieldOfRecord(grammar, kind, depth);
  switch (kind) {
    case 'number':
      return ofNumber(grammar, depth);
    case 'text':
      return ofText(grammar, depth);
    case 'date':
      return ofDate(grammar, depth);
    case 'boolean':
      return ofTruth(grammar, depth);
  }
}

/** first, last, min, max. */
function itemOf(grammar: Grammar, kind: Scalar, depth: number): Part {
  const list = grammar.list(kind, depth - 1);
  const name = grammar.random.pick(['first', 'last', 'min', 'max'], 'first');
  return written(grammar, name, [list], (scope) => {
    const items = listOf(list.value(scope));
    if (name === 'first') return items[0] ?? null;
    if (name === 'last') return items.at(-1) ?? null;
    const sign = name === 'min' ? -1 : 1;
    let found: Value = null;
    for (const item of items) {
      if (item === null) continue;
      if (found === null || reference.compare(item, found) * sign > 0) found = item;
    }
    return found;
  });
}

/** `{"name": value}.name`. */
function fieldOfRecord(grammar: Grammar, kind: Scalar, depth: number): Part {
  const [a, b] = [grammar.scalar(kind, depth - 1), grammar.scalar('text', depth - 1)];
  const value = (scope: Scope): Value => {
    const first = a.value(scope);
    b.value(scope);
    return first;
  };
  return { source: `{"in": ${a.source}, "__proto__": ${b.source}}.in`, power: 7, value };
}

function ofNumber(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  const make = (): Part => grammar.scalar('number', depth - 1);
  const name = random.pick('sum avg size round floor ceil abs part daysBetween'.split(' '), 'abs');
  if (name === 'sum' || name === 'avg') {
    const list = grammar.list('number', depth - 1);
    return written(grammar, name, [list], (scope) => sumOf(listOf(list.value(scope)), name));
  }
  if (name === 'size') return sized(grammar, depth);
  if (name === 'part') {
    const day = grammar.scalar('date', depth - 1);
    const index = random.below(3);
    const value = dayOf(day);
    return written(grammar, ['year', 'month', 'day'][index] ?? '', [day], (scope) => ({
      units: BigInt(reference.calendarOf(value(scope))[index] ?? 0),
      scale: 0,
    }));
  }
  if (name === 'daysBetween') {
    const [a, b] = [grammar.scalar('date', depth - 1), grammar.scalar('date', depth - 1)];
    const [x, y] = [dayOf(a), dayOf(b)];
    return written(grammar, name, [a, b], (scope) => {
      const [from, to] = [x(scope), y(scope)];
      return { units: BigInt(to.days - from.days), scale: 0 };
    });
  }
  const of = make();
  const number = numberOf(of);
  if (name === 'round') {
    const decimals: Part[] = random.chance(2)
      ? [{ source: String(random.below(32)), power: 7, value: () => null }]
      : [];
    const digits = reference.exactOf(decimals[0]?.source ?? '0');
    return written(grammar, name, [of, ...decimals], (scope) =>
      reference.rounded(number(scope), digits),
    );
  }
  if (name === 'abs') {
    return written(grammar, name, [of], (scope) => {
      const { units, scale } = number(scope);
      return { units: units < 0n ? -units : units, scale };
    });
  }
  const side = name === 'floor' ? -1 : 1;
  return written(grammar, name, [of], (scope) => reference.wholeBeside(number(scope), side));
}

function sumOf(items: readonly Value[], name: 'sum' | 'avg'): Value {
  const numbers = items.filter((item): item is Exact => item !== null && reference.isExact(item));
  const zero: Exact = { units: 0n, scale: 0 };
  const total = numbers.reduce((sum, item) => reference.plus(sum, item, 1n), zero);
  if (name === 'sum') return total;
  if (numbers.length === 0) return null;
  return reference.over(total, { units: BigInt(numbers.length), scale: 0 });
}

function sized(grammar: Grammar, depth: number): Part {
  const record = grammar.random.chance(3) ? grammar.anyRecord() : null;
  const of =
    record ??
    (grammar.random.chance(2)
      ? grammar.scalar('text', depth - 1)
      : grammar.list(grammar.random.pick(KINDS, 'number'), depth - 1));
  return written(grammar, 'size', [of], (scope) => {
    const value = need(of.value(scope));
    const count = reference.isMap(value)
      ? [...value.values()].filter((field) => field !== null).length
      : Array.from(value as string | Value[]).length;
    return { units: BigInt(count), scale: 0 };
  });
}

function ofText(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  const name = random.pick('string upper lower trim substring join'.split(' '), 'upper');
  if (name === 'string') {
    const of = grammar.scalar(random.pick(KINDS, 'number'), depth - 1);
    return written(grammar, name, [of], (scope) => String(reference.jsonOf(need(of.value(scope)))));
  }
  if (name === 'join') {
    const list = grammar.list('text', depth - 1);
    const separator = random.chance(2) ? [grammar.scalar('text', depth - 2)] : [];
    return written(grammar, name, [list, ...separator], (scope) => {
      const items = listOf(list.value(scope));
      const between = separator.map((part) => textOf(part)(scope))[0] ?? '';
      return items.map((item) => need(item) as string).join(between);
    });
  }
  const of = grammar.scalar('text', depth - 1);
  const text = textOf(of);
  if (name === 'substring') return substring(grammar, of, depth);
  return written(grammar, name, [of], (scope) => {
    const value = text(scope);
    if (name === 'upper') return value.toUpperCase();
    if (name === 'lower') return value.toLowerCase();
    return value.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, '');
  });
}

function substring(grammar: Grammar, of: Part, depth: number): Part {
  const { random } = grammar;
  const bounds = Array.from({ length: 1 + random.below(2) }, (): Part => {
    if (random.chance(3)) return grammar.scalar('number', depth - 2);
    const number = random.below(4);
    return {
      source: String(number),
      power: 7,
      value: () => ({ units: BigInt(number), scale: 0 }),
    };
  });
  const text = textOf(of);
  return written(grammar, 'substring', [of, ...bounds], (scope) => {
    const points = Array.from(text(scope));
    const numbers = bounds.map((bound) => numberOf(bound)(scope)).map(reference.wholeOf);
    const [start = 0, end = points.length] = numbers;
    if (start === null || end === null) return refuse('out_of_range');
    const isWithin = start >= 0 && end <= points.length && start <= end;
    return isWithin ? points.slice(start, end).join('') : refuse('out_of_range');
  });
}

function ofDate(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  const names = ['addDays', 'addMonths', 'startOfMonth', 'endOfMonth', 'date'];
  const name = random.pick(names, 'addDays');
  if (name === 'date') {
    const of = grammar.scalar('text', depth - 1);
    const text = textOf(of);
    return written(grammar, name, [of], (scope) => reference.dayFrom(text(scope)));
  }
  const of = grammar.scalar('date', depth - 1);
  const day = dayOf(of);
  if (name === 'addDays' || name === 'addMonths') {
    const by = grammar.scalar('number', depth - 1);
    const count = numberOf(by);
    return written(grammar, name, [of, by], (scope) => {
      const [from, number] = [day(scope), count(scope)];
      return name === 'addDays'
        ? reference.dayAfter(from, number, 1)
        : reference.monthsAfter(from, number);
    });
  }
  return written(grammar, name, [of], (scope) => {
    const [year, month] = reference.calendarOf(day(scope));
    const last = reference.daysInMonth(year, month);
    return reference.dayOf(year, month, name === 'startOfMonth' ? 1 : last);
  });
}

function ofTruth(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  const name = random.pick(
    'contains startsWith endsWith has all exists exists_one'.split(' '),
    'has',
  );
  if (name === 'has') {
    const path = grammar.anyPath();
    if (path !== null && !path.source.includes('[')) return existence(path);
  }
  if (name === 'all' || name === 'exists' || name === 'exists_one') {
    const from = grammar.anyList();
    const type = from === null ? null : present(from.type);
    if (from !== null && type?.kind === 'list')
      return quantified(grammar, from, type.item, name, depth);
  }
  const [a, b] = [grammar.scalar('text', depth - 1), grammar.scalar('text', depth - 1)];
  const [x, y] = [textOf(a), textOf(b)];
  const test = random.pick(['contains', 'startsWith', 'endsWith'] as const, 'contains');
  return written(grammar, test, [a, b], (scope) => {
    const [text, sought] = [x(scope), y(scope)];
    if (test === 'contains') return text.includes(sought);
    return test === 'startsWith' ? text.startsWith(sought) : text.endsWith(sought);
  });
}

function existence(path: Part): Part {
  return {
    source: `has(${path.source})`,
    power: 7,
    value: (scope) => {
      const found = outcomeOf((inner) => path.value(inner) !== null, scope);
      return found === true;
    },
  };
}

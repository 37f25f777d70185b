import type { Grammar } from './grammar.ts';
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
  truthOf,
} from './part.ts';
import * as reference from './reference.ts';
import { type Exact, need, Refused, type Value } from './reference.ts';

/** Operators: how each is written, and its value by the reference. */

export function conditional(grammar: Grammar, make: () => Part, depth: number): Part {
  const condition = grammar.scalar('boolean', depth - 1);
  const [a, b] = [make(), make()];
  const holds = truthOf(condition);
  return {
    source: `${grammar.wrapped(condition, 1)} ? ${grammar.wrapped(a, 1)} : ${grammar.wrapped(b, 0)}`,
    power: 0,
    value: (scope) => (holds(scope) ? a.value(scope) : b.value(scope)),
  };
}

function infix(
  grammar: Grammar,
  [a, b]: readonly [Part, Part],
  sign: string,
  power: number,
  value: Evaluate,
): Part {
  const source = `${grammar.wrapped(a, power)} ${sign} ${grammar.wrapped(b, power + 1)}`;
  return { source, power, value };
}

const ARITHMETIC: Readonly<Record<string, (a: Exact, b: Exact) => Exact>> = {
  '+': (a, b) => reference.plus(a, b, 1n),
  '-': (a, b) => reference.plus(a, b, -1n),
  '*': reference.times,
  '/': reference.over,
  '%': reference.rest,
};

/** An operator that gives this kind; null when there is none. */
export function binary(grammar: Grammar, kind: Scalar, depth: number): Part | null {
  const { random } = grammar;
  const make = (of: Scalar): Part => grammar.scalar(of, depth - 1);
  if (kind === 'number') {
    if (random.chance(6)) {
      const [a, b] = [make('date'), make('date')];
      const [x, y] = [dayOf(a), dayOf(b)];
      return infix(grammar, [a, b], '-', 4, (scope) => {
        const [to, from] = [x(scope), y(scope)];
        return { units: BigInt(to.days - from.days), scale: 0 };
      });
    }
    if (random.chance(6)) return negated(grammar, make('number'));
    const sign = random.pick(Object.keys(ARITHMETIC), '+');
    const compute = ARITHMETIC[sign];
    const [a, b] = [make('number'), make('number')];
    const [x, y] = [numberOf(a), numberOf(b)];
    return infix(grammar, [a, b], sign, '+-'.includes(sign) ? 4 : 5, (scope) => {
      const [left, right] = [x(scope), y(scope)];
      return compute?.(left, right) ?? null;
    });
  }
  if (kind === 'text') {
    const [a, b] = [make('text'), make('text')];
    const [x, y] = [textOf(a), textOf(b)];
    return infix(grammar, [a, b], '+', 4, (scope) => x(scope) + y(scope));
  }
  if (kind === 'date') {
    const [a, b] = [make('date'), make('number')];
    const sign = random.chance(2) ? 1 : -1;
    const [x, y] = [dayOf(a), numberOf(b)];
    return infix(grammar, [a, b], sign === 1 ? '+' : '-', 4, (scope) => {
      const [day, count] = [x(scope), y(scope)];
      return reference.dayAfter(day, count, sign);
    });
  }
  return truth(grammar, depth);
}

function negated(grammar: Grammar, of: Part): Part {
  const value = numberOf(of);
  const negate = (scope: Scope): Value => {
    const { units, scale } = value(scope);
    return { units: -units, scale };
  };
  return { source: `-${grammar.wrapped(of, 6)}`, power: 6, value: negate };
}

const ORDER: Readonly<Record<string, (sign: number) => boolean>> = {
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

function truth(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  switch (random.below(6)) {
    case 0:
      return logic(grammar, depth, '||', 1);
    case 1:
      return logic(grammar, depth, '&&', 2);
    case 2: {
      const of = grammar.scalar('boolean', depth - 1);
      const value = truthOf(of);
      return { source: `!${grammar.wrapped(of, 6)}`, power: 6, value: (scope) => !value(scope) };
    }
    case 3:
      return equality(grammar, depth);
    case 4:
      return membership(grammar, depth);
    default: {
      const kind = random.pick(KINDS, 'number');
      const [a, b] = [grammar.scalar(kind, depth - 1), grammar.scalar(kind, depth - 1)];
      const sign = random.pick(Object.keys(ORDER), '<');
      return infix(grammar, [a, b], sign, 3, (scope) => {
        const [x, y] = [need(a.value(scope)), need(b.value(scope))];
        return ORDER[sign]?.(reference.compare(x, y)) ?? null;
      });
    }
  }
}

function logic(grammar: Grammar, depth: number, sign: '||' | '&&', power: number): Part {
  const [a, b] = [grammar.scalar('boolean', depth - 1), grammar.scalar('boolean', depth - 1)];
  const [x, y] = [truthOf(a), truthOf(b)];
  const decides = sign === '||';
  return infix(grammar, [a, b], sign, power, (scope) => {
    const first = outcomeOf(x, scope);
    if (first === decides) return decides;
    const second = outcomeOf(y, scope);
    if (second === decides) return decides;
    for (const outcome of [first, second]) if (outcome instanceof Refused) throw outcome;
    return !decides;
  });
}

function equality(grammar: Grammar, depth: number): Part {
  const { random } = grammar;
  const kind = random.pick(KINDS, 'number');
  const path = grammar.anyPath();
  const isNullTest = random.chance(3) && path !== null;
  const isList = random.chance(3);
  const plain = (): Part =>
    isList ? grammar.list(kind, depth - 1) : grammar.scalar(kind, depth - 1);
  const a = isNullTest ? path : plain();
  const b: Part = isNullTest
    ? { source: 'null', power: 7, value: () => null }
    : path !== null && a === path
      ? path
      : plain();
  const isEqual = random.chance(2);
  return infix(grammar, [a, b], isEqual ? '==' : '!=', 3, (scope) => {
    const [x, y] = [a.value(scope), b.value(scope)];
    return reference.isEqual(x, y) === isEqual;
  });
}

function membership(grammar: Grammar, depth: number): Part {
  const record = grammar.anyRecord();
  if (record !== null && grammar.random.chance(2)) {
    const name = grammar.scalar('text', depth - 1);
    const text = textOf(name);
    return infix(grammar, [name, record], 'in', 3, (scope) => {
      const [field, of] = [text(scope), need(record.value(scope))];
      return reference.isMap(of) && (of.get(field) ?? null) !== null;
    });
  }
  const kind = grammar.random.pick(KINDS, 'number');
  const [a, list] = [grammar.scalar(kind, depth - 1), grammar.list(kind, depth - 1)];
  return infix(grammar, [a, list], 'in', 3, (scope) => {
    const [value, items] = [a.value(scope), listOf(list.value(scope))];
    return items.some((item) => reference.isEqual(value, item));
  });
}

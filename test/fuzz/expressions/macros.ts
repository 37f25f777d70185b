import type { Type } from '../../../src/expressions/index.ts';
import { present } from './contract.ts';
import type { Grammar } from './grammar.ts';
import {
  KINDS,
  listOf,
  named,
  outcomeOf,
  type Part,
  type Scalar,
  type Scope,
  truthOf,
  TYPES,
} from './part.ts';
import * as reference from './reference.ts';
import { need, Refused, type Value } from './reference.ts';

/** Macros: how each is written, and its value by the reference. */

/** `list.macro(x, …)` that gives a list of this kind. */
export function macro(grammar: Grammar, kind: Scalar, depth: number): Part | null {
  const { random } = grammar;
  if (random.chance(2)) {
    const from = grammar.anyList();
    const type = from === null ? null : present(from.type);
    if (from === null || type?.kind !== 'list') return null;
    return mapped(grammar, from, type.item, kind, depth);
  }
  const from = grammar.list(kind, depth - 1);
  if (random.chance(2)) {
    const [name, condition] = grammar.within(TYPES[kind], () =>
      grammar.scalar('boolean', depth - 1),
    );
    const holds = truthOf(condition);
    return looped(grammar, from, 'filter', name, [condition], (items, bind) =>
      items.filter((item) => holds(bind(item))),
    );
  }
  const by = random.pick(KINDS, 'number');
  const [name, key] = grammar.within(TYPES[kind], () => grammar.scalar(by, depth - 1));
  return looped(grammar, from, 'sortBy', name, [key], (items, bind) => {
    const keyed = items.map((item) => ({ item, key: need(key.value(bind(item))) }));
    return keyed.toSorted((a, b) => reference.compare(a.key, b.key)).map(({ item }) => item);
  });
}

function mapped(grammar: Grammar, from: Part, item: Type, kind: Scalar, depth: number): Part {
  let condition: Part | null = null;
  const [name, body] = grammar.within(item, () => {
    if (grammar.random.chance(3)) condition = grammar.scalar('boolean', depth - 1);
    return grammar.scalar(kind, depth - 1);
  });
  const filter = condition as Part | null;
  const holds = filter === null ? () => true : truthOf(filter);
  const bodies = filter === null ? [body] : [filter, body];
  return looped(grammar, from, 'map', name, bodies, (items, bind) => {
    const values: Value[] = [];
    for (const each of items) if (holds(bind(each))) values.push(body.value(bind(each)));
    return values;
  });
}

function looped(
  grammar: Grammar,
  from: Part,
  form: string,
  name: string,
  bodies: readonly Part[],
  go: (items: readonly Value[], bind: (item: Value) => Scope) => Value,
): Part {
  const inside = [named(name), ...bodies.map(({ source }) => source)].join(', ');
  return {
    source: `${grammar.wrapped(from, 7)}.${form}(${inside})`,
    power: 7,
    value: (scope) => go(listOf(from.value(scope)), (item) => new Map([...scope, [name, item]])),
  };
}

export function quantified(
  grammar: Grammar,
  from: Part,
  item: Type,
  name: 'all' | 'exists' | 'exists_one',
  depth: number,
): Part {
  const [variable, condition] = grammar.within(item, () => grammar.scalar('boolean', depth - 1));
  const holds = truthOf(condition);
  return looped(grammar, from, name, variable, [condition], (items, bind) => {
    if (name === 'exists_one') return items.filter((each) => holds(bind(each))).length === 1;
    const decides = name === 'exists';
    let fault: Refused | null = null;
    for (const each of items) {
      const outcome = outcomeOf(holds, bind(each));
      if (outcome === decides) return decides;
      if (outcome instanceof Refused) fault ??= outcome;
    }
    if (fault !== null) throw fault;
    return !decides;
  });
}

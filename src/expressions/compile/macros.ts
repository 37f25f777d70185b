import { Fault } from '../fault.ts';
import type { CallNode } from '../syntax/nodes.ts';
import { BOOLEAN, describeType, listOf, present, type Type, UNKNOWN } from '../types.ts';
import type { Value } from '../values/value.ts';
import { compareScalars, read } from './equality.ts';
import { attempt } from './logic.ts';
import {
  asBoolean,
  asList,
  asPresent,
  charge,
  type Compiler,
  type Context,
  excerpt,
  isKind,
  parseSteps,
  type Typed,
} from './typed.ts';

/** How a macro goes through its list: `body` gives the value of its last argument for an item. */
interface Loop<Body> {
  readonly list: (context: Context) => readonly unknown[];
  /** Reads the item into the macro's variable. */
  readonly bind: (context: Context, raw: unknown) => Value;
  readonly body: (context: Context) => Body;
}

type Visit<Body> = (context: Context, loop: Loop<Body>) => Value;

/** Macros whose body is a condition. */
const CONDITIONS: Readonly<Record<string, Visit<boolean>>> = {
  all: (context, loop) => decide(context, loop, false),
  exists: (context, loop) => decide(context, loop, true),
  exists_one: (context, loop) => holding(context, loop).length === 1,
  filter: holding,
};

const NAMES = new Set([...Object.keys(CONDITIONS), 'existsOne', 'map', 'sortBy']);

/** Whether `list.name(…)` is a macro. */
export function isMacro(name: string): boolean {
  return NAMES.has(name);
}

/** True or false as soon as one item decides it; an item that fails counts only if none does. */
function decide(context: Context, { list, bind, body }: Loop<boolean>, decides: boolean): boolean {
  let fault: Fault | null = null;
  for (const raw of list(context)) {
    bind(context, raw);
    const result = attempt(body, context);
    if (result === decides) return decides;
    if (result instanceof Fault) fault ??= result;
  }
  if (fault !== null) throw fault;
  return !decides;
}

function holding(context: Context, { list, bind, body }: Loop<boolean>): Value[] {
  const held: Value[] = [];
  for (const raw of list(context)) {
    const item = bind(context, raw);
    if (body(context)) held.push(item);
  }
  return held;
}

/** Compiles `list.macro(variable, …)`. */
export function compileMacro(compiler: Compiler, node: CallNode): Typed {
  const name = node.name === 'existsOne' ? 'exists_one' : node.name;
  const { target, args } = node;
  const [variable, ...bodies] = args;
  const isMapWithFilter = name === 'map' && bodies.length === 2;
  if (target === null || variable?.kind !== 'name' || (bodies.length !== 1 && !isMapWithFilter)) {
    return compiler.report(
      'wrong_arguments',
      `${node.name}() is written ${FORMS[name] ?? ''}.`,
      node,
    );
  }
  const list = compiler.compile(target);
  if (!isKind(list.type, 'list')) {
    const what = `${excerpt(compiler.source, list.span)} is ${describeType(list.type)}`;
    return compiler.report('wrong_type', `${what}; ${node.name}() takes a list.`, list.span);
  }
  const type = present(list.type);
  const item = type.kind === 'list' ? type.item : UNKNOWN;
  return compiler.within(variable.name, item, (inner, slot) => {
    const [first, second] = bodies.map((body) => inner.compile(body));
    if (first === undefined) throw new RangeError('a macro has a body');
    const macro = { compiler, node, list, item, slot };
    if (name === 'map')
      return compileMap(macro, second ?? first, second === undefined ? null : first);
    return name === 'sortBy' ? compileSort(macro, first) : compileCondition(macro, first, name);
  });
}

const FORMS: Readonly<Record<string, string>> = {
  all: 'list.all(x, condition)',
  exists: 'list.exists(x, condition)',
  exists_one: 'list.exists_one(x, condition)',
  filter: 'list.filter(x, condition)',
  map: 'list.map(x, value) or list.map(x, condition, value)',
  sortBy: 'list.sortBy(x, key)',
};

interface Macro {
  readonly compiler: Compiler;
  readonly node: CallNode;
  readonly list: Typed;
  readonly item: Type;
  readonly slot: number;
}

/** The loop of the macro, which charges the steps of its bodies for each item. */
function loopOf<Body>(
  { compiler, node, list, item, slot }: Macro,
  body: (context: Context) => Body,
  cost: number,
): Loop<Body> {
  const steps = cost + 2;
  return {
    list: asList(list, compiler.source),
    body,
    bind: (context, raw) => {
      charge(context, steps + parseSteps(raw, item));
      const value = read(raw, item, node);
      context.variables[slot] = value;
      return value;
    },
  };
}

function isCondition({ compiler, node }: Macro, body: Typed): boolean {
  if (isKind(body.type, 'boolean')) return true;
  const what = `${excerpt(compiler.source, body.span)} is ${describeType(body.type)}`;
  compiler.report('wrong_type', `${what}; ${node.name}() takes a condition.`, body.span);
  return false;
}

function compileCondition(macro: Macro, body: Typed, name: string): Typed {
  const { compiler, node, list, item } = macro;
  const visit = CONDITIONS[name];
  if (visit === undefined) throw new RangeError(`no macro ${name}`);
  isCondition(macro, body);
  const loop = loopOf(macro, asBoolean(body, compiler.source), body.cost);
  const type = name === 'filter' ? listOf(item) : BOOLEAN;
  return { type, span: node, cost: list.cost + 2, run: (context) => visit(context, loop) };
}

function compileMap(macro: Macro, body: Typed, condition: Typed | null): Typed {
  const { compiler, node, list } = macro;
  if (condition !== null) isCondition(macro, condition);
  const holds = condition === null ? () => true : asBoolean(condition, compiler.source);
  const loop = loopOf(macro, body.run, body.cost + (condition?.cost ?? 0));
  const run = (context: Context): Value => {
    const values: Value[] = [];
    for (const raw of loop.list(context)) {
      loop.bind(context, raw);
      if (holds(context)) values.push(loop.body(context));
    }
    return values;
  };
  return { type: listOf(body.type), span: node, cost: list.cost + 2, run };
}

/** Sorts by a key, the smallest first; items with equal keys keep their order. */
function compileSort(macro: Macro, key: Typed): Typed {
  const { compiler, node, list, item } = macro;
  if (!isKind(key.type, 'number', 'text', 'date', 'boolean')) {
    const what = `${excerpt(compiler.source, key.span)} is ${describeType(key.type)}`;
    const message = `${what}; sortBy() takes a number, a text, a date or a boolean.`;
    compiler.report('wrong_type', message, key.span);
  }
  const loop = loopOf(macro, asPresent(key, compiler.source), key.cost + 2);
  const run = (context: Context): Value => {
    const keyed = loop.list(context).map((raw) => {
      const value = loop.bind(context, raw);
      return { value, key: loop.body(context) };
    });
    // The comparisons of a merge sort, counted before they are made.
    charge(context, keyed.length * Math.ceil(Math.log2(keyed.length + 1)));
    return keyed
      .toSorted((a, b) => compareScalars(context, a.key, b.key))
      .map(({ value }) => value);
  };
  return { type: listOf(item), span: node, cost: list.cost + 2, run };
}

import type { Node } from '../syntax/nodes.ts';
import { shortened } from '../fault.ts';
import { nearest, suggested } from '../../runtime/nearest.ts';
import {
  BOOLEAN,
  describeType,
  fieldOf,
  present,
  recordOf,
  sizeOf,
  type Type,
  UNKNOWN,
} from '../types.ts';
import { EXPRESSION_LIMITS } from '../limits.ts';
import { wholeNumber } from '../values/decimal.ts';
import { isRecord, ownField, type Value } from '../values/value.ts';
import { read } from './equality.ts';
import {
  asList,
  asNumber,
  asRecord,
  type Compiler,
  type Context,
  defective,
  excerpt,
  isKind,
  thrower,
  type Typed,
} from './typed.ts';

/** `; did you mean "x"?`, or a full stop. */
function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known, { left: 20_000 });
  return near === null ? '.' : suggested(near);
}

/** A variable of a macro, or a name of the scope. */
export function compileName(compiler: Compiler, node: Extract<Node, { kind: 'name' }>): Typed {
  const { name } = node;
  const variable = compiler.variables.findLast((known) => known.name === name);
  if (variable !== undefined) {
    const { slot, type } = variable;
    const run = ({ variables }: Context): Value => read(variables[slot], type, node);
    return { type, span: node, cost: 1, run };
  }
  const type = fieldOf(compiler.scope, name);
  if (type === undefined) {
    const names = compiler.variables.map((known) => known.name);
    const known = [...Object.keys(compiler.scope), ...names];
    return compiler.report(
      'unknown_name',
      `There is no "${shortened(name)}"${hint(name, known)}`,
      node,
    );
  }
  const run = ({ values }: Context): Value => read(ownField(values, name), type, node);
  return { type, span: node, cost: 2, run };
}

/** `record.field`. */
export function compileSelect(compiler: Compiler, node: Extract<Node, { kind: 'select' }>): Typed {
  const of = compiler.compile(node.of);
  const field = fieldType(compiler, of, node.name, node.nameSpan);
  if (field === null) return defective(node);
  return selected(compiler, node, of, node.name, field);
}

function selected(compiler: Compiler, node: Node, of: Typed, name: string, type: Type): Typed {
  const record = asRecord(of, compiler.source);
  const run = (context: Context): Value => read(ownField(record(context), name), type, node);
  return { type, span: node, cost: of.cost + 2, run };
}

/** The type of a record's field; null, with a defect reported, when there is none. */
function fieldType(compiler: Compiler, of: Typed, name: string, span: Typed['span']): Type | null {
  const type = present(of.type);
  if (type.kind === 'unknown') return null;
  if (type.kind !== 'record') {
    const what = `${excerpt(compiler.source, of.span)} is ${describeType(type)}`;
    compiler.report('wrong_type', `${what} and has no field "${shortened(name)}".`, span);
    return null;
  }
  const field = fieldOf(type.fields, name);
  if (field !== undefined) return field;
  const near = hint(name, Object.keys(type.fields));
  const what = excerpt(compiler.source, of.span);
  compiler.report('unknown_name', `${what} has no field "${shortened(name)}"${near}`, span);
  return null;
}

/** `list[number]`, counted from 0, or `record["field"]`. */
export function compileIndex(compiler: Compiler, node: Extract<Node, { kind: 'index' }>): Typed {
  const of = compiler.compile(node.of);
  const index = compiler.compile(node.index);
  const container = present(of.type);
  if (container.kind === 'record') {
    if (node.index.kind !== 'literal' || typeof node.index.value !== 'string') {
      const message = 'A field in brackets is written as a text: record["field"].';
      return compiler.report('wrong_type', message, node.index);
    }
    const field = fieldType(compiler, of, node.index.value, node.index);
    return field === null ? defective(node) : selected(compiler, node, of, node.index.value, field);
  }
  if (!isKind(container, 'list') || !isKind(index.type, 'number')) {
    const what = `${excerpt(compiler.source, node)}: ${describeType(of.type)}`;
    const message = `${what} has no item at ${describeType(index.type)}; a list has, at a number.`;
    return compiler.report('wrong_type', message, node);
  }
  const item = container.kind === 'list' ? container.item : UNKNOWN;
  const [list, at] = [asList(of, compiler.source), asNumber(index, compiler.source)];
  const missing = `${excerpt(compiler.source, node)}: the list has no such item.`;
  const outside = thrower('out_of_range', missing, node);
  const run = (context: Context): Value => {
    const items = list(context);
    const position = wholeNumber(at(context));
    if (position === null || position < 0 || position >= items.length) return outside();
    return read(items[position], item, node);
  };
  return { type: item, span: node, cost: of.cost + index.cost + 2, run };
}

/**
 * `has(record.field)` and `has(name)`: whether the value is there and not null. False, too, when a
 * record on the way to the field is absent.
 */
export function compileHas(compiler: Compiler, node: Node, args: readonly Node[]): Typed {
  const [arg, ...more] = args;
  if (arg === undefined || more.length > 0 || (arg.kind !== 'select' && arg.kind !== 'name')) {
    const message = 'has() takes one name or field, as in has(customer.email).';
    return compiler.report('wrong_arguments', message, node);
  }
  const fields: Extract<Node, { kind: 'select' }>[] = [];
  let from: Node = arg;
  for (; from.kind === 'select'; from = from.of) fields.unshift(from);
  const base = compiler.compile(from);
  let of = base;
  for (const field of fields) {
    const type = fieldType(compiler, of, field.name, field.nameSpan);
    if (type === null) return defective(node);
    of = { ...base, type, span: field };
  }
  const names = fields.map(({ name }) => name);
  const run = (context: Context): boolean => {
    let value: unknown = base.run(context);
    for (const name of names) value = isRecord(value) ? ownField(value, name) : null;
    return value !== null && value !== undefined;
  };
  return { type: BOOLEAN, span: node, cost: base.cost + names.length + 1, run };
}

/** `{"name": value}`: a record, whose names are written as texts. */
export function compileRecord(compiler: Compiler, node: Extract<Node, { kind: 'record' }>): Typed {
  const fields: [string, Typed][] = [];
  for (const { key, value } of node.entries) {
    const compiled = compiler.compile(value);
    if (key.kind !== 'literal' || typeof key.value !== 'string') {
      compiler.report('wrong_type', 'The names of a record are texts: {"name": value}.', key);
    } else if (fields.some(([name]) => name === key.value)) {
      compiler.report('wrong_arguments', `This record has "${shortened(key.value)}" twice.`, key);
    } else {
      fields.push([key.value, compiled]);
    }
  }
  const type = recordOf(Object.fromEntries(fields.map(([name, value]) => [name, value.type])));
  const { typeSizeMax } = EXPRESSION_LIMITS;
  if (sizeOf(type) > typeSizeMax) {
    const message = `A record has at most ${typeSizeMax} fields, with those of records inside it.`;
    return compiler.report('too_large', message, node);
  }
  const cost = fields.reduce((sum, [, value]) => sum + value.cost, 3 + fields.length * 2);
  const run = (context: Context): Value =>
    Object.fromEntries(fields.map(([name, value]) => [name, value.run(context)]));
  return { type, span: node, cost, run };
}

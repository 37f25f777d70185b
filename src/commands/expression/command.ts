import type { Command } from 'commander';
import { readFileSync } from 'node:fs';

import {
  compile,
  describeType,
  type ExpressionError,
  type Fields,
  type RecordValue,
  type Result,
} from '../../expressions/index.ts';
import { CommandFailed, unreadable } from '../console/failure.ts';
import { notJson } from '../console/files/json-fault.ts';
import { show } from '../console/output.ts';
import { asUtf8 } from '../console/files/text-file.ts';
import { inferType, parseExactly, plain, withoutPlaces, withPlaces } from './infer.ts';

interface Options {
  readonly data?: string;
  readonly json?: boolean;
}

export default function define(command: Command): void {
  command
    .argument('<expression>', 'expression of docs/expressions.md')
    .option('--data <file>', 'JSON file whose fields are the names of the expression')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(evaluate);
}

const HELP = `
Types come from the data: a text such as 2026-01-31 is a date, a field that some items of a list lack is
optional. Numbers are exact and keep the digits that they have in the file.

Examples:
  $ ./intaglio expression 'round(1250.50 * 0.07, 2)'
  $ ./intaglio expression 'sum(items.map(i, i.amount))' --data data.json
  $ ./intaglio expression 'items.filter(i, i.amount < 0)' --data data.json`;

function evaluate(source: string, { data: path, json }: Options): void {
  const data = withPlaces(path === undefined ? {} : readData(path));
  const fields: Fields = fieldsOf(data, path ?? '');
  const compiled = compile(source, fields);
  if (!compiled.ok) throw new CommandFailed(compiled.errors.map(describe).join('\n  '));
  const evaluated = compiled.evaluate(plain(data) as RecordValue);
  if (!evaluated.ok) throw new CommandFailed(describe(evaluated.error));
  const { steps } = evaluated;
  const value = withoutPlaces(evaluated.value);
  const type = describeType(compiled.type).replace(/^an? /, '');
  show(json, { type, value, steps }, () => print(value));
}

function readData(path: string): unknown {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  const text = Buffer.from(asUtf8(bytes, path, null).bytes).toString();
  try {
    return parseExactly(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailed(notJson(path, text));
  }
}

function fieldsOf(data: unknown, path: string): Fields {
  const type = inferType(data, '', (at) => {
    throw new CommandFailed(`${path}: ${at} has another type than the items before it`);
  });
  if (type.kind !== 'record') throw new CommandFailed(`${path} is no JSON object`);
  return type.fields;
}

function describe({ line, column, message }: ExpressionError): string {
  return `${line}:${column} ${message}`;
}

function print(value: Result): string {
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

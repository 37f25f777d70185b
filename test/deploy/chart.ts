import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

import { HOME } from '../../lab/home.ts';
import { type Node, parseTemplate, type Term } from './template-syntax.ts';

/*
 * Renders the chart as `helm template` does, for machines without Helm: the part of Go's text/template
 * and of Helm's functions that the chart uses. Anything else is an error. Where helm is installed, the
 * test compares both.
 */

const CHART = join(HOME, 'deploy/helm/intaglio');

type Values = Readonly<Record<string, unknown>>;

/** A refusal of the chart itself (`fail`). */
export class ChartFails extends Error {}

/** The documents of all templates, with these values over the chart's own. */
export function renderChart(values: Values): readonly Values[] {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Values;
  const own = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;
  const root = {
    Values: merge(own, values),
    Release: { Name: 'bank' },
    Chart: { AppVersion: chart['appVersion'] },
    Files: { Get: (name: unknown) => readFileSync(join(CHART, String(name)), 'utf8') },
  };
  const folder = join(CHART, 'templates');
  const files = readdirSync(folder).toSorted();
  const blocks = new Map<string, readonly Node[]>();
  const pages = files.map((name) =>
    parseTemplate(readFileSync(join(folder, name), 'utf8'), blocks),
  );
  return pages
    .flatMap((nodes) => parseAllDocuments(new Run(root, blocks).page(nodes)))
    .flatMap((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      const value: unknown = document.toJS();
      return isMap(value) ? [value] : [];
    });
}

function merge(own: Values, over: Values): Values {
  const merged: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isMap(before) && isMap(value) ? merge(before, value) : value;
  }
  return merged;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What Go's templates take for false. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** One rendering of a page or an included block. */
class Run {
  readonly #root: unknown;
  readonly #blocks: ReadonlyMap<string, readonly Node[]>;

  constructor(root: unknown, blocks: ReadonlyMap<string, readonly Node[]>) {
    this.#root = root;
    this.#blocks = blocks;
  }

  page(nodes: readonly Node[]): string {
    return this.#all(nodes, this.#root, new Map([['$', this.#root]]));
  }

  #all(nodes: readonly Node[], dot: unknown, variables: Map<string, unknown>): string {
    return nodes.map((node) => this.#one(node, dot, variables)).join('');
  }

  #one(node: Node, dot: unknown, variables: Map<string, unknown>): string {
    if (node.kind === 'text') return node.text;
    const value = this.#pipe(node.pipe, dot, variables);
    const inner = new Map(variables);
    switch (node.kind) {
      case 'value':
        if (node.assigns === '') return text(value);
        variables.set(node.assigns, value);
        return '';
      case 'if':
        return this.#all(isEmpty(value) ? node.otherwise : node.body, dot, inner);
      case 'with':
        if (isEmpty(value)) return this.#all(node.otherwise, dot, inner);
        return this.#all(node.body, value, inner);
      case 'range':
        return entriesOf(value)
          .map(([key, item]) => {
            const [first, second] = node.names;
            if (second !== undefined) inner.set(first ?? '', key).set(second, item);
            else if (first !== undefined) inner.set(first, item);
            return this.#all(node.body, item, new Map(inner));
          })
          .join('');
    }
  }

  /** The value of a pipeline: each command gets the value of the one before as its last argument. */
  #pipe(
    pipe: readonly (readonly Term[])[],
    dot: unknown,
    variables: Map<string, unknown>,
  ): unknown {
    let piped: unknown[] = [];
    for (const command of pipe) piped = [this.#command(command, piped, dot, variables)];
    return piped[0];
  }

  #command(
    [head, ...rest]: readonly Term[],
    piped: readonly unknown[],
    dot: unknown,
    variables: Map<string, unknown>,
  ): unknown {
    if (head === undefined) throw new Error('an empty command');
    const values = rest.map((term) => this.#term(term, dot, variables));
    if (head.kind === 'name') return this.#call(head.name, [...values, ...piped]);
    const value = this.#term(head, dot, variables);
    return typeof value === 'function'
      ? (value as (...args: unknown[]) => unknown)(...values)
      : value;
  }

  #term(term: Term, dot: unknown, variables: Map<string, unknown>): unknown {
    switch (term.kind) {
      case 'literal':
        return term.value;
      case 'name':
        return this.#call(term.name, []);
      case 'dot':
        return fieldOf(dot, term.path);
      case 'variable':
        if (!variables.has(term.name)) throw new Error(`there is no variable ${term.name}`);
        return fieldOf(variables.get(term.name), term.path);
      case 'group':
        return fieldOf(this.#pipe(term.pipe, dot, variables), term.path);
    }
  }

  #call(name: string, args: readonly unknown[]): unknown {
    if (name === 'include') {
      const [block, dot] = args;
      const nodes = this.#blocks.get(String(block));
      if (nodes === undefined) throw new Error(`there is no block ${String(block)}`);
      return this.#all(nodes, dot, new Map([['$', dot]]));
    }
    const call = FUNCTIONS[name];
    if (call === undefined) throw new Error(`${name} is not known here`);
    return call(...args);
  }
}

const FUNCTIONS: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
  fail: (message) => {
    throw new ChartFails(String(message));
  },
  toYaml: (value) => stringify(value, { lineWidth: 0 }).trimEnd(),
  nindent: (width, value) => {
    const indent = ' '.repeat(Number(width));
    return `\n${indent}${text(value).replaceAll('\n', `\n${indent}`)}`;
  },
  quote: (value) => JSON.stringify(text(value)),
  default: (preset, value) => (isEmpty(value) ? preset : value),
  printf: (format, ...args) => {
    let index = 0;
    return text(format).replaceAll('%s', () => text(args[index++]));
  },
  trunc: (length, value) => text(value).slice(0, Number(length)),
  trimSuffix: (suffix, value) => {
    const whole = text(value);
    return whole.endsWith(text(suffix)) ? whole.slice(0, -text(suffix).length) : whole;
  },
  tuple: (...items) => items,
  index: (value, ...keys) => fieldOf(value, keys.map(text)),
  and: (...args) => args.find(isEmpty) ?? args.at(-1),
  or: (...args) => args.find((value) => !isEmpty(value)) ?? args.at(-1),
  not: (value) => isEmpty(value),
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  gt: (one, other) => Number(one) > Number(other),
  int: (value) => Math.trunc(Number(value)),
};

function fieldOf(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    // Helm ends with an error for a field of nothing; so does this.
    if (typeof found !== 'object' || found === null) throw new Error(`.${key} of nothing`);
    found = (found as Values)[key];
  }
  return found;
}

/** Go ranges over the keys of a map in their order. */
function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (isMap(value)) return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [];
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error('a map or list is printed without toYaml');
}

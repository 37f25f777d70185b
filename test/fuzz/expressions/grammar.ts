import type { Random } from '../../../lab/fuzz-random.ts';
import { type Fields, type Type } from '../../../src/expressions/index.ts';
import { literal, NAMES, present } from './contract.ts';
import { call } from './functions.ts';
import { macro } from './macros.ts';
import { binary, conditional } from './operators.ts';
import { listOf, named, type Part, type Path, type Scalar, type Scope } from './part.ts';
import { isMap, need, refuse, type Value } from './reference.ts';

interface Known {
  readonly name: string;
  readonly type: Type;
}

/** Makes random expressions whose types are right. */
export class Grammar {
  readonly random: Random;
  readonly #known: Known[];

  constructor(random: Random, fields: Fields) {
    this.random = random;
    this.#known = Object.entries(fields).map(([name, type]) => ({ name, type }));
  }

  /** An operand in parentheses where it binds less strongly, and now and then without need. */
  wrapped(part: Part, power: number): string {
    return part.power < power || this.random.chance(12) ? `(${part.source})` : part.source;
  }

  scalar(kind: Scalar, depth: number): Part {
    if (depth <= 0 || this.random.chance(7)) return this.#leaf(kind);
    const form = this.random.below(10);
    if (form === 0) return conditional(this, () => this.scalar(kind, depth - 1), depth);
    if (form < 5) return binary(this, kind, depth) ?? call(this, kind, depth);
    return call(this, kind, depth);
  }

  /** A list of scalars. */
  list(kind: Scalar, depth: number): Part {
    const form = depth <= 0 ? 0 : this.random.below(8);
    const paths = this.#paths().filter(({ type }) => isListOf(type, kind));
    const path = paths[this.random.below(paths.length)];
    if (form < 2 && path !== undefined) return path;
    if (form < 3) return this.#items(kind, depth);
    if (form === 3) {
      const [a, b] = [this.list(kind, depth - 1), this.list(kind, depth - 1)];
      return {
        source: `${this.wrapped(a, 4)} + ${this.wrapped(b, 5)}`,
        power: 4,
        value: (scope) => [...listOf(a.value(scope)), ...listOf(b.value(scope))],
      };
    }
    return macro(this, kind, depth) ?? this.#items(kind, depth);
  }

  /** A list of any items, with their type. */
  anyList(): Path | null {
    const paths = this.#paths().filter(({ type }) => present(type).kind === 'list');
    return paths[this.random.below(paths.length)] ?? null;
  }

  /** A record of the data, with its type. */
  anyRecord(): Path | null {
    const paths = this.#paths().filter(({ type }) => present(type).kind === 'record');
    return paths[this.random.below(paths.length)] ?? null;
  }

  anyPath(): Path | null {
    const paths = this.#paths();
    return paths[this.random.below(paths.length)] ?? null;
  }

  /** Makes a part in which one more name is known; the name may hide another. */
  within(type: Type, make: (name: string) => Part): [string, Part] {
    const name = this.random.pick(NAMES, 'x');
    this.#known.push({ name, type });
    const part = make(name);
    this.#known.pop();
    return [name, part];
  }

  #leaf(kind: Scalar): Part {
    const paths = this.#paths().filter(({ type }) => present(type).kind === kind);
    const path = paths[this.random.below(paths.length)];
    if (path !== undefined && !this.random.chance(4)) return path;
    if (kind === 'boolean') {
      const value = this.random.chance(2);
      return { source: String(value), power: 7, value: () => value };
    }
    const [source, value] = literal(this.random, kind);
    return { source, power: source.startsWith('-') ? 6 : 7, value: () => value };
  }

  #items(kind: Scalar, depth: number): Part {
    const count = this.random.chance(12) ? 0 : 1 + this.random.below(3);
    const parts = Array.from({ length: count }, () => this.scalar(kind, depth - 2));
    const isWithNull = count > 0 && this.random.chance(10);
    const sources = [...parts.map(({ source }) => source), ...(isWithNull ? ['null'] : [])];
    return {
      source: `[${sources.join(', ')}]`,
      power: 7,
      value: (scope) => [...parts.map(({ value }) => value(scope)), ...(isWithNull ? [null] : [])],
    };
  }

  /** The values that names lead to, without those whose name is hidden. */
  #paths(): Path[] {
    const seen = new Set<string>();
    const found: Path[] = [];
    for (const { name, type } of this.#known.toReversed()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const value = (scope: Scope): Value => scope.get(name) ?? null;
      this.#collect({ source: named(name), power: 7, type, value }, 3, found);
    }
    return found;
  }

  #collect(path: Path, depth: number, found: Path[]): void {
    found.push(path);
    const type = present(path.type);
    if (depth === 0) return;
    if (type.kind === 'record') {
      for (const [name, of] of Object.entries(type.fields)) {
        const value = (scope: Scope): Value => {
          const record = need(path.value(scope));
          return isMap(record) ? (record.get(name) ?? null) : refuse('no record');
        };
        const source = this.random.chance(8)
          ? `${path.source}[${JSON.stringify(name)}]`
          : `${path.source}.${named(name, true)}`;
        this.#collect({ source, power: 7, type: of, value }, depth - 1, found);
      }
    }
    if (type.kind === 'list' && this.random.chance(3)) {
      const index = this.random.below(3);
      const at = (scope: Scope): Value => {
        const items = listOf(path.value(scope));
        return index < items.length ? (items[index] ?? null) : refuse('out_of_range');
      };
      const part = { source: `${path.source}[${index}]`, power: 7, type: type.item, value: at };
      this.#collect(part, depth - 1, found);
    }
  }
}

function isListOf(type: Type, kind: Scalar): boolean {
  const list = present(type);
  return list.kind === 'list' && present(list.item).kind === kind;
}

import { readFileSync } from 'node:fs';
import t from 'tap';

import {
  BOOLEAN,
  compile,
  listOf,
  NUMBER,
  optional,
  recordOf,
  type Result,
  TEXT,
  type Type,
  UNKNOWN,
} from '../../src/expressions/index.ts';

/**
 * Conformance tests of CEL, v0.25.1 of github.com/google/cel-spec (tests/simple/testdata), as packed
 * in @bufbuild/cel-spec 0.6.1. Copyright Google LLC and Buf Technologies, Inc., licensed under the
 * Apache License, Version 2.0. Here each test that concerns this part of CEL is one line of JSON; the
 * others are named in cel-spec-left-out.tsv, each with its reason.
 */
const ALL = 2_344;

/** A type as the file writes it: a name, `[item]`, or `{field: type}`. */
type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

interface Case {
  readonly name: string;
  readonly expr: string;
  readonly scope?: { readonly [name: string]: Shape };
  readonly data?: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
  /** The code of the error that the test demands. */
  readonly error?: string;
}

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

const cases = linesOf('cel-spec.ndjson').map((line) => JSON.parse(line) as Case);
const leftOut = linesOf('cel-spec-left-out.tsv').map((line) => line.split('\t'));

const SCALARS: Readonly<Record<string, Type>> = {
  number: NUMBER,
  text: TEXT,
  boolean: BOOLEAN,
  null: optional(TEXT),
};

function typeOf(shape: Shape): Type {
  if (typeof shape === 'string') return SCALARS[shape] ?? UNKNOWN;
  // The only arrays of a shape are lists.
  if (Array.isArray(shape)) return listOf(typeOf(shape[0] as Shape));
  return recordOf(
    Object.fromEntries(Object.entries(shape).map(([name, of]) => [name, typeOf(of)])),
  );
}

/** Values compare as those of CEL: 1 and 1.0 are one number. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  if ('number' in value) return Number(value.number);
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, comparable(of)]));
}

/** The result as `comparable` gives what the test wants. */
function like(result: Result, wanted: unknown): unknown {
  if (typeof wanted === 'number' && typeof result === 'string') return Number(result);
  if (Array.isArray(result)) {
    return result.map((item: Result, index) =>
      like(item, Array.isArray(wanted) ? wanted[index] : null),
    );
  }
  if (typeof result !== 'object' || result === null) return result;
  const fields = (wanted ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(result).map(([name, of]) => [name, like(of, fields[name])]),
  );
}

t.test('every conformance test is run or named with the reason why not', async (t) => {
  t.equal(cases.length + leftOut.length, ALL);
  for (const [name = '', reason = ''] of leftOut) t.not(reason, '', name);
});

t.test('the conformance tests of the supported part pass', async (t) => {
  for (const { name, expr, scope = {}, data = {}, value, error } of cases) {
    const types = Object.entries(scope).map(([key, shape]) => [key, typeOf(shape)] as const);
    const compiled = compile(expr, Object.fromEntries(types));
    const given = compiled.ok ? compiled.evaluate(data) : compiled;
    if ('value' in given) {
      const wanted = comparable(value);
      t.strictSame(error ?? like(given.value, wanted), wanted, `${name}: ${expr}`);
    } else {
      const found =
        'errors' in given ? given.errors[0] : 'error' in given ? given.error : undefined;
      t.equal(found?.code, error ?? 'no error', `${name}: ${expr}`);
    }
  }
});

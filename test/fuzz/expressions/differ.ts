import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../lab/fuzz-random.ts';
import {
  compile,
  EXPRESSION_LIMITS,
  type Evaluation,
  type Expression,
  type Fields,
} from '../../../src/expressions/index.ts';
import { anyFields, anyValue, NAMES } from './contract.ts';
import { Grammar } from './grammar.ts';
import { KINDS, named, type Part } from './part.ts';
import { jsonOf, Refused, type Value } from './reference.ts';
import { slowness } from '../../hostile/machine.ts';

/** Counts of the expressions that a run of the fuzzer evaluated. */
export interface Counts {
  /** Expressions with right types, which agree with the reference in value or in error. */
  agreed: number;
  /** Part of `agreed`: those that gave a value, not an error. */
  values: number;
  /** Expressions of wrong types or syntax. */
  wrong: number;
  /** Ended by a limit, which the reference does not have. */
  limited: number;
  /** CPU on the machine for which the limits were set. */
  slowestMs: number;
  slowest: string;
  /** By code of the error. */
  readonly codes: Map<string, number>;
}

export function newCounts(): Counts {
  return {
    agreed: 0,
    values: 0,
    wrong: 0,
    limited: 0,
    slowestMs: 0,
    slowest: '',
    codes: new Map(),
  };
}

/** The limit of CPU for one evaluation by docs/expressions.md. */
export const CPU_MS_MAX = 5;

const LIMITS = new Set(['too_large', 'too_many_steps']);
/** Errors that the compiler finds in literals: `/ 0`, a day that does not exist, too many digits. */
const OF_LITERALS = new Set(['too_large', 'out_of_range', 'division_by_zero']);
/** A longer evaluation is repeated, because a collection of garbage is part of the first time. */
const REPEATED_MS = 2;
const REPEATS = 30;
const ROUNDS_MAX = 5;
const ROUND_PAUSE_MS = 500;

/** One random contract, its data, and several expressions over them. */
export function differ(random: Random, counts: Counts): void {
  const fields = anyFields(random, 2, 1 + random.below(6));
  const items = random.chance(10) ? 2_000 : random.chance(3) ? 40 : 4;
  const scope = new Map(
    Object.entries(fields).map(([name, type]) => [name, anyValue(random, type, items)] as const),
  );
  // A text of JSON and back: what the data of a document looks like.
  const data = jsonOf(scope) as Record<string, unknown>;
  for (let turn = 0; turn < 12; turn += 1) {
    const grammar = new Grammar(random, fields);
    const depth = random.chance(6) ? 7 : 1 + random.below(4);
    const kind = random.pick(KINDS, 'number');
    const part = random.chance(5) ? grammar.list(kind, depth) : grammar.scalar(kind, depth);
    compareWith(part, scope, data, fields, counts);
    const wrong = spoiled(part.source, random);
    if (evaluationOf(wrong, fields, data, counts) !== null) counts.wrong += 1;
  }
}

function compareWith(
  part: Part,
  scope: ReadonlyMap<string, Value>,
  data: Record<string, unknown>,
  fields: Fields,
  counts: Counts,
): void {
  const { source } = part;
  const compiled = evaluationOf(source, fields, data, counts);
  const told = (problem: string): Error =>
    new Error(
      `${problem}\n${source}\n${JSON.stringify(fields)}\n${JSON.stringify(data).slice(0, 2_000)}`,
    );
  if (compiled === null) throw told('no answer');
  if ('refused' in compiled) {
    // The items of [] have no type: what is made of them may be refused wherever a type matters.
    if (source.includes('[]')) return;
    const other = compiled.refused.find((code) => !OF_LITERALS.has(code));
    if (other !== undefined) throw told(`the types are right, but: ${other} ${compiled.message}`);
    counts.limited += 1;
    return;
  }
  if (!compiled.ok && LIMITS.has(compiled.error.code)) {
    counts.limited += 1;
    return;
  }
  const expected = expectedOf(part, scope);
  if (compiled.ok) {
    if (expected instanceof Refused || !isDeepStrictEqual(compiled.value, expected)) {
      throw told(`${JSON.stringify(compiled.value)} instead of ${describe(expected)}`);
    }
    counts.values += 1;
  } else if (!(expected instanceof Refused) || expected.code !== compiled.error.code) {
    throw told(`${compiled.error.code} instead of ${describe(expected)}`);
  }
  counts.agreed += 1;
}

function describe(expected: unknown): string {
  return expected instanceof Refused ? expected.code : JSON.stringify(expected);
}

function expectedOf(part: Part, scope: ReadonlyMap<string, Value>): unknown {
  try {
    return jsonOf(part.value(scope));
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

type Answer = Evaluation | { readonly refused: readonly string[]; readonly message: string };

/** Compiles and evaluates twice; checks what holds for every source. */
function evaluationOf(
  source: string,
  fields: Fields,
  data: Record<string, unknown>,
  counts: Counts,
): Answer | null {
  const compiled = compile(source, fields);
  if (!compiled.ok) {
    for (const error of compiled.errors) {
      checkPlace(error, source);
      counts.codes.set(error.code, (counts.codes.get(error.code) ?? 0) + 1);
    }
    const [first] = compiled.errors;
    if (first === undefined) throw new Error(`refused without a defect: ${source}`);
    return { refused: compiled.errors.map(({ code }) => code), message: first.message };
  }
  const [first, ms] = timed(compiled, data);
  const second = compiled.evaluate(data);
  if (!isDeepStrictEqual(first, second)) throw new Error(`two evaluations differ: ${source}`);
  if (first.steps > EXPRESSION_LIMITS.stepsMax) throw new Error(`too many steps: ${source}`);
  if (ms > counts.slowestMs) {
    const least = ms > REPEATED_MS ? leastMs(compiled, data) : ms;
    if (least > counts.slowestMs) {
      counts.slowestMs = least;
      counts.slowest = `${first.steps} steps: ${source.slice(0, 400)}`;
    }
  }
  if (!first.ok) {
    checkPlace(first.error, source);
    counts.codes.set(first.error.code, (counts.codes.get(first.error.code) ?? 0) + 1);
  }
  return first;
}

/**
 * The least time of many evaluations. One that seems too long is measured again after a while: a
 * machine with ten times as many threads as cores is slow for seconds, and V8 takes its time to
 * compile what it ran as another expression before.
 */
function leastMs(expression: Expression, data: Record<string, unknown>): number {
  let least = Infinity;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (round > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ROUND_PAUSE_MS);
    const times = Array.from({ length: REPEATS }, () => timed(expression, data)[1]);
    const measured = Math.min(...times);
    // Asked now: a machine that was slow for a moment is not slow at the end.
    least = Math.min(least, measured > CPU_MS_MAX ? measured / slowness() : measured);
    if (least <= CPU_MS_MAX) break;
  }
  return least;
}

/**
 * By the clock, not by the thread's CPU time, which Linux may count in ticks of 4 ms. CPU time is
 * never more, and the least of many times is close to it.
 */
function timed(expression: Expression, data: Record<string, unknown>): [Evaluation, number] {
  const before = performance.now();
  const evaluation = expression.evaluate(data);
  return [evaluation, performance.now() - before];
}

function checkPlace(
  error: { start: number; end: number; line: number; column: number; message: string },
  source: string,
): void {
  const { start, end, line, column, message } = error;
  const isInside = start >= 0 && start <= end && end <= source.length + 2;
  if (isInside && line > 0 && column > 0 && message.length < 2_000) return;
  throw new Error(`a defect without a place: ${JSON.stringify(error)}: ${source}`);
}

const PIECES = (
  '( ) [ ] { } , . : ? + - * / % == != < <= && || ! in null true "ก" 1 0 1e99 date("9999-12-31") ' +
  '.map(x, x) .filter(x, x) .sortBy(x, x) .all(x, x) .exists(x, x) .size() sum( has( " \' ` """ // \\ & = 0x 1.'
).split(' ');

/** The source with a piece left out, doubled, changed or put in. */
function spoiled(source: string, random: Random): string {
  const points = Array.from(source);
  for (let turn = random.below(3); turn >= 0; turn -= 1) {
    const at = random.below(points.length + 1);
    const piece = random.chance(3) ? named(random.pick(NAMES, 'a')) : random.pick(PIECES, '(');
    const removed = random.chance(2) ? random.below(6) : 0;
    const added = random.chance(20) ? piece.repeat(1 + random.below(300)) : piece;
    points.splice(at, removed, ...(random.chance(3) ? [] : Array.from(added)));
  }
  return points.join('');
}

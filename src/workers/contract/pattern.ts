import { LIMITS } from '../../limits.ts';

/**
 * `validation.pattern`: a regular expression in JavaScript's syntax, found anywhere in the text
 * unless anchored, as in JSON Schema. Matching is by simulation of all paths at once (Thompson's
 * construction), so its time is linear in the text whatever the pattern: `(a+)+$` cannot hang.
 * What needs backtracking is refused when the template is compiled: look-around, back-references,
 * word boundaries.
 */

/** A fault of the pattern, for the template's author. */
export class PatternError extends Error {}

type Test = (sign: string, code: number) => boolean;

/** One step of the program; `next`/`other` are indices into it. */
type Step =
  | { readonly op: 'sign'; readonly test: Test }
  | { readonly op: 'split'; readonly other: number }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'start' }
  | { readonly op: 'end' }
  | { readonly op: 'match' };

type Ast =
  | { readonly kind: 'empty' }
  | { readonly kind: 'sign'; readonly test: Test }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'sequence'; readonly parts: readonly Ast[] }
  | { readonly kind: 'choice'; readonly parts: readonly Ast[] }
  | { readonly kind: 'repeat'; readonly part: Ast; readonly min: number; readonly max: number };

/** The pattern as a test of a text. Throws PatternError when it cannot be matched linearly. */
export function compilePattern(source: string): (text: string) => boolean {
  const program: Step[] = [];
  emit(new PatternParser(source).parse(), program);
  push(program, { op: 'match' });
  return (text) => run(program, text);
}

function push(program: Step[], step: Step): number {
  if (program.length >= LIMITS.patternStepsMax) throw new PatternError('is too large');
  return program.push(step) - 1;
}

function emit(ast: Ast, program: Step[]): void {
  switch (ast.kind) {
    case 'empty':
      return;
    case 'sign':
      push(program, { op: 'sign', test: ast.test });
      return;
    case 'start':
      push(program, { op: 'start' });
      return;
    case 'end':
      push(program, { op: 'end' });
      return;
    case 'sequence':
      for (const part of ast.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(ast.parts, program);
      return;
    case 'repeat':
      for (let count = 0; count < ast.min; count++) emit(ast.part, program);
      if (ast.max === Infinity) emitLoop(ast.part, program);
      else emitOptions(ast.part, ast.max - ast.min, program);
  }
}

/** split → part … jump end; split → part … jump end; last part. */
function emitChoice(parts: readonly Ast[], program: Step[]): void {
  const jumps: number[] = [];
  parts.forEach((part, index) => {
    const isLast = index === parts.length - 1;
    const split = isLast ? -1 : push(program, { op: 'split', other: -1 });
    emit(part, program);
    if (isLast) return;
    jumps.push(push(program, { op: 'jump', to: -1 }));
    program[split] = { op: 'split', other: program.length };
  });
  for (const jump of jumps) program[jump] = { op: 'jump', to: program.length };
}

function emitLoop(part: Ast, program: Step[]): void {
  const split = push(program, { op: 'split', other: -1 });
  emit(part, program);
  push(program, { op: 'jump', to: split });
  program[split] = { op: 'split', other: program.length };
}

function emitOptions(part: Ast, count: number, program: Step[]): void {
  const splits: number[] = [];
  for (let option = 0; option < count; option++) {
    splits.push(push(program, { op: 'split', other: -1 }));
    emit(part, program);
  }
  for (const split of splits) program[split] = { op: 'split', other: program.length };
}

function run(program: readonly Step[], text: string): boolean {
  const seen = new Uint32Array(program.length);
  let generation = 0;
  let current: number[] = [];
  const stack: number[] = [];

  /** Follows all steps that take no sign; true when the match is reached. */
  const follow = (from: number, threads: number[], isStart: boolean, isEnd: boolean): boolean => {
    stack.push(from);
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (seen[index] === generation) continue;
      seen[index] = generation;
      const step = program[index];
      if (step === undefined) continue;
      if (step.op === 'match') return true;
      if (step.op === 'sign') threads.push(index);
      else if (step.op === 'jump') stack.push(step.to);
      else if (step.op === 'split') stack.push(step.other, index + 1);
      else if (step.op === 'start' ? isStart : isEnd) stack.push(index + 1);
    }
    return false;
  };

  generation++;
  if (follow(0, current, true, text.length === 0)) return true;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const sign = String.fromCodePoint(code);
    at += sign.length;
    const isEnd = at === text.length;
    const next: number[] = [];
    generation++;
    for (const index of current) {
      const step = program[index];
      if (step?.op !== 'sign' || !step.test(sign, code)) continue;
      if (follow(index + 1, next, false, isEnd)) return true;
    }
    // A match may begin at every place of the text.
    if (follow(0, next, false, isEnd)) return true;
    current = next;
  }
  return false;
}

/** Recursive descent over the pattern's text; nesting is bounded. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Ast {
    const ast = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError('has a ) without its (');
    return ast;
  }

  #choice(): Ast {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): Ast {
    const parts: Ast[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) {
      parts.push(this.#quantified());
    }
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  }

  #quantified(): Ast {
    const part = this.#atom();
    const range = this.#quantifier();
    if (range === null) return part;
    if (part.kind === 'start' || part.kind === 'end') {
      throw new PatternError('repeats an anchor');
    }
    if (this.#quantifier() !== null) throw new PatternError('has two quantifiers in a row');
    return { kind: 'repeat', part, ...range };
  }

  /** `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}` with or without a lazy `?`. */
  #quantifier(): { readonly min: number; readonly max: number } | null {
    const matcher = /[*+?]|\{(\d{1,4})(,(\d{0,4}))?\}/uy;
    matcher.lastIndex = this.#at;
    const match = matcher.exec(this.#source);
    if (match === null) return null;
    this.#at = matcher.lastIndex;
    this.#take('?');
    const [whole, low, comma, high] = match;
    if (whole === '*') return { min: 0, max: Infinity };
    if (whole === '+') return { min: 1, max: Infinity };
    if (whole === '?') return { min: 0, max: 1 };
    const min = Number(low);
    const max = comma === undefined ? min : high === '' ? Infinity : Number(high);
    if (max < min) throw new PatternError('has a quantifier whose bounds are out of order');
    return { min, max };
  }

  #atom(): Ast {
    const sign = this.#peek();
    if (sign === '(') return this.#group();
    if (sign === '[') return this.#class();
    if (sign === '\\') return this.#escape();
    if ('*+?{}]'.includes(sign)) throw new PatternError(`needs \\ before ${sign}`);
    this.#at += sign.length;
    if (sign === '^') return { kind: 'start' };
    if (sign === '$') return { kind: 'end' };
    if (sign === '.') return { kind: 'sign', test: testOf('.') };
    return { kind: 'sign', test: (other) => other === sign };
  }

  #group(): Ast {
    const matcher = /\((?:\?(?::|<[A-Za-z_]\w*>))?/uy;
    matcher.lastIndex = this.#at;
    matcher.exec(this.#source);
    this.#at = matcher.lastIndex;
    if (this.#peek() === '?') throw new PatternError('uses look-around or flags');
    if (++this.#depth > LIMITS.patternDepthMax) throw new PatternError('is nested too deeply');
    const ast = this.#choice();
    if (!this.#take(')')) throw new PatternError('has a ( without its )');
    this.#depth--;
    return ast;
  }

  #class(): Ast {
    const matcher = /\[(?:[^\]\\]|\\.)*\]/uy;
    return { kind: 'sign', test: testOf(this.#token(matcher, 'has a [ without its ]')) };
  }

  #escape(): Ast {
    const matcher =
      /\\(?:[dDwWsStnrfv^$\\.*+?()[\]{}|/-]|[pP]\{[\w=]+\}|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]{1,6}\})/uy;
    const token = this.#token(matcher, 'uses an escape that is not supported');
    return { kind: 'sign', test: testOf(token === '\\-' ? '-' : token) };
  }

  #token(matcher: RegExp, problem: string): string {
    matcher.lastIndex = this.#at;
    const token = matcher.exec(this.#source)?.[0];
    if (token === undefined) throw new PatternError(problem);
    this.#at = matcher.lastIndex;
    return token;
  }

  #peek(): string {
    const code = this.#source.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #take(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#at++;
    return true;
  }
}

/** One class or escape as a test of one sign: by table for ASCII, by RegExp for the rest. */
function testOf(token: string): Test {
  let matcher: RegExp;
  try {
    matcher = new RegExp(`^${token}$`, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) throw new PatternError('has a class that is not valid');
    throw error;
  }
  const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
    matcher.test(String.fromCharCode(code)) ? 1 : 0,
  );
  return (sign, code) => (code < 128 ? ascii[code] === 1 : matcher.test(sign));
}

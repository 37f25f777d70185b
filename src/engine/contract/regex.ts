import { LIMITS } from '../../limits.ts';

/**
 * `validation.pattern`: a regular expression in JavaScript's syntax, found anywhere in the text
 * unless anchored, as in JSON Schema. Matching is by simulation of all paths at once (Thompson's
 * construction), so its time is linear in the text whatever the pattern: `(a+)+$` cannot hang.
 * Patterns that need backtracking are refused when the template is compiled: look-around,
 * back-references, word boundaries.
 */

/** A fault of the pattern, for the template's author. */
export class PatternError extends Error {}

type Test = (character: string, code: number) => boolean;

type Ast =
  | { readonly kind: 'empty' }
  | { readonly kind: 'character'; readonly test: Test }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'sequence'; readonly parts: readonly Ast[] }
  | { readonly kind: 'choice'; readonly parts: readonly Ast[] }
  | { readonly kind: 'repeat'; readonly part: Ast; readonly min: number; readonly max: number };

const EMPTY: Ast = { kind: 'empty' };

export interface Pattern {
  /** Whether a part of the text matches. */
  readonly test: (text: string) => boolean;
  /** Steps of the program: the time of a match is at most this times the text's length. */
  readonly steps: number;
}

/** Throws PatternError when the pattern is broken, too large or cannot be matched linearly. */
export function compilePattern(source: string): Pattern {
  if (source.length > LIMITS.patternLengthMax) throw new PatternError('is too long');
  const program = new Program();
  program.emit(new PatternParser(source).parse());
  program.push(MATCH);
  return { test: (text) => program.run(text), steps: program.length };
}

const CHARACTER = 0;
const SPLIT = 1;
const JUMP = 2;
const START = 3;
const END = 4;
const MATCH = 5;

/** `Threads` renumbers its places beyond this, far enough below 2³² for the longest text. */
const PLACES_MAX = 2 ** 31;

/**
 * The steps of a pattern. Each part that is emitted adds at least one step (the parser drops what
 * adds none), so that the bound on steps is a bound on the time to compile, too.
 */
class Program {
  readonly #ops: number[] = [];
  /** The step at which the second path of a SPLIT, or the only path of a JUMP, continues. */
  readonly #targets: number[] = [];
  readonly #tests: (Test | null)[] = [];
  #threads: Threads | null = null;

  get length(): number {
    return this.#ops.length;
  }

  push(op: number, test: Test | null = null, target = -1): number {
    if (this.#ops.length >= LIMITS.patternStepsMax) throw new PatternError('is too large');
    this.#targets.push(target);
    this.#tests.push(test);
    return this.#ops.push(op) - 1;
  }

  emit(ast: Ast): void {
    switch (ast.kind) {
      case 'empty':
        return;
      case 'character':
        this.push(CHARACTER, ast.test);
        return;
      case 'start':
        this.push(START);
        return;
      case 'end':
        this.push(END);
        return;
      case 'sequence':
        for (const part of ast.parts) this.emit(part);
        return;
      case 'choice':
        this.#emitChoice(ast.parts);
        return;
      case 'repeat':
        for (let count = 0; count < ast.min; count++) this.emit(ast.part);
        if (ast.max === Infinity) this.#emitLoop(ast.part);
        else this.#emitOptions(ast.part, ast.max - ast.min);
    }
  }

  /** split → part … jump end; split → part … jump end; last part. */
  #emitChoice(parts: readonly Ast[]): void {
    const jumps: number[] = [];
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      const split = isLast ? -1 : this.push(SPLIT);
      this.emit(part);
      if (isLast) return;
      jumps.push(this.push(JUMP));
      this.#targets[split] = this.length;
    });
    for (const jump of jumps) this.#targets[jump] = this.length;
  }

  #emitLoop(part: Ast): void {
    const split = this.push(SPLIT);
    this.emit(part);
    this.push(JUMP, null, split);
    this.#targets[split] = this.length;
  }

  #emitOptions(part: Ast, count: number): void {
    const splits: number[] = [];
    for (let option = 0; option < count; option++) {
      splits.push(this.push(SPLIT));
      this.emit(part);
    }
    for (const split of splits) this.#targets[split] = this.length;
  }

  run(text: string): boolean {
    const threads = (this.#threads ??= new Threads(this.#ops, this.#targets));
    threads.start();
    if (threads.follow(0, true, text.length === 0)) return true;
    for (let at = 0; at < text.length;) {
      const code = text.codePointAt(at)!;
      const character = String.fromCodePoint(code);
      at += character.length;
      const isEnd = at === text.length;
      const count = threads.swap();
      for (let index = 0; index < count; index++) {
        const step = threads.previous[index]!;
        if (this.#tests[step]?.(character, code) !== true) continue;
        if (threads.follow(step + 1, false, isEnd)) return true;
      }
      // Another match may begin here: at any place of the text.
      if (threads.follow(0, false, isEnd)) return true;
    }
    return false;
  }
}

/**
 * The paths through a program that are alive at one place of the text, each as the index of the
 * CHARACTER step that it waits at.
 */
class Threads {
  /** The paths that were alive at the place before. */
  previous: Uint16Array;
  #next: Uint16Array;
  #count = 0;
  readonly #ops: Uint8Array;
  readonly #targets: Int32Array;
  /** For each step the place at which it was last reached, so that it is followed once at each place. */
  readonly #seen: Uint32Array;
  readonly #stack: Uint16Array;
  #place = 0;

  constructor(ops: readonly number[], targets: readonly number[]) {
    this.#ops = Uint8Array.from(ops);
    this.#targets = Int32Array.from(targets);
    this.previous = new Uint16Array(ops.length);
    this.#next = new Uint16Array(ops.length);
    this.#seen = new Uint32Array(ops.length);
    // Each step that is followed makes the stack higher by at most one.
    this.#stack = new Uint16Array(ops.length + 1);
  }

  /** Starts at the first place of a text. */
  start(): void {
    // Place numbers go on from text to text; before they could overflow, they restart.
    if (this.#place > PLACES_MAX) {
      this.#seen.fill(0);
      this.#place = 0;
    }
    this.#place++;
    this.#count = 0;
  }

  /** Goes on to the next place; gives the number of threads in `previous`. */
  swap(): number {
    const count = this.#count;
    [this.previous, this.#next] = [this.#next, this.previous];
    this.#count = 0;
    this.#place++;
    return count;
  }

  /** Follows the steps from one on that consume no character; true when MATCH is among them. */
  follow(from: number, isStart: boolean, isEnd: boolean): boolean {
    const ops = this.#ops;
    const seen = this.#seen;
    const stack = this.#stack;
    stack[0] = from;
    for (let height = 1; height > 0;) {
      const step = stack[--height]!;
      if (seen[step] === this.#place) continue;
      seen[step] = this.#place;
      const op = ops[step];
      if (op === MATCH) return true;
      if (op === CHARACTER) this.#next[this.#count++] = step;
      else if (op === JUMP) stack[height++] = this.#targets[step]!;
      else if (op === SPLIT) {
        stack[height++] = this.#targets[step]!;
        stack[height++] = step + 1;
      } else if (op === START ? isStart : isEnd) stack[height++] = step + 1;
    }
    return false;
  }
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
      const part = this.#quantified();
      if (part.kind !== 'empty') parts.push(part);
    }
    return parts.length === 0 ? EMPTY : { kind: 'sequence', parts };
  }

  #quantified(): Ast {
    const part = this.#atom();
    const range = this.#quantifier();
    if (range === null) return part;
    if (part.kind === 'start' || part.kind === 'end') {
      throw new PatternError('repeats an anchor');
    }
    if (this.#quantifier() !== null) throw new PatternError('has two quantifiers in a row');
    if (part.kind === 'empty' || range.max === 0) return EMPTY;
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
    const character = this.#peek();
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape();
    if ('*+?{}]'.includes(character)) throw new PatternError(`needs \\ before ${character}`);
    this.#at += character.length;
    if (character === '^') return { kind: 'start' };
    if (character === '$') return { kind: 'end' };
    if (character === '.') return { kind: 'character', test: testOf('.') };
    return { kind: 'character', test: (other) => other === character };
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
    return { kind: 'character', test: testOf(this.#token(matcher, 'has a [ without its ]')) };
  }

  #escape(): Ast {
    const matcher =
      /\\(?:[dDwWsStnrfv^$\\.*+?()[\]{}|/-]|[pP]\{[\w=]+\}|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]{1,6}\})/uy;
    const token = this.#token(matcher, 'uses an escape that is not supported');
    return { kind: 'character', test: testOf(token === '\\-' ? '-' : token) };
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

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

/** The test of one character for a class or an escape: by table for ASCII, by RegExp for the rest. */
function testOf(token: string): Test {
  let matcher: RegExp;
  try {
    matcher = new RegExp(`^${token}$`, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) throw new PatternError('has a class that is not valid');
    throw error;
  }
  // Made at the first use, so that compiling a pattern does not cost 128 tests for each class.
  let ascii: Uint8Array | null = null;
  return (character, code) => {
    if (code >= 128) return matcher.test(character);
    ascii ??= Uint8Array.from({ length: 128 }, (_, other) =>
      matcher.test(String.fromCharCode(other)) ? 1 : 0,
    );
    return ascii[code] === 1;
  };
}

import { Fault, shortened, type Span } from '../fault.ts';
import { EXPRESSION_LIMITS } from '../limits.ts';
import { negate } from '../values/decimal.ts';
import { tokenize, type Token } from './lexer.ts';
import type { BinaryOperator, Entry, Node } from './nodes.ts';

/** How strongly operators bind; all of them group from the left. */
const POWERS: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  in: 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
};

/** Words that CEL keeps for itself; they may be fields, but not names. */
const RESERVED = new Set(
  (
    'as break const continue else for function if import let loop package namespace return var ' +
    'void while in'
  ).split(' '),
);

const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
};

/** Parses the grammar of CEL by precedence climbing; throws a `Fault` at the first defect. */
export function parse(source: string): Node {
  const max = EXPRESSION_LIMITS.sourceLengthMax;
  if (source.length > max) {
    const span = { start: max, end: source.length };
    throw new Fault('too_large', `An expression has at most ${max} characters.`, span);
  }
  const parser = new Parser(tokenize(source));
  const node = parser.expression();
  parser.end();
  return node;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Expr = ConditionalOr ["?" ConditionalOr ":" Expr]. */
  expression(): Node {
    this.#enter();
    const condition = this.#binary(1);
    let node = condition;
    if (this.#skip('?')) {
      const whenTrue = this.#binary(1);
      this.#expect(':');
      const whenFalse = this.expression();
      const span = { start: condition.start, end: whenFalse.end };
      node = { kind: 'conditional', condition, whenTrue, whenFalse, ...span };
    }
    this.#depth -= 1;
    return node;
  }

  end(): void {
    if (this.#token.kind !== 'end') throw this.#unexpected('an operator or the end');
  }

  #binary(least: number): Node {
    let left = this.#unary();
    for (;;) {
      const operator = this.#operator();
      const power = operator === null ? 0 : (POWERS[operator] ?? 0);
      if (operator === null || power < least) return left;
      this.#at += 1;
      const right = this.#binary(power + 1);
      left = { kind: 'binary', operator, left, right, start: left.start, end: right.end };
    }
  }

  #operator(): BinaryOperator | null {
    const token = this.#token;
    if (token.kind !== 'symbol' && token.kind !== 'name') return null;
    if (token.kind === 'name' && token.isQuoted) return null;
    // Only operators are keys of POWERS.
    return Object.hasOwn(POWERS, token.text) ? (token.text as BinaryOperator) : null;
  }

  /** Unary = Member | "!" {"!"} Member | "-" {"-"} Member. */
  #unary(): Node {
    const { start } = this.#token;
    const operator = this.#skip('!') ? '!' : this.#skip('-') ? '-' : null;
    if (operator === null) return this.#member();
    this.#enter();
    const isDigit = this.#token.kind === 'number';
    const of = this.#unary();
    this.#depth -= 1;
    const span = { start, end: of.end };
    if (operator === '-' && isDigit && of.kind === 'literal' && typeof of.value === 'object') {
      if (of.value !== null) return { kind: 'literal', value: negate(of.value), ...span };
    }
    return { kind: 'unary', operator, of, ...span };
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.#skip('.')) {
        node = this.#afterPoint(node);
      } else if (this.#skip('[')) {
        const index = this.expression();
        const end = this.#expect(']');
        node = { kind: 'index', of: node, index, start: node.start, end };
      } else {
        return node;
      }
    }
  }

  #afterPoint(of: Node): Node {
    const token = this.#token;
    if (token.kind !== 'name') throw this.#unexpected('the name of a field or a function');
    this.#at += 1;
    const { text: name, isQuoted } = token;
    const nameSpan = { start: token.start, end: token.end };
    if (isQuoted || !this.#skip('(')) {
      return { kind: 'select', of, name, nameSpan, start: of.start, end: token.end };
    }
    const [args, end] = this.#sequence(')', () => this.expression());
    return { kind: 'call', name, nameSpan, target: of, args, start: of.start, end };
  }

  #primary(): Node {
    const token = this.#token;
    const span = { start: token.start, end: token.end };
    if (token.kind === 'number' || token.kind === 'text') {
      this.#at += 1;
      return { kind: 'literal', value: token.value, ...span };
    }
    if (token.kind === 'name') return this.#name(token.text, token.isQuoted, span);
    if (this.#skip('(')) {
      const inner = this.expression();
      const end = this.#expect(')');
      return { ...inner, start: span.start, end };
    }
    if (this.#skip('[')) {
      const [items, end] = this.#sequence(']', () => this.expression(), true);
      return { kind: 'list', items, start: span.start, end };
    }
    if (this.#skip('{')) {
      if (this.#skip('{')) throw this.#placeholder(span);
      const [entries, end] = this.#sequence('}', () => this.#entry(), true);
      return { kind: 'record', entries, start: span.start, end };
    }
    throw this.#unexpected('a value');
  }

  #name(name: string, isQuoted: boolean, span: Span): Node {
    if (!isQuoted && RESERVED.has(name)) throw this.#reserved(name, span);
    this.#at += 1;
    if (!isQuoted && Object.hasOwn(CONSTANTS, name)) {
      return { kind: 'literal', value: CONSTANTS[name] ?? null, ...span };
    }
    if (isQuoted || !this.#skip('(')) return { kind: 'name', name, ...span };
    const [args, end] = this.#sequence(')', () => this.expression());
    return { kind: 'call', name, nameSpan: span, target: null, args, start: span.start, end };
  }

  #entry(): Entry {
    const key = this.expression();
    this.#expect(':');
    return { key, value: this.expression() };
  }

  /** Items between commas, after the opening bracket; the second value is the end of the closing one. */
  #sequence<T>(close: string, item: () => T, allowsLastComma = false): readonly [T[], number] {
    const items: T[] = [];
    const { end } = this.#token;
    if (this.#skip(close)) return [items, end];
    for (;;) {
      items.push(item());
      const comma = this.#token;
      if (!this.#skip(',')) return [items, this.#expect(close)];
      if (!allowsLastComma) continue;
      const after = this.#token;
      if (this.#skip(close)) return [items, Math.max(comma.end, after.end)];
    }
  }

  get #token(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (token === undefined) throw new RangeError('a source has an end');
    return token;
  }

  #skip(symbol: string): boolean {
    const token = this.#token;
    if (token.kind !== 'symbol' || token.text !== symbol) return false;
    this.#at += 1;
    return true;
  }

  /** The end of the symbol, which must come next. */
  #expect(symbol: string): number {
    const { end } = this.#token;
    if (!this.#skip(symbol)) throw this.#unexpected(JSON.stringify(symbol));
    return end;
  }

  #enter(): void {
    this.#depth += 1;
    const max = EXPRESSION_LIMITS.nestingMax;
    if (this.#depth <= max) return;
    const { start, end } = this.#token;
    const message = `Parts of an expression are nested at most ${max} deep.`;
    throw new Fault('too_large', message, { start, end });
  }

  /** The fault of a placeholder of texts, such as `{{net}}`; no key of a record is a record. */
  #placeholder({ start }: Span): Fault {
    const token = this.#token;
    const name = token.kind === 'name' ? shortened(token.text) : 'a name';
    const message = `An expression has no braces around names: write ${name} without braces.`;
    return new Fault('syntax', message, { start, end: token.end });
  }

  #reserved(name: string, span: Span): Fault {
    const hint = name === 'if' ? '; write condition ? value : other' : '';
    const message = `"${name}" is a reserved word of CEL and no name of a value${hint}.`;
    return new Fault('syntax', message, span);
  }

  #unexpected(expected: string): Fault {
    const token = this.#token;
    const { start, end } = token;
    const found = token.kind === 'end' ? 'the end' : describeToken(token);
    const operator = token.kind === 'name' ? OPERATORS.get(token.text.toLowerCase()) : undefined;
    const hint = operator === undefined ? '' : `; write ${JSON.stringify(operator)}`;
    return new Fault('syntax', `Expected ${expected}, found ${found}${hint}.`, { start, end });
  }
}

/** Operators of other languages. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['mod', '%'],
  ['eq', '=='],
  ['is', '=='],
]);

function describeToken(token: Token): string {
  if (token.kind === 'number') return 'a number';
  if (token.kind === 'text') return 'a text';
  return token.kind === 'end' ? 'the end' : JSON.stringify(shortened(token.text));
}

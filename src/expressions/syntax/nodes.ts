import type { Span } from '../fault.ts';
import type { Decimal } from '../values/decimal.ts';

export type BinaryOperator =
  '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%';

/** A node of the syntax tree with its place in the source. */
export type Node = Span &
  (
    | { readonly kind: 'literal'; readonly value: Decimal | string | boolean | null }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'select'; readonly of: Node; readonly name: string; readonly nameSpan: Span }
    | { readonly kind: 'index'; readonly of: Node; readonly index: Node }
    | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly of: Node }
    | BinaryNode
    | {
        readonly kind: 'conditional';
        readonly condition: Node;
        readonly whenTrue: Node;
        readonly whenFalse: Node;
      }
    | CallNode
    | { readonly kind: 'list'; readonly items: readonly Node[] }
    | { readonly kind: 'record'; readonly entries: readonly Entry[] }
  );

export interface BinaryNode extends Span {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
}

/** `name(args)`, or `target.name(args)`. */
export interface CallNode extends Span {
  readonly kind: 'call';
  readonly name: string;
  readonly nameSpan: Span;
  readonly target: Node | null;
  readonly args: readonly Node[];
}

export interface Entry {
  readonly key: Node;
  readonly value: Node;
}

import type { FontStack } from '../../../font/font.ts';
import { childrenOf, type Node, type StatementSum, type TextPart } from '../../../model/nodes.ts';
import type { SumSource } from '../../scope.ts';

/** One decimal for each sum of a statement table. */
export type Decimals = Readonly<Record<StatementSum, string>>;

/**
 * Sums whose texts are as wide as any that the table can print: the given ones with all digits
 * replaced by the widest digit.
 */
export class WidestSums implements SumSource {
  count = 0;
  readonly field: number;
  readonly #decimals: Decimals;
  readonly #digit: string;

  constructor(field: number, decimals: Decimals, digit: string) {
    this.field = field;
    this.#decimals = decimals;
    this.#digit = digit;
  }

  decimal(sum: StatementSum): string {
    const decimal = this.#decimals[sum].replace(ROUNDS_UP, '$10$2');
    return decimal.replaceAll(/\d/g, this.#digit);
  }
}

/** A decimal that a format with few decimals rounds up to one more digit, as 99.5 to 100. */
const ROUNDS_UP = /^(-?)(9+\.9*[5-9])/;

/** Number of digits that are measured together, so that kerning counts. */
const SAMPLE_DIGITS = 4;
/** 0 is not among them: it has no place before other digits. */
const DIGITS = ['8', '1', '2', '3', '4', '5', '6', '7', '9'];

/** The digit that is widest as the sums in `nodes` print it; in most fonts all are equally wide. */
export function widestDigit(nodes: readonly Node[]): string {
  const parts: [Extract<TextPart, { kind: 'sum' }>, FontStack][] = [];
  const walk = (node: Node): void => {
    for (const run of node.kind === 'text' ? node.runs : []) {
      for (const part of run.text) if (part.kind === 'sum') parts.push([part, run.style.stack]);
    }
    for (const child of childrenOf(node)) walk(child);
  };
  for (const node of nodes) walk(node);
  let widest = '8';
  let widestEm = 0;
  for (const digit of DIGITS) {
    let widthEm = 0;
    for (const [{ format }, stack] of parts) {
      widthEm += stack.shape(format(digit.repeat(SAMPLE_DIGITS))).widthEm;
    }
    if (widthEm > widestEm + EQUAL_EM) {
      widest = digit;
      widestEm = widthEm;
    }
  }
  return widest;
}

/** Tolerance for rounding errors. */
const EQUAL_EM = 1e-6;

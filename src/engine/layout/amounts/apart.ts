import type { Flow } from '../place/flow.ts';
import type { Sheet } from '../place/sheet.ts';
import { AmountFault } from './fit.ts';
import type { LooseText } from './loose.ts';

/** Least distance of two amounts on a line, in shares of their size: less than the thinnest space. */
const APART = 0.1;
/** Columns so far apart need no watch, up to a size of 40 points. */
const APART_PT = 4;

/** Sees that amounts of adjacent columns do not touch: `1.00` beside `2.00` reads `1.002.00`. */
export class ColumnWatch {
  readonly #flow: Flow;
  readonly #sheet: Sheet;
  /** Number of loose texts on the sheet before the first column, and after each. */
  readonly #ends: number[];

  private constructor(flow: Flow) {
    this.#flow = flow;
    this.#sheet = flow.region.sheet;
    this.#ends = [this.#sheet.looseTexts.length];
    flow.columnWatches++;
  }

  /** Begins to watch a row of columns; null if their gaps keep amounts apart. */
  static begin(flow: Flow, columnCount: number, gapPt: number): ColumnWatch | null {
    return columnCount < 2 || gapPt >= APART_PT ? null : new ColumnWatch(flow);
  }

  endColumn(): void {
    this.#ends.push(this.#sheet.looseTexts.length);
  }

  /** Throws `AmountFault` for an amount that touches one of the column before. */
  end(): void {
    this.#flow.columnWatches--;
    const { looseTexts } = this.#sheet;
    for (let column = 2; column < this.#ends.length; column++) {
      const [from = 0, middle = 0, to = 0] = this.#ends.slice(column - 2);
      if (from === middle || middle === to) continue;
      const left = looseTexts.slice(from, middle);
      for (const right of looseTexts.slice(middle, to)) {
        const { path, source } = right;
        if (source === null) continue;
        const touched = left.some((one) => one.source !== null && touches(one, right));
        if (touched) throw new AmountFault(path, source, 'touches');
      }
    }
  }
}

function touches(left: LooseText, right: LooseText): boolean {
  const isBeside = left.y < right.y + right.heightPt && right.y < left.y + left.heightPt;
  if (!isBeside) return false;
  const gapPt = right.x - left.x - left.widthPt;
  return gapPt < Math.max(left.heightPt, right.heightPt) * APART;
}

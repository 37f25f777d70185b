import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../home.ts';
import { decimalMoney } from './format.ts';
import { seededRandom } from '../random.ts';

/**
 * The product's sample receipt (templates/receipt.json) beside the judged shapes: its template with
 * all fonts, rules and its logo, and the data of its first sample, varied from request to request.
 */
interface TemplateFile {
  readonly templateId: string;
  readonly samples: readonly { readonly data: SampleData }[];
}

interface SampleData {
  readonly [name: string]: unknown;
  /** Number, text, quantity, price, amount. */
  readonly items: readonly (readonly string[])[];
}

const PRICE_MIN = 10_000;
const PRICE_BELOW = 9_000_000;
const VAT_PERCENT = 7;

/** The template's file in the sources under `root`. */
export function sampleFile(root: string): string {
  return join(root, 'templates', 'receipt.json');
}

/** Number, reference, account, prices and sums differ with the seed. */
function vary(data: SampleData, seed: number): SampleData {
  const random = seededRandom(seed);
  let subtotal = 0;
  const items = data.items.map(([number = '', text = '', quantity = '1']) => {
    const price = PRICE_MIN + random.below(PRICE_BELOW);
    const amount = price * Number(quantity);
    subtotal += amount;
    return [number, text, quantity, decimalMoney(price), decimalMoney(amount)];
  });
  const vat = Math.round((subtotal * VAT_PERCENT) / 100);
  const total = decimalMoney(subtotal + vat);
  const receiptNo = `RC-2569-${random.digits(7)}`;
  return {
    ...data,
    receiptNo,
    accountNo: random.digits(10),
    reference: `LN-${random.digits(3)}-${random.digits(4)}`,
    items,
    subtotal: decimalMoney(subtotal),
    discount: '0.00',
    vat: decimalMoney(vat),
    total,
    // Ignored; `--compare` sends it to older commits, too, whose template demands it.
    totalInWords: total,
    verify: `https://verify.intaglio.example/r/${receiptNo}`,
  };
}

export interface SampleReceipt {
  readonly templateId: string;
  /** Data of the receipt with this number: the same seed gives the same data. */
  data(this: void, seed: number): SampleData;
}

/** Reads the template file when it is called: most benches never need it. */
export function sampleReceipt(): SampleReceipt {
  // A file of this repository, whose tests compile it with its samples.
  const file = JSON.parse(readFileSync(sampleFile(HOME), 'utf8')) as TemplateFile;
  const { templateId, samples } = file;
  const [first] = samples;
  if (first === undefined) throw new Error('templates/receipt.json has samples');
  return { templateId, data: (seed) => vary(first.data, seed) };
}

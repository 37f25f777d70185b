import { LRUCache } from 'lru-cache';
import { type EncodeFault, SYMBOLOGIES, type Symbology } from './symbologies.ts';

/** The dark modules of a code as rectangles, one unit per module, without quiet zone. */
export interface BarcodeSymbol {
  readonly columns: number;
  /** 1 for linear codes, whose height the template sets. */
  readonly rows: number;
  /** x, y, width and height of each rectangle; y grows downwards. */
  readonly rectangles: readonly number[];
}

/** A code, or why there is none. */
export type Encoded =
  | { readonly kind: 'symbol'; readonly symbol: BarcodeSymbol }
  | { readonly kind: 'fault'; readonly fault: EncodeFault };

type Encoder = (name: string, text: string, options: { parsefnc?: boolean }) => readonly unknown[];

let encoder: Encoder | null = null;

/** Loads the library (50 ms, 7 MB): only threads that compile a template with barcodes need it. */
export async function loadBarcodes(): Promise<void> {
  if (encoder !== null) return;
  const library: unknown = await import('bwip-js/generic');
  // The types omit the default export. The named export `raw` is something else: a barcode type.
  encoder = (library as { readonly default: { readonly raw: Encoder } }).default.raw;
}

/**
 * Cache bound: half a million rectangle numbers, some hundred codes. It never affects the output.
 */
const cache = new LRUCache<string, BarcodeSymbol>({
  maxSize: 500_000,
  sizeCalculation: ({ rectangles }) => rectangles.length + 1,
});

/** Encodes a text, or returns why that is impossible. Await `loadBarcodes` first. */
export function encodeBarcode(symbology: Symbology, text: string): Encoded {
  const fault = SYMBOLOGIES[symbology].faultOf(text);
  if (fault !== null) return { kind: 'fault', fault };
  const key = `${symbology} ${text}`;
  const known = cache.get(key);
  if (known !== undefined) return { kind: 'symbol', symbol: known };
  const encoded = encode(symbology, text);
  if (encoded.kind === 'symbol') cache.set(key, encoded.symbol);
  return encoded;
}

function encode(symbology: Symbology, text: string): Encoded {
  if (encoder === null) throw new Error('loadBarcodes was not awaited');
  // Readers interpret bytes as Latin letters unless ECI 26 declares UTF-8.
  const isWide = /[^\0-\x7f]/.test(text);
  const given = isWide ? `^ECI000026${text.replaceAll('^', '^^')}` : text;
  try {
    const [made] = encoder(SYMBOLOGIES[symbology].encoder, given, isWide ? { parsefnc: true } : {});
    return { kind: 'symbol', symbol: symbolOf(made) };
  } catch (error) {
    // Only the library's check of the length is expected; any other error is a bug.
    if (error instanceof Error && /TooLong/i.test(error.message)) {
      return { kind: 'fault', fault: 'length' };
    }
    throw error;
  }
}

/** The library's output: widths of bars and spaces in turns, or pixels row by row. */
interface Bars {
  readonly sbs: readonly number[];
}
interface Pixels {
  readonly pixs: readonly number[];
  readonly pixx: number;
  /** Height in modules: rows of PDF417 are three modules high (ISO/IEC 15438). */
  readonly pixy: number;
}

function symbolOf(made: unknown): BarcodeSymbol {
  // The library types this as `any[]`; by its documentation it is one of these two shapes.
  const one = made as Bars | Pixels;
  return 'sbs' in one ? bars(one) : matrix(one);
}

/** Turns the bars, which come first in each pair of widths, into rectangles. */
function bars({ sbs }: Bars): BarcodeSymbol {
  const rectangles: number[] = [];
  let x = 0;
  let end = 0;
  for (const [index, width] of sbs.entries()) {
    if (index % 2 === 0 && width > 0) {
      rectangles.push(x, 0, width, 1);
      end = x + width;
    }
    x += width;
  }
  return { columns: end, rows: 1, rectangles };
}

/** Turns runs of dark pixels into rectangles and joins equal runs of consecutive rows. */
function matrix({ pixs, pixx: columns, pixy }: Pixels): BarcodeSymbol {
  const rectangles: number[] = [];
  const rows = pixs.length / columns;
  const rowModules = pixy / rows;
  /** Runs that end in the row above, by start and end: the index of their rectangle. */
  let open = new Map<number, number>();
  for (let y = 0; y < rows; y++) {
    const next = new Map<number, number>();
    for (let x = 0; x < columns;) {
      if (pixs[y * columns + x] !== 1) {
        x++;
        continue;
      }
      const start = x;
      while (x < columns && pixs[y * columns + x] === 1) x++;
      const above = open.get(start * columns + x);
      if (above === undefined) {
        next.set(start * columns + x, rectangles.length);
        rectangles.push(start, y * rowModules, x - start, rowModules);
      } else {
        next.set(start * columns + x, above);
        rectangles[above + 3] = (y + 1) * rowModules - (rectangles[above + 1] ?? 0);
      }
    }
    open = next;
  }
  return { columns, rows: pixy, rectangles };
}

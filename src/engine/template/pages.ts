import { checkObject } from './vocabulary/check.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import { fourSides } from './style/cascade.ts';
import type { Context, CompileScope } from './context.ts';
import { suggestion } from '../../runtime/nearest.ts';

import { RUNNING_ELEMENT_KEYS, NODE_KEYS } from './vocabulary/keys.ts';
import type { RunningElement, Margin, Node, PageSetup } from '../model/nodes.ts';
import { VALUES } from './vocabulary/values.ts';
import type { MarginSource, ValueOf } from './vocabulary/values.ts';

/** Paper sizes by pdfmake's names: ISO 216, ISO 217 and North American, in points. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  '4A0': [4767.87, 6740.79],
  '2A0': [3370.39, 4767.87],
  A0: [2383.94, 3370.39],
  A1: [1683.78, 2383.94],
  A2: [1190.55, 1683.78],
  A3: [841.89, 1190.55],
  A4: [595.28, 841.89],
  A5: [419.53, 595.28],
  A6: [297.64, 419.53],
  A7: [209.76, 297.64],
  A8: [147.4, 209.76],
  A9: [104.88, 147.4],
  A10: [73.7, 104.88],
  B0: [2834.65, 4008.19],
  B1: [2004.09, 2834.65],
  B2: [1417.32, 2004.09],
  B3: [1000.63, 1417.32],
  B4: [708.66, 1000.63],
  B5: [498.9, 708.66],
  B6: [354.33, 498.9],
  B7: [249.45, 354.33],
  B8: [175.75, 249.45],
  B9: [124.72, 175.75],
  B10: [87.87, 124.72],
  C0: [2599.37, 3676.54],
  C1: [1836.85, 2599.37],
  C2: [1298.27, 1836.85],
  C3: [918.43, 1298.27],
  C4: [649.13, 918.43],
  C5: [459.21, 649.13],
  C6: [323.15, 459.21],
  C7: [229.61, 323.15],
  C8: [161.57, 229.61],
  C9: [113.39, 161.57],
  C10: [79.37, 113.39],
  RA0: [2437.8, 3458.27],
  RA1: [1729.13, 2437.8],
  RA2: [1218.9, 1729.13],
  RA3: [864.57, 1218.9],
  RA4: [609.45, 864.57],
  SRA0: [2551.18, 3628.35],
  SRA1: [1814.17, 2551.18],
  SRA2: [1275.59, 1814.17],
  SRA3: [907.09, 1275.59],
  SRA4: [637.8, 907.09],
  EXECUTIVE: [521.86, 756],
  FOLIO: [612, 936],
  LEGAL: [612, 1008],
  LETTER: [612, 792],
  TABLOID: [792, 1224],
};

export interface PaperSize {
  readonly widthPt: number;
  /** Infinity: as high as the content. */
  readonly heightPt: number;
}

export const DEFAULT_PAPER: PaperSize = { widthPt: 595.28, heightPt: 841.89 };
export const DEFAULT_MARGINS: Margin = [40, 40, 40, 40];

/** A page size by name or measures, turned as `pageOrientation` asks. */
export function compilePaper(
  size: ValueOf<typeof VALUES.pageSize> | undefined,
  orientation: string | undefined,
  path: string,
  { findings }: Context,
): PaperSize {
  let paper = DEFAULT_PAPER;
  if (typeof size === 'string') {
    const known = Object.hasOwn(SIZES, size.toUpperCase()) ? SIZES[size.toUpperCase()] : undefined;
    if (known === undefined) {
      const hint =
        findings.suggestion(size, Object.keys(SIZES)) || '; A4, A5, LETTER and LEGAL are some.';
      findings.error(path, `There is no page size ${JSON.stringify(size)}${hint}`);
    } else {
      paper = { widthPt: known[0], heightPt: known[1] };
    }
  } else if (size !== undefined) {
    paper = { widthPt: size.width, heightPt: size.height === 'auto' ? Infinity : size.height };
  }
  return turnPaper(paper, orientation);
}

export function turnPaper(paper: PaperSize, orientation: string | undefined): PaperSize {
  const { widthPt, heightPt } = paper;
  if (heightPt === Infinity) return paper;
  const isTurned =
    (orientation === 'portrait' && widthPt > heightPt) ||
    (orientation === 'landscape' && widthPt < heightPt);
  return isTurned ? { widthPt: heightPt, heightPt: widthPt } : paper;
}

/** Page margins; a finding when they leave no room. */
export function compileMargins(
  source: MarginSource | undefined,
  paper: PaperSize,
  path: string,
  { findings }: Context,
): Margin {
  const margins = source === undefined ? DEFAULT_MARGINS : fourSides(source);
  const [left, top, right, bottom] = margins;
  if (left + right >= paper.widthPt || top + bottom >= paper.heightPt) {
    findings.error(path, 'The margins leave no room on the page.');
    return DEFAULT_MARGINS;
  }
  return margins;
}

const PARTS = Object.keys(RUNNING_ELEMENT_KEYS);

/** Header, footer or background: a node for all pages, or `{"first", "rest", "last"}`. */
export function compileRunningElement(
  source: unknown,
  path: string,
  context: Context,
  outer: CompileScope,
): RunningElement | null {
  if (source === undefined || source === null) return null;
  const scope: CompileScope = { ...outer, inRunningElement: true, room: null };
  if (!isParts(source)) {
    const { node } = context.block(source, path, scope);
    return { first: node, rest: node, last: node };
  }
  const parts = checkObject(source, path, RUNNING_ELEMENT_KEYS, context.findings);
  const part = (name: 'first' | 'rest' | 'last'): Node | null =>
    parts[name] === undefined ? null : context.block(parts[name], `${path}.${name}`, scope).node;
  if (source['first'] === undefined && Object.keys(parts).length > 0) {
    const message =
      'Nothing is drawn here on the first page, nor in a document of one page; add "first", or ' +
      '"first": null if that is meant.';
    context.findings.warning(path, message);
  }
  const rest = part('rest');
  // null says that the last page draws nothing; absent, that it is like those before it.
  return { first: part('first'), rest, last: source['last'] === undefined ? rest : part('last') };
}

function isParts(source: unknown): source is JsonObject {
  if (!isObject(source)) return false;
  const keys = Object.keys(source);
  const isNode = keys.some((key) => Object.hasOwn(NODE_KEYS, key));
  // A mistyped part is reported as such, not as an invalid node.
  return (
    !isNode && keys.some((key) => key in RUNNING_ELEMENT_KEYS || suggestion(key, PARTS) !== '')
  );
}

/** The scope of content that lies between a page's margins. */
export function pageScope(
  base: CompileScope,
  setup: Pick<PageSetup, 'widthPt' | 'margins'>,
): CompileScope {
  const [left, , right] = setup.margins;
  return {
    ...base,
    room: { contentPt: setup.widthPt - left - right, paperPt: setup.widthPt - left },
  };
}

import { LIMITS } from '../../limits.ts';
import { LetterheadFault } from './faults.ts';
import { unpack, UnpackBudget } from './unpack.ts';
import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  PDFObjectStreamParser,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFXRefStreamParser,
} from './pdf-lib.ts';
import type { PDFObject } from './pdf-lib.ts';

/** A page of a foreign file, with what it inherits from its tree. */
export interface ForeignPage {
  readonly dict: PDFDict;
  /** Lower left and upper right corner of what is shown, in the page's own space. */
  readonly box: readonly [number, number, number, number];
  /** Clockwise, in quarters of a turn: 0 to 3. */
  readonly turns: number;
  /** Points per unit of the page's space. */
  readonly unitPt: number;
  readonly resources: PDFDict | null;
}

export interface ForeignFile {
  readonly context: PDFContext;
  readonly catalog: PDFDict;
  readonly pages: readonly ForeignPage[];
  readonly budget: UnpackBudget;
}

/**
 * Reads a PDF file of any origin. pdf-lib finds objects by scanning the whole file, so that wrong
 * offsets and loops of cross-reference tables do not matter. Throws `LetterheadFault`, and whatever
 * pdf-lib throws for a file that is not a PDF.
 */
export async function parsePdf(bytes: Uint8Array): Promise<ForeignFile> {
  if (bytes.length > LIMITS.pdfBytesMax) throw new LetterheadFault('large');
  const budget = new UnpackBudget();
  boundStreams(budget);
  const parser = PDFParser.forBytesWithOptions(bytes, Infinity, true, false, true);
  const context = await parser.parseDocument();
  if (context.trailerInfo.Encrypt !== undefined) throw new LetterheadFault('encrypted');
  if (context.enumerateIndirectObjects().length > LIMITS.pdfObjectsMax) {
    throw new LetterheadFault('large');
  }
  const catalog = context.lookup(context.trailerInfo.Root);
  if (!(catalog instanceof PDFDict)) throw new LetterheadFault('broken');
  const pages = pagesOf(catalog);
  if (pages.length === 0) throw new LetterheadFault('broken');
  return { context, catalog, pages, budget };
}

/**
 * pdf-lib inflates object streams without a bound, and decodes cross-reference streams that it does
 * not use. Its two parsers of streams are replaced by these in the thread that reads one file.
 */
function boundStreams(budget: UnpackBudget): void {
  PDFObjectStreamParser.forStream = (stream, shouldWait) => {
    const plain = unpack(stream.contents, filtersOf(stream.dict), budget);
    stream.dict.delete(name('Filter'));
    stream.dict.delete(name('DecodeParms'));
    const count = stream.dict.lookup(name('N'), PDFNumber).asNumber();
    if (count > LIMITS.pdfObjectsMax) throw new LetterheadFault('large');
    return new PDFObjectStreamParser(PDFRawStream.of(stream.dict, plain), shouldWait);
  };
  PDFXRefStreamParser.forStream = ({ dict }) => {
    const { context } = dict;
    const { trailerInfo } = context;
    const root = dict.get(name('Root')) ?? trailerInfo.Root;
    const encrypt = dict.get(name('Encrypt')) ?? trailerInfo.Encrypt;
    context.trailerInfo = {
      ...trailerInfo,
      ...(root === undefined ? {} : { Root: root }),
      ...(encrypt === undefined ? {} : { Encrypt: encrypt }),
    };
    // The only member that the parser of files uses.
    return { parseIntoContext: () => [] } as unknown as PDFXRefStreamParser;
  };
}

/** Names of a stream's filters in the order in which they are undone, each with its slash. */
export function filtersOf(dict: PDFDict): readonly string[] {
  const params = dict.lookup(name('DecodeParms')) ?? dict.lookup(name('DP'));
  const list = params instanceof PDFArray ? params.asArray() : [params];
  for (const one of list) {
    const dictionary = one instanceof PDFRef ? dict.context.lookup(one) : one;
    if (dictionary instanceof PDFDict && numberOf(dictionary, 'Predictor', 1) > 1) {
      throw new LetterheadFault('filter');
    }
  }
  return filterNames(dict);
}

/** The same for a stream that is copied as it is: its predictor does not matter. */
export function filterNames(dict: PDFDict): readonly string[] {
  const filter = dict.lookup(name('Filter'));
  if (filter instanceof PDFName) return [filter.asString()];
  if (!(filter instanceof PDFArray)) return [];
  return filter.asArray().map((one) => (one instanceof PDFName ? one.asString() : ''));
}

export function name(text: string): PDFName {
  return PDFName.of(text);
}

export function numberOf(dict: PDFDict, key: string, otherwise: number): number {
  const value = dict.lookup(name(key));
  return value instanceof PDFNumber && Number.isFinite(value.asNumber())
    ? value.asNumber()
    : otherwise;
}

/** Attributes that a node of the page tree hands down (§7.7.3.4). */
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
type Inherited = Readonly<Partial<Record<(typeof INHERITED)[number], PDFObject>>>;

/** Leaves of the page tree, in order; a cycle in the tree is a fault. */
function pagesOf(catalog: PDFDict): readonly ForeignPage[] {
  const pages: ForeignPage[] = [];
  const seen = new Set<PDFDict>();
  const visit = (node: PDFObject | undefined, outer: Inherited, depth: number): void => {
    if (!(node instanceof PDFDict)) return;
    if (seen.has(node) || depth > LIMITS.pdfDepthMax) throw new LetterheadFault('deep');
    seen.add(node);
    if (seen.size > LIMITS.pdfObjectsMax) throw new LetterheadFault('large');
    const own: Partial<Record<(typeof INHERITED)[number], PDFObject>> = { ...outer };
    for (const key of INHERITED) {
      const value = node.lookup(name(key));
      if (value !== undefined) own[key] = value;
    }
    const kids = node.lookup(name('Kids'));
    if (kids instanceof PDFArray) {
      for (let index = 0; index < kids.size(); index++) visit(kids.lookup(index), own, depth + 1);
      return;
    }
    if (pages.length >= LIMITS.pdfPagesMax) throw new LetterheadFault('pages');
    pages.push(pageOf(node, own));
  };
  visit(catalog.lookup(name('Pages')), {}, 0);
  return pages;
}

function pageOf(dict: PDFDict, inherited: Inherited): ForeignPage {
  const media = cornersOf(inherited.MediaBox) ?? [0, 0, 612, 792];
  const crop = cornersOf(inherited.CropBox) ?? media;
  const box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ] as const;
  const unitPt = numberOf(dict, 'UserUnit', 1);
  const sides = [box[2] - box[0], box[3] - box[1]].map((side) => side * unitPt);
  if (sides.some((side) => !(side > 0 && side <= SIDE_PT_MAX))) throw new LetterheadFault('broken');
  const turned = inherited.Rotate instanceof PDFNumber ? inherited.Rotate.asNumber() : 0;
  const turns = Number.isInteger(turned / 90) ? (((turned / 90) % 4) + 4) % 4 : 0;
  const resources = inherited.Resources instanceof PDFDict ? inherited.Resources : null;
  return { dict, box, turns, unitPt, resources };
}

/** The largest side of a page (§7.7.3.3). */
const SIDE_PT_MAX = 14_400;

type Corners = readonly [number, number, number, number];

/** The corners of a rectangle in order; any two opposite ones may be given (§7.9.5). */
export function cornersOf(value: PDFObject | undefined): Corners | null {
  if (!(value instanceof PDFArray) || value.size() !== 4) return null;
  const numbers = [0, 1, 2, 3].map((index) => value.lookup(index));
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN] = numbers.map((one) =>
    one instanceof PDFNumber ? one.asNumber() : NaN,
  );
  if (!Number.isFinite(x1 + y1 + x2 + y2)) return null;
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
}

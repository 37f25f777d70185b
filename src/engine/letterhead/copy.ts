import { LIMITS } from '../../limits.ts';
import type { PdfFile } from '../pdf/file.ts';
import { decimal, reference } from '../pdf/syntax.ts';
import { LetterheadFault } from './faults.ts';
import { filterNames, name, numberOf } from './parse.ts';
import type { UnpackBudget } from './unpack.ts';
import {
  PDFArray,
  PDFBool,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  PDFRawStream,
  PDFRef,
  PDFString,
} from './pdf-lib.ts';
import type { PDFContext, PDFObject } from './pdf-lib.ts';

/** The words of a list as PDF names. */
function namesOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map((word) => `/${word}`));
}

/**
 * Keys that are never copied: actions, references back to the file (pages, structure, metadata),
 * and data outside of it.
 */
const LEFT_OUT = namesOf(
  'A AA JS OpenAction Names Annots EF AF Ref OPI Alternates Parent P StructParent StructParents ' +
    'Metadata PieceInfo LastModified Measure PtData Usage Thumb ID',
);
/** The same for the dictionary of a stream: data in another file (§7.3.8.2). */
const LEFT_OUT_OF_STREAMS = namesOf('F FFilter FDecodeParms Length DL');
/** Dictionaries whose keys are names that the file chose: none of them is left out. */
const NAMED = namesOf(
  'Font XObject ExtGState ColorSpace Pattern Shading Properties CharProcs Colorants',
);
/** Types of objects that no drawing needs. */
const NEVER = namesOf('Page Pages Catalog Annot Action Filespec EmbeddedFile StructElem');
/** Names without characters that need an escape (§7.3.5). */
const NAME = /^\/[^\s()<>[\]{}/%]*$/;

/** Copies the objects that resources refer to into another file, but nothing that acts. */
export class ResourceCopier {
  readonly #context: PDFContext;
  readonly #file: PdfFile;
  readonly #budget: UnpackBudget;
  readonly #numbers = new Map<PDFRef, number>();

  constructor(context: PDFContext, file: PdfFile, budget: UnpackBudget) {
    this.#context = context;
    this.#file = file;
    this.#budget = budget;
  }

  /** The value as PDF syntax; `key` is the one that it stands under. */
  copy(value: PDFObject, key: string, depth = 0): string {
    if (depth > LIMITS.pdfDepthMax) throw new LetterheadFault('deep');
    if (value instanceof PDFRef) return this.#reference(value, key, depth);
    if (value instanceof PDFName) return nameOf(value);
    if (value instanceof PDFNumber) return decimal(finite(value.asNumber()), 8);
    if (value instanceof PDFBool) return value.asBoolean() ? 'true' : 'false';
    if (value instanceof PDFString || value instanceof PDFHexString) {
      // Hexadecimal strings, so that a later reader need not handle parentheses in strings.
      return `<${Buffer.from(value.asBytes()).toString('hex')}>`;
    }
    if (value instanceof PDFArray) {
      const items = value.asArray().map((item) => this.copy(item, '', depth + 1));
      return `[${items.join(' ')}]`;
    }
    if (value instanceof PDFDict) {
      return isNever(value) ? 'null' : `<<${this.entries(value, key, depth, false)}>>`;
    }
    if (value === PDFNull) return 'null';
    throw new LetterheadFault('broken');
  }

  /** The entries of a dictionary, without its brackets. */
  entries(dict: PDFDict, key: string, depth: number, isStream: boolean): string {
    let text = '';
    for (const [entry, value] of dict.entries()) {
      const own = nameOf(entry);
      const isLeftOut = isStream && LEFT_OUT_OF_STREAMS.has(own);
      if (isLeftOut || (!NAMED.has(key) && LEFT_OUT.has(own))) continue;
      text += entryOf(own, this.copy(value, own, depth + 1));
    }
    return text;
  }

  #reference(ref: PDFRef, key: string, depth: number): string {
    const known = this.#numbers.get(ref);
    if (known !== undefined) return reference(known);
    const target = this.#context.lookup(ref);
    if (target === undefined || target === PDFNull) return 'null';
    if (this.#numbers.size >= LIMITS.pdfObjectsMax) throw new LetterheadFault('large');
    const number = this.#file.reserve();
    this.#numbers.set(ref, number);
    if (target instanceof PDFRawStream) this.#stream(number, target, key, depth);
    else this.#file.object(number, this.copy(target, key, depth + 1));
    if (this.#file.sink.length > LIMITS.pdfBytesMax) throw new LetterheadFault('large');
    return reference(number);
  }

  /**
   * A stream keeps its bytes. Compressed ones are inflated once to count their size; the size of an
   * image follows from its dictionary, and readers inflate no more of it.
   */
  #stream(number: number, { dict, contents }: PDFRawStream, key: string, depth: number): void {
    const subtype = dict.lookup(name('Subtype'));
    const kind = subtype instanceof PDFName ? subtype.asString() : '';
    if (kind === '/PS') throw new LetterheadFault('script');
    if (isNever(dict)) {
      this.#file.object(number, 'null');
      return;
    }
    if (kind === '/Image') {
      const pixels = numberOf(dict, 'Width', 0) * numberOf(dict, 'Height', 0);
      if (pixels > LIMITS.imagePixelsMax) throw new LetterheadFault('large');
    }
    const [first = ''] = filterNames(dict);
    if (first === '/Crypt') throw new LetterheadFault('encrypted');
    const isFlate = first === '/FlateDecode' || first === '/Fl';
    if (isFlate && kind !== '/Image') this.#budget.inflate(contents);
    this.#file.stream(number, this.entries(dict, key, depth, true), contents);
  }
}

/** An entry with a space only where two words would otherwise become one. */
export function entryOf(key: string, value: string): string {
  return /^[/[<(]/.test(value) ? key + value : `${key} ${value}`;
}

function isNever(dict: PDFDict): boolean {
  const type = dict.get(name('Type'));
  return type instanceof PDFName && NEVER.has(type.asString());
}

function nameOf(value: PDFName): string {
  const text = value.asString();
  if (!NAME.test(text)) throw new LetterheadFault('broken');
  return text;
}

function finite(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) > 2 ** 53) throw new LetterheadFault('broken');
  return value;
}

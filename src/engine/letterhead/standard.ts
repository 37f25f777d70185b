import { constants, inflateSync } from 'node:zlib';
import { LIMITS } from '../../limits.ts';
import type { LetterheadPage } from '../model/letterhead.ts';
import { latin1, PdfSource, referencesIn } from '../pdf/copy/pdf-source.ts';

/** Limit of the font names in a message. */
const NAMES_MAX = 5;
/** Four numbers and the operator that takes them as a colour (§8.6.8). */
const CMYK_OPERATOR = /(?:[-+.\d]+\s+){4}[kK](?=\s|$)/;
const IS_CMYK = /\/DeviceCMYK\b/;

/**
 * Faults of a page of a cleaned file that break PDF/A-2 and PDF/A-3 (ISO 19005-2), as the ends of a
 * sentence that begins with "This PDF has"; an empty list does not prove conformance.
 */
export function standardBreaks({ file, form }: LetterheadPage): readonly string[] {
  const search = new BreakSearch(new PdfSource(file));
  search.visit(form);
  return search.found();
}

class BreakSearch {
  readonly #source: PdfSource;
  readonly #seen = new Set<number>();
  readonly #fonts = new Set<string>();
  readonly #others = new Set<string>();

  constructor(source: PdfSource) {
    this.#source = source;
  }

  /** Looks at an object and at all that it refers to. */
  visit(first: number): void {
    const waiting = [first];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      if (this.#seen.has(number) || this.#seen.size > LIMITS.pdfObjectsMax) continue;
      this.#seen.add(number);
      const body = this.#source.body(number);
      const at = Buffer.from(body.buffer, body.byteOffset, body.length).indexOf('stream\n');
      const dictionary = latin1(at < 0 ? body : body.subarray(0, at));
      this.#look(dictionary);
      if (at >= 0 && /\/Subtype\/Form\b/.test(dictionary)) {
        this.#content(dictionary, body.subarray(at + 'stream\n'.length));
      }
      waiting.push(...referencesIn(dictionary));
    }
  }

  found(): readonly string[] {
    const fonts = [...this.#fonts];
    if (fonts.length === 0) return [...this.#others];
    const named = fonts.slice(0, NAMES_MAX).join(', ');
    const more = fonts.length > NAMES_MAX ? ` and ${fonts.length - NAMES_MAX} more` : '';
    return [`fonts that are not embedded: ${named}${more} (6.2.11.4.1)`, ...this.#others];
  }

  #look(dictionary: string): void {
    const base = /\/BaseFont\s*\/([^\s/<>[\]()]+)/.exec(dictionary)?.[1];
    if (base !== undefined && !this.#isEmbedded(dictionary)) this.#fonts.add(base.slice(0, 60));
    if (IS_CMYK.test(dictionary)) this.#others.add('CMYK colours (6.2.4.3)');
    if (/\/LZW/.test(dictionary)) this.#others.add('data compressed with LZW (6.1.7.2)');
    if (/\/Interpolate true/.test(dictionary)) {
      this.#others.add('an image that readers may smooth (6.2.8)');
    }
    if (/\/TR2?\s*[/\d]/.test(dictionary) && /\/Type\/ExtGState/.test(dictionary)) {
      this.#others.add('transfer functions (6.2.5)');
    }
  }

  /** A composite font embeds its glyphs in the font below it. */
  #isEmbedded(dictionary: string): boolean {
    if (/\/Subtype\/Type0\b/.test(dictionary)) return true;
    const descriptor = /\/FontDescriptor\s+(\d+) 0 R/.exec(dictionary)?.[1];
    const inline = /\/FontDescriptor\s*<<.*\/FontFile[23]?\s/.test(dictionary);
    if (descriptor === undefined) return inline;
    return /\/FontFile[23]?\s/.test(this.#source.text(Number(descriptor)));
  }

  #content(dictionary: string, data: Uint8Array): void {
    const text = /\/Filter\/FlateDecode/.test(dictionary) ? inflated(data) : data;
    if (text !== null && CMYK_OPERATOR.test(latin1(text))) {
      this.#others.add('CMYK colours (6.2.4.3)');
    }
  }
}

/** Null for data that is packed in another way, or more than once. */
function inflated(data: Uint8Array): Uint8Array | null {
  try {
    // Z_SYNC_FLUSH ignores what follows the data, such as a line end.
    return inflateSync(data, {
      maxOutputLength: LIMITS.pdfStreamBytesMax,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

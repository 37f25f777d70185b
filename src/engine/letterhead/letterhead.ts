import { hash } from 'node:crypto';
import type { LetterheadLink, LetterheadPage } from '../model/letterhead.ts';
import {
  arrayOf,
  demandReference,
  PdfSource,
  referencesIn,
  SourceError,
} from '../pdf/copy/pdf-source.ts';

/** The type of the first object of a cleaned file, which names its pages: stored files have it. */
export const CLEANED_TYPE = 'IntaglioPaper';

const MARK = `1 0 obj\n<</Type/${CLEANED_TYPE}`;
/** After the header and its line of bytes above 127. */
const MARK_AT = '%PDF-1.7\n%1234\n'.length;

/**
 * Whether bytes claim to be a file that `cleanPdf` made. Believed only of what is stored: every PDF
 * is cleaned when a draft is saved and when it is published, and neither stores other bytes.
 */
export function isCleaned(bytes: Uint8Array): boolean {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(MARK);
  return at >= MARK_AT && at < MARK_AT + 16;
}

/** The pages of a cleaned file; null for one that is damaged. */
export function openLetterhead(bytes: Uint8Array): readonly LetterheadPage[] | null {
  try {
    const source = new PdfSource(bytes);
    const tree = source.text(demandReference(source.text(source.root), 'Pages'));
    const key = hash('sha256', bytes, 'hex');
    return referencesIn(arrayOf(tree, 'Kids') ?? '').map((number, index) =>
      pageOf(bytes, source.text(number), `${key}.${index + 1}`),
    );
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

function pageOf(file: Uint8Array, page: string, key: string): LetterheadPage {
  const [, , widthPx = 0, heightPx = 0] = (arrayOf(page, 'MediaBox') ?? '').split(' ').map(Number);
  const form = Number(/\/XObject<<\/Page (\d+) 0 R>>/.exec(page)?.[1] ?? 0);
  if (!(widthPx > 0 && heightPx > 0 && form > 0)) throw new SourceError('page');
  return { key, widthPx, heightPx, file, form, links: linksOf(page, heightPx) };
}

function linksOf(page: string, heightPt: number): readonly LetterheadLink[] {
  const pattern = /\/Rect\[([^\]]*)\]\/Border\[0 0 0\]\/A<<\/S\/URI\/URI<([0-9a-f]*)>/g;
  return Array.from(page.matchAll(pattern), ([, rect = '', uri = '']) => {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rect.split(' ').map(Number);
    const area = { x: x0, y: heightPt - y1, widthPt: x1 - x0, heightPt: y1 - y0 };
    return { ...area, uri: Buffer.from(uri, 'hex').toString('latin1') };
  });
}

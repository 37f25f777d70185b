import type { LetterheadPage } from '../model/letterhead.ts';
import { cleanApart } from './apart.ts';
import { type Dropped, LETTERHEAD_FAULTS, type LetterheadFaultKind } from './faults.ts';
import type { FormField } from './form-field.ts';
import { openLetterhead } from './letterhead.ts';

/** The pages of a foreign PDF, written anew; or why it cannot be used, for its author. */
export type CleanedPdf =
  | {
      readonly ok: true;
      readonly pdf: Uint8Array;
      readonly pages: readonly LetterheadPage[];
      /** Parts that were left out. */
      readonly dropped: readonly Dropped[];
      /** Fields that a reader could fill in. */
      readonly fields: readonly FormField[];
    }
  | { readonly ok: false; readonly fault: LetterheadFaultKind; readonly message: string };

/** Cleans a foreign PDF in a thread that ends afterwards. Never rejects. */
export async function cleanForeignPdf(bytes: Uint8Array): Promise<CleanedPdf> {
  const cleaning = await cleanApart(bytes);
  if (!cleaning.ok) return refuse(cleaning.fault);
  const pages = openLetterhead(cleaning.pdf);
  return pages === null ? refuse('broken') : { ...cleaning, pages };
}

function refuse(fault: LetterheadFaultKind): CleanedPdf {
  return { ok: false, fault, message: LETTERHEAD_FAULTS[fault] };
}

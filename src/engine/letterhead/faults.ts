import { LIMITS } from '../../limits.ts';
import type { FormField } from './form-field.ts';

/** Why a PDF cannot be used. */
export type LetterheadFaultKind =
  | 'encrypted'
  | 'broken'
  | 'large'
  | 'deep'
  | 'pages'
  | 'layers'
  | 'filter'
  | 'script'
  | 'slow'
  | 'busy';

/** Thrown while a foreign file is read; `cleanPdf` catches it. */
export class LetterheadFault extends Error {
  override readonly name = 'LetterheadFault';
  readonly kind: LetterheadFaultKind;

  constructor(kind: LetterheadFaultKind) {
    super(kind);
    this.kind = kind;
  }
}

/** Parts that a cleaned PDF lacks. */
export type Dropped = 'scripts' | 'fields' | 'annotations' | 'files';

/** Result of reading: a file of the cleaned pages and the parts left out, or a fault. */
export type Cleaning =
  | {
      readonly ok: true;
      readonly pdf: Uint8Array;
      readonly dropped: readonly Dropped[];
      /** Fields that a reader could fill in. */
      readonly fields: readonly FormField[];
    }
  | { readonly ok: false; readonly fault: LetterheadFaultKind };

/** The message of each fault for the author who uses the PDF. */
export const LETTERHEAD_FAULTS: Readonly<Record<LetterheadFaultKind, string>> = {
  encrypted: 'This PDF is protected; save it without a password.',
  broken: 'This PDF is damaged, or none; open it in a reader and save it anew.',
  large:
    `This PDF is too large: at most ${LIMITS.pdfBytesMax} bytes, ${LIMITS.pdfObjectsMax} objects, ` +
    `and ${LIMITS.pdfUnpackedBytesMax} bytes unpacked.`,
  deep: 'Objects of this PDF are nested too deeply or contain themselves; save it again.',
  pages: `This PDF has more than ${LIMITS.pdfPagesMax} pages; keep only those that you place.`,
  layers: 'This PDF has hidden layers; save it with the visible content only.',
  filter: 'A page of this PDF uses a compression filter that is not supported; save it again.',
  script: 'This PDF draws with a PostScript program; save it again without it.',
  slow: `This PDF takes more than ${LIMITS.pdfCleanMsMax} ms of CPU time to read; save it again.`,
  busy: 'This PDF could not be read: the service is too busy. Try again.',
};

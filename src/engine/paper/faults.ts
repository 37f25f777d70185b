import type { FormField } from './form-field.ts';

/** Why a PDF cannot be used. */
export type PaperFaultKind =
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
export class PaperFault extends Error {
  override readonly name = 'PaperFault';
  readonly kind: PaperFaultKind;

  constructor(kind: PaperFaultKind) {
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
  | { readonly ok: false; readonly fault: PaperFaultKind };

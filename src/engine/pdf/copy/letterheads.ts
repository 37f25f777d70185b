import type { LetterheadPage } from '../../model/letterhead.ts';
import { ObjectCopier, ObjectIndex } from './copier.ts';
import type { PdfFile } from '../file.ts';
import { PdfSource } from './pdf-source.ts';

/** Copies the form XObjects of placed pages into a file; what pages share is copied once. */
export class LetterheadWriter {
  readonly #index: ObjectIndex;
  readonly #copiers = new Map<Uint8Array, ObjectCopier>();

  constructor(file: PdfFile) {
    this.#index = new ObjectIndex(file);
  }

  /** Object number of the page's form in the file. */
  write(page: LetterheadPage): number {
    let copier = this.#copiers.get(page.file);
    if (copier === undefined) {
      const source = new PdfSource(page.file);
      copier = new ObjectCopier(source, this.#index, new Map());
      this.#copiers.set(page.file, copier);
    }
    return copier.copy(page.form);
  }
}

/** Documents destroyed together at first, and at least. */
export const DOCUMENTS_MIN = 50;
/** More would hold up the event loop while their statements are built and rows compared. */
const DOCUMENTS_MAX = 400;
/** A batch that took less is followed by a larger one: most of it was waiting for commits. */
const SHORT_MS = 300;
/** A batch that took longer is followed by a smaller one: a statement may take 4 s. */
const LONG_MS = 1_500;

/** How many expired documents are destroyed together, by how long it took. */
export class BatchSize {
  documents = DOCUMENTS_MIN;

  adapt(tookMs: number): void {
    if (tookMs < SHORT_MS) this.documents = Math.min(DOCUMENTS_MAX, this.documents * 2);
    else if (tookMs > LONG_MS) this.documents = Math.max(DOCUMENTS_MIN, this.documents / 2);
  }
}

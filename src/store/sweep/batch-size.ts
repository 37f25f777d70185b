/** Documents destroyed together at first, and at least. */
export const DOCUMENTS_MIN = 50;
/** More would hold up commits of requests behind one statement, and the turns that follow it. */
const DOCUMENTS_MAX = 200;
/** A batch that took less is followed by a larger one: most of it was waiting for commits. */
const SHORT_MS = 50;
/** A batch that took longer is followed by a smaller one. */
const LONG_MS = 250;

/** How many expired documents are destroyed together, by how long it took. */
export class BatchSize {
  documents = DOCUMENTS_MIN;

  adapt(tookMs: number): void {
    if (tookMs < SHORT_MS) this.documents = Math.min(DOCUMENTS_MAX, this.documents * 2);
    else if (tookMs > LONG_MS) this.documents = Math.max(DOCUMENTS_MIN, this.documents / 2);
  }
}

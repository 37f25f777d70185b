/**
 * When something last came from anybody, and when it last came from anybody else: whoever is alone
 * need not leave room for others.
 */
export class LatestOthers {
  #last = '';
  #atMs = Number.NEGATIVE_INFINITY;
  #otherAtMs = Number.NEGATIVE_INFINITY;

  /** Something came from `name`, a caller or a team, at `nowMs`. */
  record(name: string, nowMs: number): void {
    if (name !== this.#last) this.#otherAtMs = this.#atMs;
    this.#last = name;
    this.#atMs = nowMs;
  }

  /** When something last came from others than `name`. */
  otherAtMs(name: string): number {
    return name === this.#last ? this.#otherAtMs : this.#atMs;
  }
}

const ATTACHMENTS_IN_FLIGHT_BYTES_MAX = 256 * 1024 * 1024;

/** Limits the bytes of attachments that are in memory or in a renderer, over all requests. */
export class AttachmentBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = ATTACHMENTS_IN_FLIGHT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Takes bytes; false when too many are taken. A single request always fits. */
  take(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }
}

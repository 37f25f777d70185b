import { hash } from 'node:crypto';
import type { Certificate } from 'pkijs';
import type { GatherProofs, GatheredData } from '../long-term/validation-data.ts';

/** Sets of certificates: that of the signer, with those of the servers of a time-stamp authority. */
const SETS_MAX = 20;

/**
 * The long-term data of the signatures of one run: gathered once for the same certificates, and again
 * when the first of its proofs has expired, even if the signer's entry asks for younger answers.
 */
export class RunProofs {
  readonly #gather: GatherProofs;
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Promise<GatheredData>>();

  constructor(gather: GatherProofs, nowMs: () => number) {
    this.#gather = gather;
    this.#nowMs = nowMs;
  }

  async gather(certificates: readonly Certificate[]): Promise<GatheredData> {
    const key = keyOf(certificates);
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      const data = await kept;
      if (this.#nowMs() < data.validUntilMs) return data;
    }
    // Documents that are signed at the same time share the new answers.
    if (this.#kept.get(key) !== kept) return this.gather(certificates);
    const data = this.#gather(certificates);
    if (this.#kept.size >= SETS_MAX) this.#kept.clear();
    this.#kept.set(key, data);
    try {
      return await data;
    } catch (error) {
      // The next document asks again.
      if (this.#kept.get(key) === data) this.#kept.delete(key);
      throw error;
    }
  }
}

function keyOf(certificates: readonly Certificate[]): string {
  const encoded = certificates.map((one) => Buffer.from(one.toSchema().toBER(false)));
  return hash('sha256', Buffer.concat(encoded), 'base64');
}

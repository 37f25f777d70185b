import { createHash, createHmac } from 'node:crypto';
import type { Seal } from './types.ts';

/** What a seal covers. */
type Sealed = Omit<Seal, 'seal' | 'keyId'>;

/** The key of the seals. */
export class SealKey {
  readonly #key: string;
  /** Distinguishes keys without revealing them. */
  readonly id: string;

  constructor(key: string) {
    this.#key = key;
    this.id = createHash('sha256').update(`intaglio audit key\0${key}`).digest('hex').slice(0, 8);
  }

  seal(sealed: Sealed): Seal {
    return { ...sealed, seal: this.#sealOf(sealed), keyId: this.id };
  }

  /** Whether the seal was made with this key. */
  made(seal: Seal): boolean {
    return seal.keyId === this.id && seal.seal === this.#sealOf(seal);
  }

  /** The HMAC over parts that hold no NUL. */
  mac(parts: readonly (string | number)[]): string {
    return createHmac('sha256', this.#key).update(parts.join('\0')).digest('hex');
  }

  #sealOf({ number, fromMs, untilMs, records, digest, previous, sealedAtMs }: Sealed): string {
    const parts = [number, fromMs, untilMs, records, digest, previous, sealedAtMs];
    return this.mac(['intaglio audit 2', ...parts]);
  }
}

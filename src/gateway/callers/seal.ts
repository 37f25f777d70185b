import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/**
 * Encrypts and authenticates short texts that a browser keeps for the service. The first secret
 * seals, and every secret opens, so that secrets can be replaced while sealed texts are in use.
 */
export class TextSealer {
  readonly #secretsNow: () => readonly string[];
  readonly #purpose: string;
  #secrets: readonly string[] = [];
  #keys: readonly Buffer[] = [];

  /** `secretsNow` returns the same array until the secrets change. */
  constructor(secretsNow: () => readonly string[], purpose: string) {
    this.#secretsNow = secretsNow;
    this.#purpose = purpose;
  }

  /** Seals a text with the first secret, as base64url. */
  seal(text: string): string {
    const [key] = this.#keysNow();
    if (key === undefined) throw new Error('sealing a text needs a secret');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Opens a sealed text; returns null when none of the secrets sealed it. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < IV_BYTES + TAG_BYTES) return null;
    for (const key of this.#keysNow()) {
      const text = unseal(key, bytes);
      if (text !== null) return text;
    }
    return null;
  }

  #keysNow(): readonly Buffer[] {
    const secrets = this.#secretsNow();
    // The same array means the same secrets: their keys need not be derived again.
    if (secrets === this.#secrets) return this.#keys;
    this.#keys = secrets.map((secret) => {
      return Buffer.from(hkdfSync('sha256', secret, '', this.#purpose, 32));
    });
    this.#secrets = secrets;
    return this.#keys;
  }
}

function unseal(key: Buffer, bytes: Buffer): string | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // `final` fails only for a wrong tag: the text was sealed with another key, or is forged.
    return null;
  }
}

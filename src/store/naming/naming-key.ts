import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/*
 * A reference is kept as an HMAC over its team and itself: without the key, nobody can try numbers
 * against it, and equal references of two teams differ.
 *
 * A file name is encrypted by AES-256-GCM with a key that is derived from the document's id and so
 * used once, which is why the nonce may be constant:
 *
 *   tag, 16 bytes │ name
 */

export const NAMING_KEY_BYTES = 32;
const HASH_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const NONCE = Buffer.alloc(12);

/** Hashes references and encrypts file names. */
export class NamingKey {
  readonly id: string;
  readonly #hashing: Buffer;
  readonly #encrypting: Buffer;

  constructor(id: string, key: Uint8Array) {
    this.id = id;
    this.#hashing = derive(key, 'intaglio reference');
    this.#encrypting = derive(key, 'intaglio file name');
  }

  /** The hash of a normal reference of a team. */
  hash(teamId: string, reference: string): Uint8Array {
    // No id of a team holds a NUL.
    const text = `${teamId}\0${reference}`;
    const mac = createHmac('sha256', this.#hashing).update(text).digest();
    return new Uint8Array(mac.subarray(0, HASH_BYTES));
  }

  encrypt(documentId: string, fileName: string): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.#keyOf(documentId), NONCE);
    const text = Buffer.concat([cipher.update(fileName), cipher.final()]);
    return new Uint8Array(Buffer.concat([cipher.getAuthTag(), text]));
  }

  /** Null: somebody has changed the bytes. */
  decrypt(documentId: string, bytes: Uint8Array): string | null {
    if (bytes.byteLength < TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#keyOf(documentId), NONCE);
    decipher.setAuthTag(bytes.subarray(0, TAG_BYTES));
    try {
      const text = [decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()];
      return Buffer.concat(text).toString('utf8');
    } catch (error) {
      // Only the tag can be wrong here.
      if (!(error instanceof Error)) throw error;
      return null;
    }
  }

  #keyOf(documentId: string): Buffer {
    return createHmac('sha256', this.#encrypting).update(documentId).digest();
  }
}

function derive(key: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', info, NAMING_KEY_BYTES));
}

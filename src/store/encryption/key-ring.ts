import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { KEY_BYTES } from './segments.ts';

/*
 * A wrapped key, as it lies in the row of its file:
 *
 *   version, 1 byte │ id of the key-encryption key, 8 bytes │ RFC 3394 wrap of the file's key, 40 bytes
 *
 * Id and wrapping key are derived from the configured key by HKDF (RFC 5869): an id reveals nothing
 * of its key and is unique to it. The wrap needs no nonce, so it does not limit the number of files.
 */

const VERSION = 1;
const ID_BYTES = 8;
const WRAP = 'id-aes256-wrap';
/** RFC 3394 §2.2.3.1. */
const WRAP_IV = Buffer.from('a6a6a6a6a6a6a6a6', 'hex');

/** Keys that encrypt the keys of files; the source may replace them at any time. */
export interface EncryptionKeys {
  /** The first key encrypts new files, all decrypt; when empty, new files are not encrypted. */
  readonly keys: () => readonly Uint8Array[];
  /** Reads the source again; called when a file needs a key that is not available. */
  readonly readAgain?: () => Promise<void>;
}

/** What is derived from a configured key. */
interface RingKey {
  readonly id: string;
  readonly wrappingKey: Buffer;
}

/** The key of a new file, the same wrapped, and the id of the key that wrapped it. */
export interface NewFileKey {
  readonly key: Uint8Array;
  readonly wrapped: Uint8Array;
  readonly keyId: string;
}

/** Wraps and unwraps the keys of files. */
export class KeyRing {
  readonly #source: EncryptionKeys;
  /** What the source returned last, and the keys derived from that. */
  #sourceKeys: readonly Uint8Array[] = [];
  #keys: readonly RingKey[] = [];

  constructor(source: EncryptionKeys) {
    this.#source = source;
  }

  /** Ids of the keys; the first encrypts new files. */
  get ids(): readonly string[] {
    return this.#current().map(({ id }) => id);
  }

  /** Makes a random key for one new file; null: new files are not encrypted. */
  newFileKey(): NewFileKey | null {
    return this.wrap(randomBytes(KEY_BYTES));
  }

  /** Wraps a key of 32 bytes by the first key; null: there is none. */
  wrap(key: Uint8Array): NewFileKey | null {
    const [first] = this.#current();
    return first === undefined ? null : { key, wrapped: wrap(first, key), keyId: first.id };
  }

  /**
   * The key of a file; null: the key that wrapped it is not available, or the wrapped key was
   * changed.
   */
  async unwrap(wrapped: Uint8Array): Promise<Uint8Array | null> {
    const key = this.#unwrap(wrapped);
    if (key !== null || this.#source.readAgain === undefined) return key;
    await this.#source.readAgain();
    return this.#unwrap(wrapped);
  }

  /** The file's key wrapped by the first key; null: it is so already, or it cannot be unwrapped. */
  rewrap(wrapped: Uint8Array): Uint8Array | null {
    const [first] = this.#current();
    if (first === undefined || keyIdOf(wrapped) === first.id) return null;
    const key = this.#unwrap(wrapped);
    return key === null ? null : wrap(first, key);
  }

  #unwrap(wrapped: Uint8Array): Uint8Array | null {
    const id = keyIdOf(wrapped);
    const ringKey = this.#current().find((candidate) => candidate.id === id);
    if (ringKey === undefined || wrapped[0] !== VERSION) return null;
    const decipher = createDecipheriv(WRAP, ringKey.wrappingKey, WRAP_IV);
    try {
      return Buffer.concat([decipher.update(wrapped.subarray(1 + ID_BYTES)), decipher.final()]);
    } catch (error) {
      // The wrapped key was changed.
      if (!(error instanceof Error)) throw error;
      return null;
    }
  }

  #current(): readonly RingKey[] {
    const sourceKeys = this.#source.keys();
    if (sourceKeys !== this.#sourceKeys) {
      this.#keys = sourceKeys.map(deriveKey);
      this.#sourceKeys = sourceKeys;
    }
    return this.#keys;
  }
}

/** The id, 16 hexadecimal digits, of the key that wraps this one. */
export function keyIdOf(wrapped: Uint8Array): string {
  return Buffer.from(wrapped.subarray(1, 1 + ID_BYTES)).toString('hex');
}

function deriveKey(key: Uint8Array): RingKey {
  const derive = (info: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', info, bytes));
  return {
    id: derive('intaglio key id', ID_BYTES).toString('hex'),
    wrappingKey: derive('intaglio key wrap', KEY_BYTES),
  };
}

function wrap({ id, wrappingKey }: RingKey, key: Uint8Array): Uint8Array {
  const cipher = createCipheriv(WRAP, wrappingKey, WRAP_IV);
  const version = Buffer.from([VERSION]);
  const wrapped = [version, Buffer.from(id, 'hex'), cipher.update(key), cipher.final()];
  return new Uint8Array(Buffer.concat(wrapped));
}

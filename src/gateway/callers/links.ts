import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** What a link says, once its signature holds. */
export interface Link {
  readonly documentId: string;
  readonly expiresAtMs: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TOKEN = /^([0-9a-f-]{36})\.([0-9a-z]{1,11})\.([\w-]{12})\.([\w-]{43})$/;
const NONCE_BYTES = 9;

export function isDocumentId(text: string): boolean {
  return UUID.test(text);
}

/**
 * Signed links to files: `documentId.expiry.nonce.mac`, expiry in ms (base 36), mac HMAC-SHA-256.
 * The nonce makes every issued link differ. The first secret signs, all verify, so that secrets can
 * be rotated while links live.
 */
export class Links {
  readonly #keys: readonly KeyObject[];
  readonly #signing: KeyObject;

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
    const [first] = this.#keys;
    if (first === undefined) throw new Error('links need a secret');
    this.#signing = first;
  }

  issue(link: Link): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const claim = `${link.documentId}.${link.expiresAtMs.toString(36)}.${nonce}`;
    return `${claim}.${sign(this.#signing, claim).toString('base64url')}`;
  }

  /** null: not ours, or tampered with. Expiry is for the caller to judge. */
  read(token: string): Link | null {
    const parts = TOKEN.exec(token);
    if (parts === null) return null;
    const [, documentId = '', expiry = '', nonce = '', mac = ''] = parts;
    const claim = `${documentId}.${expiry}.${nonce}`;
    const given = Buffer.from(mac, 'base64url');
    // base64url has spare bits in its last character: only the canonical form is the link.
    if (!isDocumentId(documentId) || given.toString('base64url') !== mac) return null;
    const genuine = this.#keys.some((key) => timingSafeEqual(sign(key, claim), given));
    return genuine ? { documentId, expiresAtMs: Number.parseInt(expiry, 36) } : null;
  }
}

function sign(key: KeyObject, claim: string): Buffer {
  return createHmac('sha256', key).update(`intaglio link v1\nGET\n${claim}`).digest();
}

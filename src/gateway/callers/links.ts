import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Content of a link whose signature is valid. */
export interface Link {
  readonly documentId: string;
  readonly expiresAtMs: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TOKEN = /^([0-9a-f-]{36})\.([0-9a-z]{1,11})\.([\w-]{12})\.([\w-]{43})$/;
const NONCE_BYTES = 9;
/** How far the clock of the instance that issued a link may be ahead. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

export function isDocumentId(text: string): boolean {
  return UUID.test(text);
}

/** A secret that was replaced. Links that it signed stay valid until the last of them expires. */
interface FormerKey {
  readonly key: KeyObject;
  readonly untilMs: number;
}

/**
 * Signed links to files: `documentId.expiry.nonce.mac`, expiry in ms (base 36), mac HMAC-SHA-256.
 * The nonce makes every issued link differ. The first secret signs, all verify, so that secrets can
 * be rotated while links are valid. A secret that is removed while the service runs still verifies
 * links that it may have signed before: those that expire within `ttlMs` of its removal.
 */
export class Links {
  readonly #secretsNow: () => readonly string[];
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  #secrets: readonly string[] = [];
  #keys: readonly KeyObject[] = [];
  #former: readonly FormerKey[] = [];

  /** `secretsNow` returns the same array until the secrets change. */
  constructor(secretsNow: () => readonly string[], ttlMs: number, nowMs: () => number) {
    this.#secretsNow = secretsNow;
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
  }

  issue(link: Link): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const claim = `${link.documentId}.${link.expiresAtMs.toString(36)}.${nonce}`;
    const [signing] = this.#keysNow();
    if (signing === undefined) throw new Error('links need a secret');
    return `${claim}.${sign(signing, claim).toString('base64url')}`;
  }

  /**
   * Verifies a token; null: it is not ours, was tampered with, or names an expiry that this service
   * does not give, as only somebody else who knows the secret could. The caller checks the expiry.
   */
  read(token: string): Link | null {
    const parts = TOKEN.exec(token);
    if (parts === null) return null;
    const [, documentId = '', expiry = '', nonce = '', mac = ''] = parts;
    const claim = `${documentId}.${expiry}.${nonce}`;
    const given = Buffer.from(mac, 'base64url');
    // The last character of base64url has spare bits, so only the canonical form is accepted.
    if (!isDocumentId(documentId) || given.toString('base64url') !== mac) return null;
    const expiresAtMs = Number.parseInt(expiry, 36);
    const isSignedBy = (key: KeyObject): boolean => timingSafeEqual(sign(key, claim), given);
    const isGenuine =
      this.#keysNow().some(isSignedBy) ||
      this.#former.some(({ key, untilMs }) => expiresAtMs <= untilMs && isSignedBy(key));
    const isWithinLifetime = expiresAtMs <= this.#nowMs() + this.#ttlMs + CLOCK_TOLERANCE_MS;
    return isGenuine && isWithinLifetime ? { documentId, expiresAtMs } : null;
  }

  #keysNow(): readonly KeyObject[] {
    const secrets = this.#secretsNow();
    if (secrets === this.#secrets) return this.#keys;
    const nowMs = this.#nowMs();
    const untilMs = nowMs + this.#ttlMs;
    const gone = this.#keys.filter((_, at) => !secrets.includes(this.#secrets[at] ?? ''));
    const kept = this.#former.filter((former) => former.untilMs > nowMs);
    this.#former = [...kept, ...gone.map((key) => ({ key, untilMs }))];
    this.#keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
    this.#secrets = secrets;
    return this.#keys;
  }
}

function sign(key: KeyObject, claim: string): Buffer {
  return createHmac('sha256', key).update(`intaglio link v1\nGET\n${claim}`).digest();
}

/** The seal of one day (UTC) of the audit; digests in hex. */
export interface Seal {
  /** `2026-11-21`. */
  readonly day: string;
  readonly records: number;
  /** SHA-256 of the records. */
  readonly digest: string;
  /** HMAC, by the key, over the digest and the seal of the day before. */
  readonly seal: string;
  /** Identifies the key without revealing it. */
  readonly keyId: string;
}

/** Result of comparing the records of a day with its seal. */
export type SealFinding =
  | 'whole'
  | 'not sealed'
  | 'records changed'
  | 'seal changed'
  | 'the day before is missing'
  | 'sealed with another key';

export interface SealCheck {
  readonly day: string;
  /** The number that exists now. */
  readonly records: number;
  /** Null: the day is not sealed. */
  readonly seal: string | null;
  readonly finding: SealFinding;
}

export interface Seals {
  /**
   * Seals the days of the audit that are over, at most 400 in a call, and returns the new seals.
   * Several instances may call it at the same time: each day is sealed once.
   */
  sealDays(nowMs: number): Promise<readonly Seal[]>;
  /** Compares each day with its seal, from the day of `sinceMs` on; null: from the first. */
  verify(sinceMs: number | null, nowMs: number): AsyncGenerator<SealCheck, void, undefined>;
}

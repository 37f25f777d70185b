/** One day (UTC) of the audit, sealed; digests in hex. */
export interface Seal {
  /** `2026-11-21`. */
  readonly day: string;
  readonly records: number;
  /** SHA-256 of the records. */
  readonly digest: string;
  /** Made from the digest, the seal of the day before, and the key. */
  readonly seal: string;
  /** Tells which key; nothing can be learned of the key by it. */
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
  /** As many as there are now. */
  readonly records: number;
  /** Null: there is none. */
  readonly seal: string | null;
  readonly finding: SealFinding;
}

export interface Seals {
  /**
   * Seals the days of the audit that are over, at most 400 at a time, and gives the seals it made.
   * Any number of instances may do it at the same time: one of them seals a day.
   */
  sealDays(nowMs: number): Promise<readonly Seal[]>;
  /** Compares each day from that of `sinceMs` on (null: from the first) with its seal. */
  verify(sinceMs: number | null, nowMs: number): AsyncGenerator<SealCheck, void, undefined>;
}

/** A seal of the audit: it covers the records whose ids lie in [fromMs, untilMs). Texts are hex. */
export interface Seal {
  /** From 1, without gaps. */
  readonly number: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly records: number;
  /** SHA-256 of the records. */
  readonly digest: string;
  /** The seal before it. Of the first one: the last daily seal, or ''. */
  readonly previous: string;
  readonly sealedAtMs: number;
  /** HMAC, by the key, over everything above. */
  readonly seal: string;
  /** Identifies the key without revealing it. */
  readonly keyId: string;
}

/** What comparing the records with a seal, or the seals with each other, finds. */
export type SealFinding =
  | 'whole'
  | 'not sealed'
  | 'records changed'
  | 'seal changed'
  | 'seal missing'
  | 'the seal before is missing'
  | 'sealed late'
  | 'sealed with another key'
  | 'dated in the future'
  | 'dated otherwise'
  | 'the remembered seal was changed'
  | 'the remembered seal is gone';

/** One sealed period, or one that should be. */
export interface SealCheck {
  /** The seal's number, or the day of a daily seal; several missing seals: `5-9`. */
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The number that exists now. */
  readonly records: number;
  /** Null: the period is not sealed. */
  readonly seal: string | null;
  readonly finding: SealFinding;
}

/** What one call of `seal` did and saw. */
export interface Sealing {
  /** Null: nothing was due, or another instance was first. */
  readonly sealed: Seal | null;
  /** What is wrong with the seals, for the operator. */
  readonly faults: readonly string[];
}

export interface SealFigures {
  /** Seals that were made and that the table no longer has. */
  readonly missing: number;
  /** Start of the time that no seal covers; now, while there is nothing to seal. */
  readonly unsealedFromMs: number;
}

/** What a reader of the seals sees without sealing. */
export interface SealAge {
  /** When the last seal of the table was made; null: there is none. */
  readonly sealedAtMs: number | null;
  /** Start of the time that no seal covers; null: there is nothing to seal. */
  readonly unsealedFromMs: number | null;
  /** Seals up to the remembered one that the table lacks. */
  readonly missing: number;
}

export interface Seals {
  /**
   * Seals the records since the last seal when that is due. To be called every minute: the call also
   * learns of seals by other instances. Several instances may call it at the same time: each period
   * is sealed once.
   */
  seal(nowMs: number): Promise<Sealing>;
  figures(): SealFigures;
  /** Reads how old the last seal is, and seals nothing: for a check beside a running service. */
  age(): Promise<SealAge>;
  /** Compares records and seals, from the period of `sinceMs` on; null: from the first record. */
  verify(sinceMs: number | null, nowMs: number): AsyncGenerator<SealCheck, void, undefined>;
}

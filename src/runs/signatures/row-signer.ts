import { setTimeout as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { entryAt } from '../../errors.ts';
import type { SignatureOffer, SignedBy, SignedFile, Signing } from '../../sign/signing.ts';
import type { RunRecord } from '../../store/runs/types.ts';
import { Abandoned } from '../row-jobs.ts';
import { RunWaits } from '../waits/waits.ts';
import type { RenderedRow, RenderedRows, SignaturePlace, SignatureRequest } from '#engine';

/** The part of signing that runs use. */
export type RowSigning = Pick<Signing, 'offerFor' | 'signRow' | 'rowsMaxOf'>;

/** Rows of a run with their files, and who signed them; null: they are not signed. */
export interface FinishedRows extends RenderedRows {
  readonly signedBy: SignedBy | null;
}

/** Pauses between attempts while a signer does not sign: the first, and the longest. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;
/**
 * Pauses before a row is signed again, if the signer or its authority failed for this row but signs
 * others. One row that is not signed makes the whole chunk, with its hundreds of rows, start again.
 * Without retries, a signer that refuses one request in fifty would never finish a chunk.
 */
const ROW_PAUSES_MS = [100, 500, 2_000] as const;

/** Thrown when no row of a run can be signed now: the run waits for its signer. */
export class SignerAway extends RunWaits {
  override readonly name = 'SignerAway';

  constructor(reason: string) {
    super({ name: 'signer', expected: 'a signature', actual: reason });
  }
}

/** A signer that does not sign. */
interface Away {
  readonly untilMs: number;
  readonly pauseMs: number;
}

/**
 * Signs the documents of runs between renderer and store. When a signer fails, nothing of the chunk is
 * stored and the runs of its team wait: after a pause one chunk tries again, and when it succeeds the
 * others go on.
 */
export class RowSigner {
  readonly #signing: RowSigning | null;
  readonly #isStopping: () => boolean;
  readonly #nowMs: () => number;
  /** By team, which has one signer. */
  readonly #away = new Map<string, Away>();
  /** Teams whose signer has signed a row since its last failure. */
  readonly #signs = new Set<string>();

  constructor(
    signing: RowSigning | null,
    isStopping: () => boolean,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#signing = signing;
    this.#isStopping = isStopping;
    this.#nowMs = nowMs;
  }

  /**
   * The signature that a renderer leaves room for in each document; undefined if the run signs
   * nothing. Throws `SignerAway` if no signer of the team is there.
   */
  requestFor({ teamId, spec }: RunRecord): SignatureRequest | undefined {
    if (!spec.signature) return undefined;
    const offer = this.#offerFor(teamId);
    if (offer === null) throw this.#leave(teamId, 'this instance has no signer for the team');
    return { isAsked: true, ...offer };
  }

  /** Null if this instance has no signer for the team. */
  #offerFor(teamId: string): SignatureOffer | null {
    const offer = this.#signing?.offerFor(teamId);
    return offer === undefined || offer.bytesMax === 0 ? null : offer;
  }

  /**
   * Whether the run waits for its signer. When a pause ends, the first who asks may try, and the others
   * wait for another pause.
   */
  isWaiting({ teamId, spec, state }: RunRecord): boolean {
    const away = spec.signature ? this.#away.get(teamId) : undefined;
    if (away === undefined) return false;
    // A check needs only the certificate. It must not wait for the signer, nor use up the attempt
    // that a chunk needs.
    if (state === 'checking' && this.#offerFor(teamId) !== null) return false;
    if (this.#nowMs() < away.untilMs) return true;
    const pauseMs = Math.min(PAUSE_MS_MAX, 2 * away.pauseMs);
    this.#away.set(teamId, { untilMs: this.#nowMs() + pauseMs, pauseMs });
    return false;
  }

  /**
   * A chunk of the run was stored, so its signer signs. Returns whether the run was waiting for it.
   */
  clear({ teamId, spec }: RunRecord): boolean {
    return spec.signature && this.#away.delete(teamId);
  }

  /** The same rows with signed files, in their order. Throws `SignerAway`. */
  async sign(run: RunRecord, { rows, files }: RenderedRows): Promise<FinishedRows> {
    if (!run.spec.signature) return { rows, files, signedBy: null };
    const signing = this.#signing;
    if (signing === null) throw this.#leave(run.teamId, 'this instance has no signers');
    const made: RenderedRow[] = [...rows];
    const pdfs: Uint8Array[] = rows.map(() => NO_FILE);
    const starts = startsOf(rows);
    let signedBy: SignedBy | null = null;
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < rows.length) {
        if (this.#isStopping()) throw new Abandoned();
        const index = next++;
        const row = entryAt(rows, index);
        if (row.failure !== null) continue;
        if (row.signature === null) throw new Error('a document has no place for its signature');
        const from = entryAt(starts, index);
        const pdf = files.subarray(from, from + row.bytes);
        const { pdf: file, sha256, by } = await this.#signOne(run, signing, pdf, row.signature);
        signedBy = by;
        pdfs[index] = file;
        made[index] = { ...row, sha256, crc32: crc32(file), bytes: file.byteLength };
      }
    };
    try {
      await Promise.all(Array.from({ length: signing.rowsMaxOf(run.teamId) }, lane));
    } finally {
      // After a failure no lane begins another document.
      next = rows.length;
    }
    return { rows: made, files: Buffer.concat(pdfs), signedBy };
  }

  /** Signs a file. Retries after a pause if the signer signs other rows of the team. */
  async #signOne(
    { teamId, runId }: RunRecord,
    signing: RowSigning,
    pdf: Uint8Array,
    place: SignaturePlace,
  ): Promise<SignedFile> {
    for (let tries = 0; ; tries += 1) {
      const signed = await signing.signRow(teamId, runId, pdf, place);
      if (signed.ok) {
        this.#signs.add(teamId);
        return signed.value;
      }
      const pauseMs = ROW_PAUSES_MS[tries];
      const mayRetry = pauseMs !== undefined && this.#signs.has(teamId) && !this.#isStopping();
      if (!mayRetry) throw this.#leave(teamId, signed.message);
      await pause(pauseMs);
    }
  }

  #leave(teamId: string, reason: string): SignerAway {
    // Chunks that were under way fail together: they count as one attempt.
    const { pauseMs } = this.#away.get(teamId) ?? { pauseMs: PAUSE_MS_MIN };
    this.#away.set(teamId, { untilMs: this.#nowMs() + pauseMs, pauseMs });
    this.#signs.delete(teamId);
    return new SignerAway(reason);
  }
}

const NO_FILE = new Uint8Array(0);

/** Where the file of each row begins. */
function startsOf(rows: readonly RenderedRow[]): readonly number[] {
  let at = 0;
  return rows.map(({ bytes }) => {
    at += bytes;
    return at - bytes;
  });
}

import { hash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { entryAt, type Failure, type Outcome, succeed } from '../errors.ts';
import type { Protector } from '../protect/protector.ts';
import { protectToSign } from '../protect/signature-room.ts';
import type { RunProtection } from '../store/runs/types.ts';
import { Abandoned } from './row-jobs.ts';
import { RunWaits } from './waits/waits.ts';
import type {
  PasswordText,
  Protection,
  RenderedRow,
  RenderedRows,
  RowPasswords,
  SignaturePlace,
} from '#engine';

/** The part of the protector that runs use. */
export type Qpdf = Pick<Protector, 'protect'>;

/** Pause before another attempt when requests fill the queue of qpdf. */
const BUSY_MS = 50;
/** Attempts for a document that qpdf fails on: the host may have died under it. */
const TRIES_MAX = 2;

/** The passwords of a run as jobs of rows carry them; undefined: it has none. */
export function passwordsOf(protection: RunProtection | null): RowPasswords | undefined {
  if (protection === null) return undefined;
  const { user, owner } = protection;
  // `readRunProtection` of the gateway has checked the formats.
  return {
    user: user as PasswordText | null,
    owner: owner === 'random' ? null : owner,
  };
}

/** Protects the documents of one run. No file of them is stored before it is protected. */
export class RunProtector {
  readonly #protector: Qpdf | null;
  readonly #atOnceMax: number;
  readonly #isStopping: () => boolean;

  constructor(protector: Qpdf | null, atOnceMax: number, isStopping: () => boolean) {
    this.#protector = protector;
    this.#atOnceMax = atOnceMax;
    this.#isStopping = isStopping;
  }

  /**
   * The same rows with protected files, in their order; a document that qpdf fails on is a failed row.
   * Throws while there is no qpdf: the chunk is rendered again later.
   */
  async protect(
    protection: RunProtection | null,
    { rows, files }: RenderedRows,
  ): Promise<RenderedRows> {
    if (protection === null) return { rows, files };
    const made: RenderedRow[] = [...rows];
    const pdfs: Uint8Array[] = rows.map(() => NO_FILE);
    const starts = startsOf(rows);
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < rows.length) {
        if (this.#isStopping()) throw new Abandoned();
        const index = next++;
        const row = entryAt(rows, index);
        if (row.failure !== null) continue;
        const from = entryAt(starts, index);
        const protectedPdf = await this.#protectOne(
          files.subarray(from, from + row.bytes),
          row,
          protection,
        );
        if (protectedPdf.ok) pdfs[index] = protectedPdf.value.pdf;
        made[index] = rowOf(row, protectedPdf);
      }
    };
    try {
      await Promise.all(Array.from({ length: this.#atOnceMax }, lane));
    } finally {
      // After a failure no lane begins another document.
      next = rows.length;
    }
    files.fill(0);
    return { rows: made, files: Buffer.concat(pdfs) };
  }

  async #protectOne(
    pdf: Uint8Array,
    { passwords, signature }: RenderedRow,
    { owner, permissions }: RunProtection,
  ): Promise<Outcome<ProtectedRow>> {
    if (passwords === null) throw new Error('a document of a protected run has no password');
    if (this.#protector === null) throw new RunWaits(NO_QPDF);
    const { user: userPassword } = passwords;
    const ownerPassword = owner === 'random' ? randomPassword() : passwords.owner;
    const protection = { userPassword, ownerPassword, permissions };
    for (let tries = 1; ;) {
      const outcome = await protectRow(this.#protector, pdf, protection, signature);
      if (outcome.ok) return outcome;
      if (outcome.code === 'protection_unavailable') throw new RunWaits(NO_QPDF);
      if (outcome.code === 'overloaded') {
        await pause(BUSY_MS);
      } else if (tries === TRIES_MAX) {
        return outcome;
      } else {
        tries += 1;
      }
    }
  }
}

const NO_QPDF = { name: 'protection', expected: 'qpdf', actual: 'missing on an instance' };
const NO_FILE = new Uint8Array(0);
/**
 * Random bytes in an owner password that nobody keeps. Nobody can try 2^128 passwords. A longer one
 * would only cost CPU: 64 copies of it are hashed in each of 64 rounds, twice.
 */
const RANDOM_BYTES = 16;

function randomPassword(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** Where the file of each row begins. */
function startsOf(rows: readonly RenderedRow[]): readonly number[] {
  let at = 0;
  return rows.map(({ bytes }) => {
    at += bytes;
    return at - bytes;
  });
}

/** A protected file, and where its signature goes; null: it is not signed. */
interface ProtectedRow {
  readonly pdf: Uint8Array;
  readonly place: SignaturePlace | null;
}

async function protectRow(
  protector: Qpdf,
  pdf: Uint8Array,
  protection: Protection,
  place: SignaturePlace | null,
): Promise<Outcome<ProtectedRow>> {
  if (place !== null) return protectToSign(protector, pdf, protection, place);
  const outcome = await protector.protect(pdf, protection);
  return outcome.ok ? succeed({ pdf: outcome.value, place: null }) : outcome;
}

function rowOf(row: RenderedRow, made: Outcome<ProtectedRow>): RenderedRow {
  if (!made.ok) return failedRow(row, made);
  const { pdf, place } = made.value;
  const bytes = pdf.byteLength;
  const protectedRow = { ...row, bytes, passwords: null, signature: place };
  // A signature changes the digests: who signs the file computes them.
  if (place !== null) return protectedRow;
  return { ...protectedRow, sha256: hash('sha256', pdf, 'hex'), crc32: crc32(pdf) };
}

function failedRow(row: RenderedRow, failure: Failure): RenderedRow {
  const none = { bytes: 0, sha256: '', crc32: 0, naming: null, passwords: null, signature: null };
  return { ...row, failure, ...none };
}

import { createHash, type Hash } from 'node:crypto';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { Damages } from '../documents/damages.ts';
import type { Vault } from '../encryption/vault.ts';
import { CheckedFile } from '../files/checked-file.ts';
import { FileDamaged, FileKeyMissing, FileMissing } from '../files/faults.ts';
import { StorageUnavailable } from '../terms.ts';
import type { PrintSegment } from './prints/types.ts';
import type { RunFileVerdict, RunFinding } from './types.ts';

const PIECE_BYTES = 64 * 1024;

/** An uploaded part, or a print file with all its segments. */
export interface RunFile extends Omit<RunFinding, 'finding'> {
  readonly segments: readonly PrintSegment[];
  /** Digest of all segments together; null: only the segments are compared. */
  readonly sha256: string | null;
}

/** Reads files of runs as a whole, and records which of them are damaged or missing. */
export class RunExamination {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #damages: Damages;

  constructor(database: Database, vault: Vault, damages: Damages) {
    this.#database = database;
    this.#vault = vault;
    this.#damages = damages;
  }

  /** Compares the bytes of the file with its digests, and records a finding. */
  async examine(file: RunFile): Promise<RunFileVerdict> {
    const verdict = await this.#compare(file);
    const fileId = file.segments[0]?.fileId;
    if (fileId !== undefined && (verdict === 'damaged' || verdict === 'missing')) {
      await this.#damages.recordFile(file.runId, fileId, verdict);
    }
    return verdict;
  }

  /** How many documents of the run were found damaged or missing. */
  countDocuments(runId: string): Promise<number> {
    return this.#damages.countInRun(runId);
  }

  /** Ids of files with a record. */
  recorded(): Promise<ReadonlySet<string>> {
    return this.#damages.recorded();
  }

  /** Forgets what was recorded of a file that is intact. */
  async forget({ segments }: RunFile): Promise<void> {
    for (const { fileId } of segments) await this.#damages.clear(fileId);
  }

  async #compare({ segments, sha256 }: RunFile): Promise<RunFileVerdict> {
    if (segments.length === 0) return 'damaged';
    const whole = createHash('sha256');
    for (const segment of segments) {
      const verdict = await this.#compareSegment(segment, whole);
      if (verdict !== 'intact') return verdict;
    }
    return sha256 === null || whole.digest('hex') === sha256 ? 'intact' : 'damaged';
  }

  async #compareSegment(segment: PrintSegment, whole: Hash): Promise<RunFileVerdict> {
    const { fileId } = segment;
    if (!(await this.#isLiving(fileId))) return 'gone';
    try {
      await this.#read(segment, whole);
      return 'intact';
    } catch (error) {
      if (error instanceof FileDamaged) return 'damaged';
      if (error instanceof StorageUnavailable || error instanceof FileKeyMissing) return 'unread';
      if (!(error instanceof FileMissing)) throw error;
      return (await this.#isLiving(fileId)) ? 'missing' : 'gone';
    }
  }

  /** Throws `FileDamaged` when the segment differs from its digest; without one, from its size. */
  async #read({ fileId, bytes, sha256 }: PrintSegment, whole: Hash): Promise<void> {
    const file = await this.#vault.openRunFile(fileId);
    try {
      const damaged = new FileDamaged(fileId);
      if (file.bytes !== bytes) throw damaged;
      const checked =
        sha256 === null ? file : new CheckedFile(file, sha256, () => Promise.resolve(damaged));
      for (let at = 0; at < bytes;) {
        const piece = await checked.read(at, PIECE_BYTES);
        if (piece.byteLength === 0) throw damaged;
        await hashInSlices(whole, piece);
        at += piece.byteLength;
      }
    } finally {
      await file.close();
    }
  }

  async #isLiving(fileId: string): Promise<boolean> {
    const row = await this.#database.readUncompared((db) =>
      db
        .selectFrom('run_files')
        .select('state')
        .where('file_id', '=', fileId)
        .where('state', '=', DOCUMENT_STATES.available)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }
}

import type { ListPage, StoredFile } from '../../terms.ts';
import type { ChunkPlace, RunFileVerdict, RunRecord } from '../types.ts';

/** A file that a print file is made of. */
export interface PrintSegment {
  readonly fileId: string;
  readonly bytes: number;
  /** null: a version without digests stored it. */
  readonly sha256: string | null;
}

/** The files of a finished print file. */
export interface WholePrint {
  readonly segments: readonly PrintSegment[];
  /** Digest of all segments together; null: a version without it made the print file. */
  readonly sha256: string | null;
}

/** Where a document stands in a print file; pages count from 1. */
export interface PrintedDocument {
  readonly rowId: string;
  readonly documentId: string;
  readonly fromPage: number;
  readonly toPage: number;
}

/** A print file that was made and must be recorded. */
export interface NewPrint {
  readonly segments: readonly PrintSegment[];
  /** Digest of all segments together. */
  readonly sha256: string;
  readonly documents: readonly PrintedDocument[];
  /** The packs of its documents: the print file expires with the first of them. */
  readonly packIds: readonly string[];
  readonly pages: number;
}

/** A finished print file. */
export interface RunPrint {
  readonly number: number;
  readonly documents: number;
  readonly pages: number;
  readonly bytes: number;
  /** null: a version without this digest made it. */
  readonly sha256: string | null;
}

/** Which documents of a run a print file holds. */
export interface PrintPlan {
  readonly number: number;
  /** The chunk with the first of them, and how many stored rows of that chunk are before it. */
  readonly place: ChunkPlace;
  readonly skip: number;
  /** How many documents it holds; the last file may hold fewer. */
  readonly documents: number;
}

/** Merged print files of runs. */
export interface RunPrints {
  /** Plans all print files of a run whose documents are stored, once, in the order of their numbers. */
  prepare(run: RunRecord): Promise<void>;
  /** Discards all print files, because the documents of the run will change. */
  clear(runId: string): Promise<void>;
  /** Leases a print file that must be made; null: none is free. */
  lease(run: RunRecord, owner: string): Promise<PrintPlan | null>;
  /** How many print files must be made, those under way included. */
  left(runId: string): Promise<number>;
  renew(owner: string): Promise<void>;
  release(owner: string, runId: string, number: number): Promise<void>;
  /** Releases all leases of `owner`. */
  releaseAll(owner: string): Promise<void>;
  /** Resolves when the bytes are durable. Takes ownership of them. */
  putSegment(runId: string, pieces: readonly Uint8Array[]): Promise<PrintSegment>;
  /**
   * Opens a segment for one read from its beginning to its end. Throws `FileDamaged`, at the latest
   * instead of the last piece, when it differs from what was stored.
   */
  openSegment(segment: PrintSegment): Promise<StoredFile>;
  /** False: the lease was lost. */
  finish(run: RunRecord, number: number, owner: string, print: NewPrint): Promise<boolean>;
  /** Makes segments of abandoned print files expire, so that the next sweep removes them. */
  settle(run: RunRecord): Promise<void>;
  /** Lists the finished print files whose numbers are above `after`, in their order. */
  list(run: RunRecord, countMax: number, after: number): Promise<ListPage<RunPrint>>;
  /** The files of a finished print file; null: there is none of this number. */
  find(runId: string, number: number): Promise<WholePrint | null>;
  /** Whether a finished print file has expired: it does with the first of its documents. */
  hasExpired(print: WholePrint): Promise<boolean>;
  /** Reads a finished print file as a whole, and records it when it is damaged or missing. */
  examine(runId: string, number: number, print: WholePrint): Promise<RunFileVerdict>;
  /** The documents of a finished print file, some hundred at a time; null: there is none. */
  documents(
    runId: string,
    number: number,
  ): Promise<AsyncIterable<readonly PrintedDocument[]> | null>;
}

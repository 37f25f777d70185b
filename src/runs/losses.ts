import { LRUCache } from 'lru-cache';
import { describeError } from '../log/log.ts';
import type { RunReason } from '../store/runs/types.ts';
import { StorageUnavailable } from '../store/store.ts';
import { Abandoned } from './row-jobs.ts';
import type { DocumentFinding, Finding } from './stored-documents.ts';

/** Thrown when the stored rows of a part are missing, or differ from what was received. */
export class RowsLost extends Error {
  override readonly name = 'RowsLost';
  readonly part: number;
  readonly finding: Finding;

  constructor(part: number, finding: Finding) {
    super(`the rows of part ${part} are ${finding}`);
    this.part = part;
    this.finding = finding;
  }
}

/** Thrown when a document that a print file needs has expired, is missing or was changed. */
export class DocumentLost extends Error {
  override readonly name = 'DocumentLost';
  readonly rowId: string;
  readonly documentId: string;
  readonly finding: DocumentFinding;

  constructor(rowId: string, documentId: string, finding: DocumentFinding) {
    super(`document ${documentId} is ${finding}`);
    this.rowId = rowId;
    this.documentId = documentId;
    this.finding = finding;
  }
}

/** Thrown when a step could not be stored because its lease was no longer this instance's. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Why a run cannot go on: for its caller, and for the log, which holds no row id. */
export interface Loss {
  readonly reason: RunReason;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Returns null when the error is not about lost or damaged bytes. */
export function lossOf(error: unknown): Loss | null {
  if (error instanceof RowsLost) {
    const { part, finding } = error;
    const expected = `part ${part} as it was received`;
    return {
      reason: { name: 'input', expected, actual: finding },
      entry: { msg: `rows of a run are ${finding}`, part },
    };
  }
  if (error instanceof DocumentLost) {
    const { rowId, documentId, finding } = error;
    const expected = `row ${rowId}: document ${documentId} as it was stored`;
    return {
      reason: { name: 'documents', expected, actual: finding },
      entry: { msg: `a document for a print file is ${finding}`, documentId },
    };
  }
  return null;
}

/** Failures of a run, one after the other, before it is stopped. A lane rests a second after most. */
const FAILURES_MAX = 10;
const RUNS_MAX = 10_000;

/**
 * Counts the steps of each run that fail although nothing is down, such as one that meets a damaged
 * row of the database, or an index that does not find it. Tried for ever, such a run would never end.
 */
export class FailedSteps {
  readonly #counts = new LRUCache<string, number>({ max: RUNS_MAX });

  /** Counts a failure. Returns why the run is to be stopped, or null: it may be tried again. */
  add(runId: string, error: unknown): Loss | null {
    if (error instanceof StorageUnavailable || error instanceof Abandoned) return null;
    const count = (this.#counts.get(runId) ?? 0) + 1;
    this.#counts.set(runId, count);
    if (count < FAILURES_MAX) return null;
    const expected = 'steps that can be stored (the log of the service has the error)';
    const actual = `${count} failed one after the other`;
    return {
      reason: { name: 'service', expected, actual },
      entry: { msg: 'a run is stopped, because its steps fail', err: describeError(error) },
    };
  }

  /** A step of the run was stored. */
  clear(runId: string): void {
    this.#counts.delete(runId);
  }
}

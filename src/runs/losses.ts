import type { RunReason } from '../store/runs/types.ts';
import type { Finding } from './stored-documents.ts';

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

/** Thrown when a document that a print file needs is missing, or differs from what was stored. */
export class DocumentLost extends Error {
  override readonly name = 'DocumentLost';
  readonly rowId: string;
  readonly documentId: string;
  readonly finding: Finding;

  constructor(rowId: string, documentId: string, finding: Finding) {
    super(`document ${documentId} is ${finding}`);
    this.rowId = rowId;
    this.documentId = documentId;
    this.finding = finding;
  }
}

/** Why a run cannot go on: for its caller, and for the log, which holds no row id. */
export interface Loss {
  readonly reason: RunReason;
  readonly entry: Readonly<Record<string, string | number>>;
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

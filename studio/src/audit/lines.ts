import type { AuditRecord } from '../api/types.ts';

/** A line of the audit: one record, or the documents that one run has made. */
export interface AuditLine {
  /** The newest. */
  readonly record: AuditRecord;
  /** Further records of the same run. */
  readonly others: number;
  /** The first of them was made then. */
  readonly since: string;
}

/**
 * Puts the documents of a run on one line. Their records have the id of the run as their request, and
 * stand together but for what others did meanwhile: the line stands at the newest of them.
 */
export function linesOf(records: readonly AuditRecord[]): readonly AuditLine[] {
  const lines: AuditLine[] = [];
  const runs = new Map<string, number>();
  for (const record of records) {
    const { requestId, action, outcome, at } = record;
    const isMade = action === 'generate' && outcome === 'succeeded';
    const index = isMade ? runs.get(requestId) : undefined;
    const line = index === undefined ? undefined : lines[index];
    if (index === undefined || line === undefined) {
      if (isMade) runs.set(requestId, lines.length);
      lines.push({ record, others: 0, since: at });
    } else lines[index] = { ...line, others: line.others + 1, since: at };
  }
  return lines;
}

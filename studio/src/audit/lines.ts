import type { AuditRecord } from '../api/types.ts';

/** Records that the list shows as one line: a run's documents, or one person's saves of a draft. */
type Series = 'run' | 'saves' | 'previews';

/** A line of the audit: one record, or a series of them. */
export interface AuditLine {
  /** The newest. */
  readonly record: AuditRecord;
  /** null: a single record. */
  readonly series: Series | null;
  /** Further records of the same series. */
  readonly others: number;
  /** The first of them was made then. */
  readonly since: string;
}

/** A longer pause ends a series of saves: a line is one sitting of its editor. */
const PAUSE_MS_MAX = 3_600_000;
/** Actions that concern a draft, and so stand between two series of its saves. */
const OF_DRAFT = /^(?:templates|approvals)\./;

/**
 * Puts the documents of a run on one line, and the saves of one draft by one person: an editor saves
 * at each pause in the typing. The line stands at the newest of them. Documents of a run have its id
 * as their request, and stand together but for what others did meanwhile. Saves are a series until
 * somebody else saves the draft, something else is done with it, or its editor pauses.
 */
export function linesOf(records: readonly AuditRecord[]): readonly AuditLine[] {
  const lines: AuditLine[] = [];
  const open = new OpenSeries();
  for (const record of records) {
    open.end(record);
    const series = seriesOf(record);
    const index = series === null ? undefined : open.indexOf(series, record);
    const line = index === undefined ? undefined : lines[index];
    if (index !== undefined && line !== undefined && goesOn(line, record)) {
      lines[index] = { ...line, others: line.others + 1, since: record.at };
      continue;
    }
    if (series !== null) open.begin(series, record, lines.length);
    lines.push({ record, series, others: 0, since: record.at });
  }
  return lines;
}

function seriesOf({ action, outcome, draft }: AuditRecord): Series | null {
  if (outcome !== 'succeeded') return null;
  if (action === 'templates.draft') return 'saves';
  if (action !== 'generate') return null;
  return draft ? 'previews' : 'run';
}

function goesOn({ series, since }: AuditLine, { at }: AuditRecord): boolean {
  return series === 'run' || Date.parse(since) - Date.parse(at) <= PAUSE_MS_MAX;
}

/** Indexes of the lines whose series may go on. */
class OpenSeries {
  /** By the id of the run. */
  readonly #runs = new Map<string, number>();
  /** By template, then by who saves and looks at its draft. */
  readonly #drafts = new Map<string, Map<string, Map<Series, number>>>();

  indexOf(series: Series, { requestId, templateId, principal }: AuditRecord): number | undefined {
    if (series === 'run') return this.#runs.get(requestId);
    return this.#drafts.get(templateId)?.get(principal)?.get(series);
  }

  begin(series: Series, { requestId, templateId, principal }: AuditRecord, index: number): void {
    if (series === 'run') {
      this.#runs.set(requestId, index);
      return;
    }
    const people = this.#drafts.get(templateId) ?? new Map<string, Map<Series, number>>();
    const indexes = people.get(principal) ?? new Map<Series, number>();
    this.#drafts.set(templateId, people.set(principal, indexes.set(series, index)));
  }

  /** Ends the series of the draft that this record stands between. */
  end({ action, outcome, templateId, principal }: AuditRecord): void {
    if (outcome !== 'succeeded' || !OF_DRAFT.test(action)) return;
    const people = this.#drafts.get(templateId);
    const own = action === 'templates.draft' ? people?.get(principal) : undefined;
    if (people === undefined) return;
    people.clear();
    if (own !== undefined) people.set(principal, own);
  }
}

import type { en } from '../i18n/en.ts';

/** A text and what stands in its places. */
interface Said {
  readonly key: keyof typeof en;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The properties of a run that a reason needs. Tests run this file without a browser. */
interface Counted {
  readonly counts: {
    readonly stored: number;
    readonly pending: number;
    readonly invalid: number;
    readonly failed: number;
    readonly withdrawn: number;
  };
  readonly expected: { readonly sums: Readonly<Record<string, string>> };
  readonly invalidShareMax: number;
}

interface Reason {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  readonly unread?: number;
  readonly unreadWithdrawn?: number;
}

/**
 * The text for a reason why a run stopped. The service puts control sums and other reasons into one
 * list, so a name may mean either; it means the sum if the run expects one of this name.
 */
export function sayReason(
  run: Counted,
  { name, expected, actual }: Reason,
  percent: (share: number) => string,
): Said {
  const sum: Said = { key: 'run_reason.sum', parameters: { name, expected, actual } };
  if (Object.hasOwn(run.expected.sums, name)) return sum;
  switch (name) {
    case 'rows': {
      const isAtEnd = Number(expected) !== run.counts.stored && isOfDocuments(run, Number(actual));
      const key = isAtEnd ? 'run_reason.made' : 'run_reason.rows';
      return { key, parameters: { expected, actual } };
    }
    case 'invalid':
      return { key: 'run_reason.invalid', parameters: { actual } };
    case 'corrections':
      return { key: 'run_reason.corrections' };
    case 'invalid_share': {
      const share = { expected: percent(run.invalidShareMax), actual: percent(Number(actual)) };
      return { key: 'run_reason.invalid_share', parameters: share };
    }
    case 'input':
      return sayInput(expected, actual);
    case 'documents': {
      const document = expected.replace(/ as it was stored$/, '');
      return { key: 'run_reason.document', parameters: { document } };
    }
    case 'source':
      return { key: 'run_reason.source', parameters: { expected, actual } };
    case 'signer':
      return { key: 'run_reason.signer', parameters: { actual } };
    case 'key':
      return { key: 'run_reason.key', parameters: { expected } };
    case 'protection':
      return { key: 'run_reason.protection' };
    case 'not_started':
      return { key: 'run_reason.not_started' };
    default:
      return sum;
  }
}

/** The service says in English what it has lost (src/runs/verdict.ts, losses.ts). */
function sayInput(expected: string, actual: string): Said {
  const [, count] = /^(\d+) lost$/.exec(actual) ?? [];
  if (count !== undefined) return { key: 'run_reason.lost', parameters: { count } };
  const [, part] = /^part (\d+) as it was received$/.exec(expected) ?? [];
  if (part !== undefined) return { key: 'run_reason.part', parameters: { part } };
  return { key: 'run_reason.input', parameters: { actual } };
}

/**
 * Whether rows were counted at the end of the run: its documents and withdrawn rows. The check of
 * the file counts all its rows; it is made again, with documents there already, when the run starts
 * again. Counts at the end never exceed what is stored or withdrawn now.
 */
function isOfDocuments(
  { counts: { stored, pending, withdrawn } }: Pick<Counted, 'counts'>,
  actual: number,
): boolean {
  return stored > 0 && pending === 0 && actual <= stored + withdrawn;
}

/**
 * How many rows have a summed amount that cannot be read, so that it counts as 0 in a sum that
 * differs: faulty rows, which can be corrected, and withdrawn ones.
 */
export function unreadAmounts({ reasons }: { readonly reasons: readonly Reason[] }): {
  readonly faulty: number;
  readonly withdrawn: number;
} {
  return {
    faulty: Math.max(0, ...reasons.map(({ unread = 0 }) => unread)),
    withdrawn: Math.max(0, ...reasons.map(({ unreadWithdrawn = 0 }) => unreadWithdrawn)),
  };
}

/**
 * What a run at rest says that has no reason left to stop: after a check without faults, and after
 * a withdrawal of all rows for which it had stopped. null: rows are to be corrected or checked yet.
 */
export function sayInOrder({ counts, ...run }: AtRest): Said | null {
  const { received, stored, pending, invalid, failed, withdrawn } = counts;
  const isChecked = run.state === 'stopped' || (run.state === 'receiving' && run.dryRun);
  const hasOpen = invalid + failed > 0 || counts.bytesChecked < counts.bytesReceived;
  if (!isChecked || hasOpen || received === 0 || run.reasons.length > 0) return null;
  if (received <= withdrawn) return { key: 'runs.all_withdrawn' };
  if (stored === 0) return { key: 'runs.in_order' };
  if (pending === 0) return { key: 'runs.in_order_end' };
  return { key: 'runs.in_order_rest', parameters: { count: String(pending) } };
}

interface AtRest {
  readonly state: string;
  readonly dryRun: boolean;
  readonly reasons: readonly Reason[];
  readonly counts: Counted['counts'] & {
    readonly received: number;
    readonly bytesReceived: number;
    readonly bytesChecked: number;
  };
}

/**
 * Whether the run has made documents and rows without one are left. Another control total would not
 * help then: the check compares it with all rows of the file, the end of the run with those that are
 * stored or withdrawn.
 */
export function hasOpenRows({ counts }: Pick<Counted, 'counts'>): boolean {
  return counts.stored > 0 && counts.invalid + counts.failed > 0;
}

type WithTotals = Pick<Counted, 'counts'> & {
  readonly expected: Counted['expected'] & { readonly rows: number | null };
  readonly reasons: readonly Reason[];
};

/**
 * What to say of a run that has documents and then got further rows, often by mistake; null: that is
 * not so. Nothing is missing then, and a new run would make every document again.
 */
export function sayFurther(run: WithTotals): Said | null {
  return sayBeyondRows(run) ?? sayBeyondSums(run);
}

/**
 * A run that has all documents which its total of rows expects. The service says the same in English
 * (src/runs/reasons/further-rows.ts).
 */
function sayBeyondRows({
  counts: { stored, pending, invalid, failed },
  expected,
  reasons,
}: WithTotals): Said | null {
  const isRows = ({ name }: Reason): boolean =>
    name === 'rows' && !Object.hasOwn(expected.sums, name);
  const further = pending + invalid + failed;
  if (!reasons.some(isRows) || stored === 0 || stored !== expected.rows) return null;
  if (further === 0) return null;
  const parameters = { stored: String(stored), further: String(further), valid: String(pending) };
  return { key: pending > 0 ? 'totals.further_valid' : 'totals.further', parameters };
}

/** A run without a total of rows, or with another: the documents were made because totals agreed. */
function sayBeyondSums({ counts: { stored, pending, invalid, failed } }: WithTotals): Said | null {
  if (stored === 0 || pending === 0 || invalid + failed > 0) return null;
  const parameters = { stored: String(stored), valid: String(pending) };
  return { key: 'totals.made_valid', parameters };
}

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
      // Rows may have been withdrawn since the check.
      return { key: 'run_reason.invalid', parameters: { actual: String(run.counts.invalid) } };
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

/** The reasons that still hold: after a check, its invalid rows may have been withdrawn or corrected. */
export function openReasons<T extends Reason>({
  counts,
  expected,
  reasons,
}: Pick<Counted, 'counts' | 'expected'> & { readonly reasons: readonly T[] }): readonly T[] {
  const isMended = counts.invalid === 0 && counts.failed === 0;
  const aboutRows = (name: string): boolean =>
    (name === 'invalid' || name === 'invalid_share') && !Object.hasOwn(expected.sums, name);
  return reasons.filter(({ name }) => !(isMended && aboutRows(name)));
}

/** Whether a sum may differ because invalid rows have amounts that cannot be read: they count as 0. */
export function mayLackAmounts({
  counts,
  expected,
  reasons,
}: Pick<Counted, 'counts' | 'expected'> & { readonly reasons: readonly Reason[] }): boolean {
  return counts.invalid > 0 && reasons.some(({ name }) => Object.hasOwn(expected.sums, name));
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
  /** The sums of all valid rows. */
  readonly sums?: Readonly<Record<string, string>>;
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
 * (src/runs/further-rows.ts).
 */
function sayBeyondRows({
  counts: { stored, pending, invalid, failed },
  expected,
  reasons,
}: WithTotals): Said | null {
  const rows = reasons.find(({ name }) => name === 'rows' && !Object.hasOwn(expected.sums, name));
  if (rows === undefined || stored === 0 || stored !== expected.rows) return null;
  const open = pending + invalid + failed;
  const further = open === 0 ? Number(rows.actual) - stored : open;
  if (further <= 0) return null;
  const parameters = { stored: String(stored), further: String(further), valid: String(pending) };
  if (pending > 0) return { key: 'totals.further_valid', parameters };
  return { key: open === 0 ? 'totals.further_withdrawn' : 'totals.further', parameters };
}

/** A run without a total of rows, or with another: the documents were made because totals agreed. */
function sayBeyondSums({
  counts: { stored, pending, invalid, failed, withdrawn },
  expected,
  sums = {},
}: WithTotals): Said | null {
  if (stored === 0 || invalid + failed > 0) return null;
  if (pending > 0) {
    const parameters = { stored: String(stored), valid: String(pending) };
    return { key: 'totals.made_valid', parameters };
  }
  const hasSums = Object.entries(expected.sums).every(
    ([name, total]) => shortest(total) === shortest(sums[name] ?? '0'),
  );
  if (withdrawn === 0 || expected.rows !== null || !hasSums) return null;
  const parameters = { stored: String(stored), further: String(withdrawn) };
  return { key: 'totals.further_withdrawn', parameters };
}

/** A decimal without zeros that do not count: 63.00 and 63 are one total. */
function shortest(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = fraction.replace(/0+$/, '');
  const short = whole.replace(/^(-?)0+(?=\d)/, '$1');
  return digits === '' ? short : `${short}.${digits}`;
}

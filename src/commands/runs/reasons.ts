import type { Run, RunReason } from '#client';
import { counted } from '../console/output.ts';

/** The properties of a run that the text of a reason needs. */
type Told = Pick<Run, 'runId' | 'counts' | 'state' | 'invalidShareMax'> & {
  readonly expected: { readonly sums?: Readonly<Record<string, string>> };
};

/**
 * Why a run stopped, in a line for a person. The reasons were found by the check that stopped it:
 * rows may have been corrected or withdrawn since, so that none of them is invalid any more.
 */
export function sayReason(run: Told, { name, expected, actual }: RunReason): string {
  const { invalid } = run.counts;
  const difference = `expected ${expected}, actual ${actual}`;
  // The names of control sums are those of fields: the service does not keep both apart.
  if (Object.hasOwn(run.expected.sums ?? {}, name)) {
    return (
      `the sum of ${name} is ${actual}, and the control total ${expected}` +
      otherTotal(run, `--sum ${name}=${actual}`)
    );
  }
  switch (name) {
    case 'invalid':
      return sayInvalid(run, Number(actual), invalid);
    case 'rows': {
      const isAtEnd = isOfDocuments(run.counts, Number(actual));
      const what = isAtEnd ? 'stored or withdrawn rows' : 'rows of the file';
      const isOpen = hasOpenRows(run);
      const other = isAtEnd && !isOpen ? '' : otherTotal(run, `--rows ${actual}`);
      return `${what}: ${actual}, and the control total is ${expected}${other}`;
    }
    case 'corrections':
      return (
        `corrections refused: ${actual.replace(' refused', '')}, listed below; start again to continue` +
        ' without them'
      );
    case 'invalid_share': {
      const limit = percent(expected.replace('at most ', ''));
      return `${percent(actual)} of the rows are invalid or failed, and at most ${limit} are allowed`;
    }
    case 'signer':
      return `it waits for its signer: ${actual}`;
    case 'key':
      return (
        `it waits for the key that encrypts its rows (${expected}), which is missing on an instance of` +
        ' the service: set INTAGLIO_ENCRYPTION_KEYS there'
      );
    case 'protection':
      return 'it waits for qpdf, which is missing on an instance of the service: install it there';
    default:
      return `${name}: ${difference}`;
  }
}

/**
 * Whether rows were counted at the end of the run: those stored or withdrawn. The check of the file
 * counts all its rows; it is made again, with documents there already, when the run starts again.
 * Counts at the end never exceed what is stored or withdrawn now.
 */
function isOfDocuments({ stored, pending, withdrawn }: Told['counts'], actual: number): boolean {
  return stored > 0 && pending === 0 && actual <= stored + withdrawn;
}

/** Whether rows without a document are all that is left of a run that has made the others. */
function hasOpenRows({ counts: { stored, invalid, failed } }: Told): boolean {
  return stored > 0 && invalid + failed > 0;
}

/**
 * How a stopped run goes on with another control total; nothing is said of one that has ended. While
 * rows have no document, another total would not help: the check compares it with all rows of the
 * file, the end of the run with those that are stored or withdrawn.
 */
function otherTotal(run: Told, option: string): string {
  const { runId, state } = run;
  if (state !== 'stopped') return '';
  if (hasOpenRows(run)) {
    return (
      ': correct or withdraw the rows without a document, and start again:' +
      ` ./intaglio runs start ${runId}`
    );
  }
  return `: correct the rows, or start with another total: ./intaglio runs start ${runId} ${option}`;
}

/** The check found `found` invalid rows, of which `left` are so still. */
function sayInvalid(
  { runId, state, counts, invalidShareMax }: Told,
  found: number,
  left: number,
): string {
  const start = `./intaglio runs start ${runId}`;
  const wasFound = counted(found, 'invalid row');
  if (state !== 'stopped' && state !== 'receiving') return `${wasFound} at the check`;
  if (left === 0) {
    return `the last check found ${wasFound}, and none is left: go on with ${start}`;
  }
  const since = found > left ? ` (the last check found ${found})` : '';
  const rows = `${counted(left, 'row')} ${left === 1 ? 'is' : 'are'} invalid${since}`;
  const them = left === 1 ? 'it' : 'them';
  const { received, identical, withdrawn, failed } = counts;
  const share = (left + failed) / Math.max(1, received - identical - withdrawn);
  return share <= invalidShareMax
    ? `${rows}: correct or withdraw ${them}, or make the others: ${start} --on-invalid skip`
    : `${rows}, ${percent(String(share))} of all: correct or withdraw ${them}. This run may leave out` +
        ` ${percent(String(invalidShareMax))} of its rows; for more, make a new one with runs create` +
        ' --invalid-share-max';
}

function percent(share: string): string {
  return `${Number((Number(share) * 100).toFixed(2))} %`;
}

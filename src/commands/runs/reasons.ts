import type { Run, RunReason, RunWithParts } from '#client';
import { counted } from '../console/output.ts';

/** The properties of a run that the text of a reason needs. */
type Told = Pick<Run, 'runId' | 'counts' | 'state' | 'invalidShareMax' | 'reasons'> &
  // Answers to some calls lack them.
  Partial<Pick<RunWithParts, 'sums' | 'fileSums' | 'documentsExpired'>> & {
    readonly expected: {
      readonly rows?: number | null;
      readonly sums?: Readonly<Record<string, string>>;
    };
  };

/**
 * Why a run stopped, in a line for a person. The reasons were found by the check that stopped it:
 * rows may have been corrected or withdrawn since, so that none of them is invalid any more.
 */
export function sayReason(run: Told, reason: RunReason): string {
  const { name, expected, actual, advice } = reason;
  const difference = `expected ${expected}, actual ${actual}`;
  // The names of control sums are those of fields: the service does not keep both apart.
  if (isSum(run, name)) {
    return (
      `the sum of ${name} is ${actual}, and the control total ${expected}` +
      unreadAmounts(reason) +
      otherTotal(run, `--sum ${name}=${actual}`, reason)
    );
  }
  switch (name) {
    case 'invalid':
      return sayInvalid(run, Number(actual));
    case 'rows': {
      if (advice !== undefined)
        return sayFurther(run, advice, `${actual}, and the control total is ${expected}`);
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

/** Rows have come to a run that had all its documents: the service says what that means. */
function sayFurther(run: Told, advice: string, totals: string): string {
  const { runId, counts } = run;
  const isOpen = counts.invalid + counts.failed > 0;
  const withdraw = isOpen ? ` Withdraw: ./intaglio runs withdraw ${runId} LINE….` : '';
  const said = `rows of the file: ${totals}. ${advice}${withdraw}`;
  const start = `./intaglio runs start ${runId}`;
  if (isOpen) return `${said} Start: ${start}`;
  return `${said} Start with higher totals: ${start}${foundTotals(run)} Cancel: ./intaglio runs cancel ${runId}`;
}

/** The options that start the run with the totals that the last check found. */
function foundTotals(run: Told): string {
  return run.reasons
    .map(({ name, actual }) => {
      if (isSum(run, name)) return ` --sum ${name}=${actual}`;
      return name === 'rows' ? ` --rows ${actual}` : '';
    })
    .join('');
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

function isSum({ expected }: Told, name: string): boolean {
  return Object.hasOwn(expected.sums ?? {}, name);
}

/** Which rows make a sum too low: an amount that cannot be read counts as 0. */
function unreadAmounts({ unread = 0, unreadWithdrawn = 0 }: RunReason): string {
  const rows = [
    ...(unread > 0 ? [counted(unread, 'faulty row')] : []),
    ...(unreadWithdrawn > 0 ? [counted(unreadWithdrawn, 'withdrawn row')] : []),
  ];
  if (rows.length === 0) return '';
  return unread + unreadWithdrawn === 1
    ? `; the amount of ${rows.join('')} cannot be read and counts as 0`
    : `; the amounts of ${rows.join(' and ')} cannot be read and count as 0`;
}

/**
 * How a stopped run goes on with another control total; nothing is said of one that has ended. While
 * rows have no document, another total would not help: the check compares it with all rows of the
 * file, the end of the run with those that are stored or withdrawn. And while rows are invalid, a
 * total may be right although it differs: amounts that cannot be read are missing from the sum. Once
 * their rows are withdrawn, nothing but a lower total helps.
 */
function otherTotal(
  run: Told,
  option: string,
  { unread = 0, unreadWithdrawn = 0 }: Partial<RunReason> = {},
): string {
  const { runId, state, counts, reasons } = run;
  if (state !== 'stopped') return '';
  const start = `./intaglio runs start ${runId}`;
  // The service has said there what further rows mean, and another total would contradict it.
  if (reasons.some(({ advice }) => advice !== undefined)) return '';
  if (hasOpenRows(run)) {
    return `: correct or withdraw the rows without a document, and start again: ${start}`;
  }
  if (counts.stored > 0 && counts.pending > 0) {
    const found = foundTotals(run) || ` ${option}`;
    return `: ${sayMade(counts)} start with other totals: ${start}${found}`;
  }
  if (unread > 0) {
    const rows = unread === 1 ? 'the faulty row' : `these ${unread} faulty rows`;
    const lower =
      unread === 1
        ? 'it, and lower the total by its amount'
        : 'them, and lower the total by their amounts';
    return `: correct ${rows}, and start again: ${start}; or withdraw ${lower}`;
  }
  const { invalid } = run.counts;
  if (invalid > 0) {
    const rows = invalid === 1 ? 'the invalid row' : `the ${invalid} invalid rows`;
    return `: correct or withdraw ${rows} first, and start again: ./intaglio runs start ${runId}`;
  }
  if (unreadWithdrawn > 0) {
    const whose = unreadWithdrawn === 1 ? 'its amount' : 'their amounts';
    return `: lower the total by ${whose}, and start again: ${start} ${option}`;
  }
  return `: correct the rows, or start with another total: ${start} ${option}`;
}

/**
 * Documents of an earlier start are stored, which began only because the totals agreed: rows have come
 * since. They may be the same documents with other ids.
 */
function sayMade({ stored, pending }: Told['counts']): string {
  const documents = stored === 1 ? '1 document is' : `${stored} documents are`;
  const rows = pending === 1 ? '1 valid row without one' : `${pending} valid rows without one`;
  return (
    `${documents} stored, and ${rows} cannot be withdrawn. If rows were added by mistake, such as the` +
    ' same documents with other ids, cancel the run, and make no new one: it would make all documents' +
    ' again. If such rows are to have documents,'
  );
}

/** The check found `found` invalid rows, some of which may have been corrected since. */
function sayInvalid(run: Told, found: number): string {
  const { runId, state, counts, invalidShareMax } = run;
  const left = counts.invalid;
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
  if (share <= invalidShareMax) {
    const correct = `${rows}: correct or withdraw ${them}`;
    // The next check would stop at the totals again.
    if (run.reasons.some(({ name }) => name === 'rows' || isSum(run, name))) return correct;
    const end = endsAtTotals(run)
      ? ` (the run then stops at its control totals, until ${left === 1 ? 'it is' : 'they are'} corrected` +
        ' or withdrawn)'
      : '';
    return `${correct}, or make the others: ${start} --on-invalid skip${end}`;
  }
  // A run that may leave out all its rows would make nothing.
  if (share === 1) return `${rows}, ${percent('1')} of all: correct ${them}`;
  return (
    `${rows}, ${percent(String(share))} of all: correct or withdraw ${them}. This run may leave out` +
    ` ${percent(String(invalidShareMax))} of its rows; for more, make a new one with runs create` +
    ` --invalid-share-max${secondTime(run)}`
  );
}

/** Warns that a new run makes all documents again; '' if this run has stored none. */
function secondTime({ counts: { stored }, documentsExpired = false }: Told): string {
  if (stored === 0) return '';
  if (documentsExpired) {
    const gone = stored === 1 ? '1 that was stored has' : `${stored} that were stored have`;
    return `, which makes all its documents again; the ${gone} expired`;
  }
  const stay = stored === 1 ? '1 that is stored stays' : `${stored} that are stored stay`;
  return `, which makes all its documents again; the ${stay} valid until expiry`;
}

/**
 * Whether control totals that agree with the file miss its invalid rows at the end, where only rows
 * with a document and withdrawn ones count.
 */
function endsAtTotals({ expected, counts, sums = {}, fileSums = {} }: Told): boolean {
  if (typeof expected.rows === 'number') return true;
  return Object.keys(expected.sums ?? {}).some((name) => {
    const ofFile = fileSums[name];
    // The sums of the valid rows lack those of withdrawn rows, which count at the end.
    return counts.withdrawn > 0 || ofFile === undefined || sums[name] !== ofFile;
  });
}

function percent(share: string): string {
  return `${Number((Number(share) * 100).toFixed(2))} %`;
}

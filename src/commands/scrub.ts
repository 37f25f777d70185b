import type { Command } from 'commander';

import type {
  DatabaseFinding,
  DatabaseScrub,
  DatabaseScrubResult,
} from '../store/database/checks/row-scrub.ts';
import type { ScrubResult } from '../store/documents/types.ts';
import type { Store } from '../store/store.ts';
import { withStore } from './console/context.ts';
import { toCount } from './console/number.ts';
import { giveWay } from './console/give-way.ts';
import { counted, show } from './console/output.ts';
import { record } from './console/record.ts';
import { endWith } from './console/terminal.ts';

const MEGABYTE = 1_000_000;
const MEGABYTES_DEFAULT = 20;
/** Limit of the findings that the output names; all are counted. */
const NAMED_MAX = 1_000;

/** A document, a part or print file of a run, a row or another part of the SQLite file. */
type Finding =
  | { readonly documentId: string; readonly finding: string }
  | {
      readonly runId: string;
      readonly file: 'part' | 'print';
      readonly number: number;
      readonly finding: string;
    }
  | DatabaseFinding;

interface Options {
  readonly rate: number;
  readonly json?: boolean;
  readonly acceptRows?: boolean;
}

export default function define(command: Command): void {
  command
    .option(
      '--rate <megabytes>',
      'rate of reading in MB per second',
      toCount(999_999),
      MEGABYTES_DEFAULT,
    )
    .option('--accept-rows', 'keep rows of the SQLite file as they are, although they are damaged')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Reads the file of every living document, the print files of runs and their uploaded parts, and
compares the SHA-256 of each with the one it was stored with. A damaged document is marked, and
requests for it get 500; once its file is intact again (after a restore), it is served again.
In an SQLite file, scrub compares every row with its check and every index with its table, and
examines the structure of all pages. At last it compares the digest of each document with the one that
the audit recorded when it was made: a document whose file and row were changed together is named as
altered and no longer delivered (./intaglio audit verify says whether the audit is as it was sealed).
Exit code 1 when anything is damaged, missing or could not be
read. --accept-rows seals damaged rows as they are: use it after you have looked at each of them,
when there is no backup to restore. The audit gets a record of it.

Example:
  $ ./intaglio scrub --rate 50`,
    )
    .action(async ({ rate, json, acceptRows }: Options) => {
      giveWay();
      const findings: Finding[] = [];
      const add = (found: Finding): void => {
        if (findings.length < NAMED_MAX) findings.push(found);
      };
      const onFinding = (documentId: string, finding: string): void => add({ documentId, finding });
      const bytesPerSecond = rate * MEGABYTE;
      const isAccepting = acceptRows === true;
      const { demandOwnFiles } = await import('../start/storage.ts');
      const [result, database, audit] = await withStore(async (store, config) => {
        // All files of another database would seem to be missing.
        await demandOwnFiles(store, config);
        const files = sumOf(
          await store.documents.scrub({ bytesPerSecond, onFinding }),
          await store.runs.scrub({ bytesPerSecond, onFinding: add }),
        );
        const scrub = { onFinding: add, isAccepting };
        const rows = isAccepting ? await acceptIn(store, scrub) : await store.scrubDatabase(scrub);
        const onAltered = (documentId: string): void => onFinding(documentId, 'altered');
        return [files, rows, await store.documents.compareWithAudit(onAltered)] as const;
      });
      const { checked, damaged, missing, unread } = result;
      if (damaged + missing + unread + database.damaged + audit.altered > 0) endWith(1);
      show(json, { ...result, database, audit, findings }, () =>
        [
          ...findings.map((found) => `${nameOf(found)} ${found.finding}`),
          `${checked} documents and files of runs read: ${damaged} damaged, ${missing} missing, ${unread} not readable.`,
          ...databaseLine(database),
          `${counted(audit.compared, 'document')} compared with the audit: ${audit.altered} altered.`,
        ].join('\n'),
      );
    });
}

/** Scrubs and adds the audit record of an operator who keeps damaged rows as they are. */
async function acceptIn(store: Store, scrub: DatabaseScrub): Promise<DatabaseScrubResult> {
  const accepted = new Map<string, number>();
  const onAccepted = (table: string, rows: number): void => {
    if (rows > 0) accepted.set(table, (accepted.get(table) ?? 0) + rows);
  };
  let left = 'the scrub failed';
  try {
    const result = await store.scrubDatabase({ ...scrub, onAccepted });
    left = `${counted(result.damaged, 'defect')} left`;
    return result;
  } finally {
    // Rows may have been sealed before the scrub failed, so it is recorded in any case.
    const tables = [...accepted].map(([table, rows]) => `${table} ${rows}`).join(', ');
    const detail = `damaged rows kept as they are: ${tables || 'none'}; ${left}`;
    await record(store, { action: 'rows.accept', teamId: '', detail });
  }
}

/** No line for MySQL, which compares the checksums of its pages itself. */
function databaseLine({ rows, damaged, sealed }: DatabaseScrubResult): readonly string[] {
  if (rows === 0) return [];
  const unsealed = sealed > 0 ? `; ${sealed} had no check and got one` : '';
  return [
    `${counted(rows, 'row')} of the database compared: ${counted(damaged, 'defect')}${unsealed}.`,
  ];
}

function nameOf(found: Finding): string {
  if ('database' in found) return `SQLite file: ${found.database}:`;
  if ('table' in found) return `row ${found.row} of table ${found.table}`;
  if ('documentId' in found) return found.documentId;
  return `${found.file} ${found.number} of run ${found.runId}`;
}

function sumOf(a: ScrubResult, b: ScrubResult): ScrubResult {
  return {
    checked: a.checked + b.checked,
    bytes: a.bytes + b.bytes,
    damaged: a.damaged + b.damaged,
    missing: a.missing + b.missing,
    unread: a.unread + b.unread,
  };
}

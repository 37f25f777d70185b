import type { Command } from 'commander';

import type { ScrubResult } from '../store/documents/integrity.ts';
import { withStore } from './console/context.ts';
import { UsageError } from './console/failure.ts';
import { show } from './console/output.ts';
import { endWith } from './console/terminal.ts';

const MEGABYTE = 1_000_000;
const MEGABYTES_DEFAULT = 20;
/** Limit of the findings that the output names; all are counted. */
const NAMED_MAX = 1_000;

/** A document, or a part or print file of a run. */
type Finding =
  | { readonly documentId: string; readonly finding: string }
  | {
      readonly runId: string;
      readonly file: 'part' | 'print';
      readonly number: number;
      readonly finding: string;
    };

export default function define(command: Command): void {
  command
    .option('--rate <megabytes>', 'rate of reading in MB per second', toRate, MEGABYTES_DEFAULT)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Reads the file of every living document, the print files of runs and their uploaded parts, and
compares the SHA-256 of each with the one it was stored with. A damaged document is marked, and
requests for it get 500; once its file is intact again (after a restore), it is served again.
Exit code 1 when a file is damaged, missing or could not be read.

Example:
  $ ./intaglio scrub --rate 50`,
    )
    .action(async ({ rate, json }: { rate: number; json?: boolean }) => {
      const findings: Finding[] = [];
      const add = (found: Finding): void => {
        if (findings.length < NAMED_MAX) findings.push(found);
      };
      const onFinding = (documentId: string, finding: string): void => add({ documentId, finding });
      const bytesPerSecond = rate * MEGABYTE;
      const result = await withStore(async (store) =>
        sumOf(
          await store.documents.scrub({ bytesPerSecond, onFinding }),
          await store.runs.scrub({ bytesPerSecond, onFinding: add }),
        ),
      );
      const { checked, damaged, missing, unread } = result;
      if (damaged + missing + unread > 0) endWith(1);
      show(json, { ...result, findings }, () =>
        [
          ...findings.map((found) => `${nameOf(found)} ${found.finding}`),
          `${checked} files read: ${damaged} damaged, ${missing} missing, ${unread} not readable.`,
        ].join('\n'),
      );
    });
}

function nameOf(found: Finding): string {
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

function toRate(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new UsageError(`--rate is "${text}"; allowed: integer from 1, in MB a second`);
  }
  return Number(text);
}

import type { Command } from 'commander';

import { withStore } from './console/context.ts';
import { UsageError } from './console/failure.ts';
import { show } from './console/output.ts';
import { endWith } from './console/terminal.ts';

const MEGABYTE = 1_000_000;
const MEGABYTES_DEFAULT = 20;
/** Limit of the findings that the output names; all are counted. */
const NAMED_MAX = 1_000;

interface Finding {
  readonly documentId: string;
  readonly finding: string;
}

export default function define(command: Command): void {
  command
    .option('--rate <megabytes>', 'rate of reading in MB per second', toRate, MEGABYTES_DEFAULT)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Reads the file of every living document and compares its SHA-256 with the one it was stored with. A
damaged document is marked, and requests for it get 500; once its file is intact again (after
a restore), it is served again. Exit code 1 when a file is damaged, missing or could not be read.

Example:
  $ ./intaglio scrub --rate 50`,
    )
    .action(async ({ rate, json }: { rate: number; json?: boolean }) => {
      const findings: Finding[] = [];
      const onFinding = (documentId: string, finding: string): void => {
        if (findings.length < NAMED_MAX) findings.push({ documentId, finding });
      };
      const bytesPerSecond = rate * MEGABYTE;
      const result = await withStore(async (store) =>
        store.documents.scrub({ bytesPerSecond, onFinding }),
      );
      const { checked, damaged, missing, unread } = result;
      if (damaged + missing + unread > 0) endWith(1);
      show(json, { ...result, findings }, () =>
        [
          ...findings.map(({ documentId, finding }) => `${documentId} ${finding}`),
          `${checked} files read: ${damaged} damaged, ${missing} missing, ${unread} not readable.`,
        ].join('\n'),
      );
    });
}

function toRate(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new UsageError(`--rate is "${text}"; allowed: integer from 1, in MB a second`);
  }
  return Number(text);
}

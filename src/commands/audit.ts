import { Option, type Command } from 'commander';

import type { AuditFilter, AuditOutcome, AuditRecord, Store } from '../store/store.ts';
import { withStore } from './context.ts';
import { isoTime, table } from './output.ts';
import { writeOut } from './terminal.ts';
import { toTime } from './time.ts';

interface Options {
  readonly team?: string;
  readonly since?: number;
  readonly until?: number;
  readonly outcome?: AuditOutcome;
  readonly json?: boolean;
}

const OUTCOMES: readonly AuditOutcome[] = ['succeeded', 'failed', 'denied'];
const BATCH_COUNT = 1_000;

export default function define(command: Command): void {
  command
    .option('--team <teamId>', 'only of this team')
    .option('--since <time>', 'from this ISO 8601 time on; UTC unless it names a zone', toTime)
    .option('--until <time>', 'up to this ISO 8601 time; UTC unless it names a zone', toTime)
    .addOption(new Option('--outcome <outcome>', 'only these').choices(OUTCOMES))
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
Records hold ids, codes, sizes and digests, never the data of a document. Times are UTC.

Examples:
  $ ./intaglio audit --since 2026-11-01 --outcome denied
  $ ./intaglio audit --team retail --json > audit.json`,
    )
    .action(async (options: Options) => {
      await withStore(async (store) =>
        options.json === true ? printJson(store, options) : printTable(store, options),
      );
    });
}

async function* records(store: Store, options: Options): AsyncGenerator<AuditRecord> {
  const filter: AuditFilter = {
    countMax: BATCH_COUNT,
    ...(options.team === undefined ? {} : { teamId: options.team }),
    ...(options.since === undefined ? {} : { sinceMs: options.since }),
    ...(options.until === undefined ? {} : { untilMs: options.until }),
    ...(options.outcome === undefined ? {} : { outcome: options.outcome }),
  };
  let batch = await store.audit.list(filter);
  while (batch.length > 0) {
    yield* batch;
    const last = batch.at(-1);
    if (batch.length < BATCH_COUNT || last === undefined) return;
    batch = await store.audit.list({ ...filter, after: last.auditId });
  }
}

async function printJson(store: Store, options: Options): Promise<void> {
  let separator = '[';
  for await (const { atMs, ...rest } of records(store, options)) {
    writeOut(`${separator}${JSON.stringify({ ...rest, at: isoTime(atMs) })}`);
    separator = ',\n';
  }
  writeOut(separator === '[' ? '[]\n' : ']\n');
}

const HEAD = ['at', 'team', 'principal', 'action', 'outcome', 'code', 'template', 'document'];

async function printTable(store: Store, options: Options): Promise<void> {
  const rows: string[][] = [];
  for await (const record of records(store, options)) {
    const version = record.version === null ? '' : `@${record.version}`;
    rows.push([
      isoTime(record.atMs),
      record.teamId,
      record.principal,
      record.action,
      record.outcome,
      record.code,
      `${record.templateId}${version}`,
      record.documentId,
    ]);
  }
  writeOut(`${table(HEAD, rows, 'No record matches.')}\n`);
}

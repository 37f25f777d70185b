import type { Command } from 'commander';

import { guardCell } from '../../runtime/contract/correction.ts';
import { quoteCell } from '../../runs/manifest.ts';
import type { AuditRecord, Store } from '../../store/store.ts';
import { searched, withStore } from '../console/context.ts';
import { UsageError } from '../console/failure.ts';
import { demandTeam } from '../console/names.ts';
import { isoTime, table } from '../console/output.ts';
import { writeErr, writeOut } from '../console/terminal.ts';
import { toTime } from '../console/time.ts';

interface Options {
  readonly month?: string;
  readonly zone: string;
  readonly since?: number;
  readonly until?: number;
  readonly team?: string;
  readonly byTemplate?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** Documents that a team made, of one template where templates are told apart. */
interface Use {
  readonly teamId: string;
  readonly templateId: string;
  documents: number;
  /** Those of mode async and of runs; the others were returned in mode sync. */
  stored: number;
  pages: number;
  bytes: number;
  /**
   * Documents that a user only looked at: samples of a version, and documents that Generate shows
   * without storing.
   */
  shown: number;
}

/** A span of time: from its first to before its second millisecond. */
interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Records read in one statement, by the primary key. */
const BATCH_COUNT = 2_000;

export default function define(command: Command): void {
  command
    .option('--month <month>', 'this month, such as 2026-11; the current one when left out')
    .option('--zone <offset>', 'where the month begins, such as +07:00', 'Z')
    .option('--since <time>', 'from this ISO 8601 time on, instead of a month', toTime)
    .option('--until <time>', 'before this ISO 8601 time; now when left out', toTime)
    .option('--team <teamId>', 'only of this team')
    .option('--by-template', 'tell templates apart')
    .option('--csv', 'print CSV')
    .option('--json', 'print a JSON array')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const span = spanOf(options, Date.now());
      await withStore(async (store, config) => {
        if (options.team !== undefined) await demandTeam(store, options.team);
        const uses = await measure(store, span, options);
        print(uses, span, options);
        if (uses.length === 0) writeErr(`intaglio: ${searched(config)}\n`);
      });
    });
}

const HELP = `
Counts the documents of published versions that were made, by team: documents, those of them that were
stored, pages and bytes. It reads the audit, so documents that have expired count, too, and previews of
drafts and failures do not. The last column, shown, counts those of the documents that a user of the
Studio looked at and that were not stored: samples of a published version, and what Generate shows. It reads the records of that time in small steps beside the running
service: a million of them cost some 20 seconds of one core with SQLite.

Examples:
  $ ./intaglio usage
  $ ./intaglio usage --month 2026-10 --zone +07:00 --csv > october.csv
  $ ./intaglio usage --since 2026-01-01 --until 2027-01-01 --by-template`;

function spanOf({ month, zone, since, until }: Options, nowMs: number): Span {
  if (since !== undefined || until !== undefined) {
    if (month !== undefined) throw new UsageError('give --month, or --since and --until');
    if (since === undefined) throw new UsageError('--until needs --since');
    return { sinceMs: since, untilMs: until ?? nowMs };
  }
  if (!/^(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/.test(zone)) {
    throw new UsageError(`--zone ${zone}: expected an offset such as +07:00`);
  }
  const begin = (text: string): number => Date.parse(`${text}-01T00:00:00${zone}`);
  const zoneMs = Date.parse('1970-01-01T00:00:00Z') - Date.parse(`1970-01-01T00:00:00${zone}`);
  const asked = month ?? isoTime(nowMs + zoneMs).slice(0, 7);
  const [, year = '', number = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(asked) ?? [];
  if (year === '') throw new UsageError(`--month ${asked}: expected a month such as 2026-11`);
  const next = new Date(Date.UTC(Number(year), Number(number), 1)).toISOString().slice(0, 7);
  return { sinceMs: begin(asked), untilMs: begin(next) };
}

async function measure(store: Store, span: Span, options: Options): Promise<readonly Use[]> {
  const { team, byTemplate = false } = options;
  const uses = new Map<string, Use>();
  const filter = { ...span, ...(team === undefined ? {} : { teamId: team }) };
  let after = {};
  for (;;) {
    const batch = await store.audit.list({ ...filter, ...after, countMax: BATCH_COUNT });
    for (const record of batch) if (isDocument(record)) add(uses, record, byTemplate);
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH_COUNT) break;
    after = { after: last.auditId };
  }
  return [...uses.values()].toSorted(
    (one, other) => compare(one.teamId, other.teamId) || compare(one.templateId, other.templateId),
  );
}

function isDocument({ action, outcome, draft }: AuditRecord): boolean {
  return action === 'generate' && outcome === 'succeeded' && !draft;
}

const NOTHING = { documents: 0, stored: 0, pages: 0, bytes: 0, shown: 0 } as const;

function add(uses: Map<string, Use>, record: AuditRecord, byTemplate: boolean): void {
  const { teamId } = record;
  const templateId = byTemplate ? record.templateId : '';
  const key = JSON.stringify([teamId, templateId]);
  const use = uses.get(key) ?? { teamId, templateId, ...NOTHING };
  use.documents += 1;
  if (record.mode === 'async') use.stored += 1;
  use.pages += record.pages ?? 0;
  use.bytes += record.bytes ?? 0;
  if (record.mode === 'sync' && record.principal.startsWith('user:')) use.shown += 1;
  uses.set(key, use);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const SHOWN = 'shown: looked at in the Studio and not stored; they are among the documents\n';

function print(uses: readonly Use[], { sinceMs, untilMs }: Span, options: Options): void {
  const [from, to] = [isoTime(sinceMs), isoTime(untilMs)];
  const { byTemplate = false } = options;
  if (options.json === true) {
    const told = uses.map(({ templateId, ...use }) => ({
      from,
      to,
      ...use,
      ...(byTemplate ? { templateId } : {}),
    }));
    writeOut(`${JSON.stringify(told)}\n`);
    return;
  }
  const names = byTemplate ? ['team', 'template'] : ['team'];
  const head = [...names, 'documents', 'stored', 'pages', 'bytes', 'shown'];
  const rows = uses.map(({ teamId, templateId, documents, stored, pages, bytes, shown }) => [
    ...(byTemplate ? [teamId, templateId] : [teamId]),
    ...[documents, stored, pages, bytes, shown].map(String),
  ]);
  if (options.csv === true) {
    const lines = [['from', 'to', ...head], ...rows.map((row) => [from, to, ...row])];
    for (const line of lines) {
      writeOut(`${line.map((cell) => quoteCell(guardCell(cell))).join(',')}\n`);
    }
    return;
  }
  writeOut(
    `${from} to ${to}\n${table(head, rows, 'no documents')}\n${uses.some(({ shown }) => shown > 0) ? SHOWN : ''}`,
  );
}

import { Option, type Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';

import { AUDIT_ACTIONS, OPERATOR_ACTIONS } from '../gateway/audit-actions.ts';
import { suggestion } from '../runtime/nearest.ts';
import type { Config } from '../settings/config.ts';
import type { AuditFilter, AuditOutcome, AuditRecord, Store } from '../store/store.ts';
import { defineVerify } from './audit/verify.ts';
import { searched, withStore } from './console/context.ts';
import { documentsWithReference } from './console/documents.ts';
import { CommandFailed } from './console/failure.ts';
import { demandTeam, refuseUnknown, refuseUnknownUser } from './console/names.ts';
import { isoTime, table } from './console/output.ts';
import { toCount } from './console/number.ts';
import { writeErr, writeOut } from './console/terminal.ts';
import { toTime } from './console/time.ts';

interface Options {
  readonly team?: string;
  readonly key?: string;
  readonly user?: string;
  readonly template?: string;
  readonly document?: string;
  readonly reference?: string;
  readonly request?: string;
  readonly action?: string;
  readonly since?: number;
  readonly until?: number;
  readonly outcome?: AuditOutcome;
  readonly limit: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const OUTCOMES: readonly AuditOutcome[] = ['succeeded', 'failed', 'denied'];
/** Default and maximum of --limit. */
const LIMIT = 100;
const LIMIT_MAX = 1_000_000;
/** Records read at a time. */
const BATCH_COUNT = 1_000;
/** Documents with one reference whose records are listed. */
const DOCUMENTS_MAX = 200;
const FOLLOW_PAUSE_MS = 1_000;
/**
 * How much later than its time a record may appear: it bears the time at which its job began, but is
 * written when the job ends.
 */
const FOLLOW_OVERLAP_MS = 60_000;

export default function define(command: Command): void {
  command
    .option('--team <teamId>', 'only of this team')
    .option('--key <keyId>', 'only what this API key did')
    .option('--user <userId>', 'only what this user did, and what was done to that user')
    .option('--template <templateId>', 'only of this template')
    .option('--document <documentId>', 'only of this stored document')
    .option('--reference <text>', 'only of stored documents with this reference, the newest 200')
    .option('--request <requestId>', 'only of this request (X-Request-Id)')
    .option('--action <action>', 'only this action, such as generate or templates.publish')
    .option('--since <time>', 'from this ISO 8601 time on; UTC unless it names a zone', toTime)
    .option('--until <time>', 'before this ISO 8601 time; UTC unless it names a zone', toTime)
    .addOption(new Option('--outcome <outcome>', 'only these').choices(OUTCOMES))
    .option('--limit <count>', 'limit of the records', toCount(LIMIT_MAX), LIMIT)
    .option('--follow', 'then print new records as they come, until interrupted')
    .option('--json', 'print a JSON array; with --follow one JSON object a line')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      await withStore(async (store, config) => {
        const isEmpty = await audit(store, options);
        if (isEmpty) await explainEmpty(store, config, options);
      });
    });
  defineVerify(command);
}

const HELP = `
Lists the newest records first. They hold ids, codes, sizes and digests, never the data of a document.
Times are UTC. A generation has a record once its template is found, and so has every
request for something of another team. Requests that are refused earlier (401, 403, 413, 429,
malformed) are counted in /metrics instead; the use of a revoked or expired key is recorded as
keys.use, at most once a minute for each key. A command has the account that ran it as its principal;
its detail ends with the account that called it through sudo.

Examples:
  $ ./intaglio audit
  $ ./intaglio audit --template receipt --outcome failed --limit 20
  $ ./intaglio audit --since 2026-11-01 --limit 100000 --json > audit.json
  $ ./intaglio audit --action keys.use
  $ ./intaglio audit --user anong
  $ ./intaglio audit --reference RC-2569-0011872
  $ ./intaglio audit verify`;

/** Prints the records; returns whether there are none. */
async function audit(store: Store, options: Options): Promise<boolean> {
  await demandKnown(store, options);
  const filter = await filterOf(store, options);
  if (options.follow === true) {
    await follow(store, filter, options);
    return false;
  }
  let count = 0;
  const records = async function* counted() {
    for await (const one of newest(store, filter, options.limit)) {
      count += 1;
      yield one;
    }
  };
  await (options.json === true ? printJson(records()) : printTable(records()));
  return count === 0;
}

const ACTIONS: readonly string[] = [...AUDIT_ACTIONS, ...OPERATOR_ACTIONS];

/** Says beside an empty list which database was searched, and that its action may be misspelled. */
async function explainEmpty(store: Store, config: Config, { action }: Options): Promise<void> {
  if (action !== undefined && !(await isRecorded(store, action))) {
    const near = suggestion(action, ACTIONS);
    const hint = near || `. Actions: ${ACTIONS.join(', ')}`;
    writeErr(`intaglio: There is no action ${JSON.stringify(action)}${hint}\n`);
  }
  writeErr(`intaglio: ${searched(config)}\n`);
}

async function isRecorded(store: Store, action: string): Promise<boolean> {
  if (ACTIONS.includes(action)) return true;
  return (await store.audit.list({ action, countMax: 1 })).length > 0;
}

/** Throws when the team, the user or the key of the options does not exist. */
async function demandKnown(store: Store, { team, key, user }: Options): Promise<void> {
  if (team !== undefined) await demandTeam(store, team);
  if (user !== undefined && !(await isUser(store, user))) await refuseUnknownUser(store, user);
  if (key === undefined) return;
  const keyIds = (await store.keys.list(team ?? null)).map(({ keyId }) => keyId);
  if (!keyIds.includes(key)) refuseUnknown('key', key, keyIds, 'keys list');
}

async function isUser(store: Store, userId: string): Promise<boolean> {
  return (await store.users.list(null)).some((user) => user.userId === userId);
}

type Filter = Omit<AuditFilter, 'countMax' | 'after' | 'newestFirst'>;

async function filterOf(store: Store, options: Options): Promise<Filter> {
  const { team, key, user, template, document, request, action, since, until, outcome } = options;
  const conditions = {
    teamId: team,
    principal: key === undefined ? undefined : `key:${key}`,
    involves: user === undefined ? undefined : `user:${user}`,
    templateId: template,
    documentId: document,
    documentIds: await withReference(store, options),
    requestId: request,
    action,
    sinceMs: since,
    untilMs: until,
    outcome,
  };
  // Conditions that were not given are left out, because the type has no undefined members.
  return Object.fromEntries(
    Object.entries(conditions).filter(([, value]) => value !== undefined),
  ) as Filter;
}

/** Ids of the stored documents with the reference of the options; undefined: none is given. */
async function withReference(
  store: Store,
  { team, reference }: Options,
): Promise<readonly string[] | undefined> {
  if (reference === undefined) return undefined;
  const found = await documentsWithReference(store, { team, reference, countMax: DOCUMENTS_MAX });
  if (found.length > 0) return found.map(({ documentId }) => documentId);
  throw new CommandFailed(
    'no stored document has this reference; those that have expired have none any more',
  );
}

/** Yields at most `limit` records, the newest first. */
async function* newest(store: Store, filter: Filter, limit: number): AsyncGenerator<AuditRecord> {
  let after = {};
  let left = limit;
  while (left > 0) {
    const countMax = Math.min(left, BATCH_COUNT);
    const batch = await store.audit.list({ ...filter, ...after, newestFirst: true, countMax });
    yield* batch;
    const last = batch.at(-1);
    if (batch.length < countMax || last === undefined) return;
    left -= batch.length;
    after = { after: last.auditId };
  }
}

/** Prints the newest records in the order of time, then each new one, until the process ends. */
async function follow(store: Store, filter: Filter, options: Options): Promise<void> {
  const print = options.json === true ? printLine : printRow;
  if (options.json !== true) writeOut(`${HEAD.join('  ')}\n`);
  /** The printed records that may be read again, with their times. */
  const seen = new Map<string, number>();
  const beginMs = Date.now();
  const existing: AuditRecord[] = [];
  for await (const record of newest(store, filter, options.limit)) existing.push(record);
  for (const record of existing.toReversed()) {
    seen.set(record.auditId, record.atMs);
    print(record);
  }
  for (;;) {
    const sinceMs = Math.max(filter.sinceMs ?? 0, Date.now() - FOLLOW_OVERLAP_MS);
    for (const [auditId, atMs] of seen) if (atMs < sinceMs) seen.delete(auditId);
    for await (const record of oldestFirst(store, { ...filter, sinceMs })) {
      const exceedsLimit = record.atMs < beginMs && existing.length >= options.limit;
      if (!exceedsLimit && !seen.has(record.auditId)) print(record);
      seen.set(record.auditId, record.atMs);
    }
    await delay(FOLLOW_PAUSE_MS);
  }
}

async function* oldestFirst(store: Store, filter: Filter): AsyncGenerator<AuditRecord> {
  let batch = await store.audit.list({ ...filter, countMax: BATCH_COUNT });
  while (batch.length > 0) {
    yield* batch;
    const last = batch.at(-1);
    if (batch.length < BATCH_COUNT || last === undefined) return;
    batch = await store.audit.list({ ...filter, countMax: BATCH_COUNT, after: last.auditId });
  }
}

async function printJson(records: AsyncIterable<AuditRecord>): Promise<void> {
  let separator = '[';
  for await (const record of records) {
    writeOut(`${separator}${JSON.stringify(toJson(record))}`);
    separator = ',\n';
  }
  writeOut(separator === '[' ? '[]\n' : ']\n');
}

function toJson({ atMs, ...rest }: AuditRecord): object {
  return { ...rest, at: isoTime(atMs) };
}

function printLine(record: AuditRecord): void {
  writeOut(`${JSON.stringify(toJson(record))}\n`);
}

const HEAD = [
  'at',
  'team',
  'principal',
  'action',
  'outcome',
  'code',
  'template',
  'document',
  'detail',
];

async function printTable(records: AsyncIterable<AuditRecord>): Promise<void> {
  const rows: string[][] = [];
  for await (const record of records) rows.push(cells(record));
  writeOut(`${table(HEAD, rows, 'No record matches.')}\n`);
}

function printRow(record: AuditRecord): void {
  writeOut(`${cells(record).join('  ')}\n`);
}

function cells(record: AuditRecord): string[] {
  const version = record.version === null ? '' : `@${record.version}`;
  return [
    isoTime(record.atMs),
    record.teamId,
    record.principal,
    record.action,
    record.outcome,
    record.code,
    `${record.templateId}${version}${record.draft ? ' (draft)' : ''}`,
    record.documentId,
    record.detail,
  ];
}

import { Option, type Command } from 'commander';

import { describeKey, SCOPES, type KeyRecord, type Scope, type Store } from '../store/store.ts';
import { collect, demand, withStore } from './console/context.ts';
import { suggestion } from '../runtime/nearest.ts';
import { CommandFailed, UsageError } from './console/failure.ts';
import { demandTeam, refuseUnknown } from './console/names.ts';
import { toCount } from './console/number.ts';
import { isoTime, show, table } from './console/output.ts';
import { record as addRecord } from './console/record.ts';
import { toExpiry } from './console/time.ts';

interface AddOptions {
  readonly team: string;
  readonly scope: readonly string[];
  readonly name: string;
  readonly rateLimit?: number;
  readonly expires?: number;
  readonly json?: boolean;
}

const RATE_MAX = 1_000_000;

export default function define(command: Command): void {
  command
    .command('add')
    .description('make an API key; it is shown once and only its digest is kept')
    .requiredOption('--team <teamId>', 'team the key belongs to')
    .addOption(
      new Option('--scope <scope>', `repeatable: ${SCOPES.join(', ')}`)
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what the key is for', '')
    .option('--rate-limit <calls>', 'calls per minute, instead of the default', toCount(RATE_MAX))
    .option('--expires <time>', 'days such as 90d, or an ISO 8601 time', (text) =>
      toExpiry(text, Date.now()),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', ADD_HELP)
    .action(add);
  command
    .command('list')
    .description('list keys, without the keys themselves')
    .option('--team <teamId>', 'only of this team')
    .option('--json', 'print JSON')
    .addHelpText('after', LIST_HELP)
    .action(list);
  command
    .command('revoke <keyId>')
    .description('end a key; running services notice within seconds')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio keys revoke KEY_ID_FROM_THE_LIST')
    .action(revoke);
}

const ADD_HELP = `
The scope identity-sync cannot be combined with others. Without --expires a key works until it is
revoked.

--rate-limit counts each call to generate, also one that fails; a run counts when it is created and
each time it is started or checked, however many rows it has. It bounds calls, not documents.

Example:
  $ ./intaglio keys add --team retail --scope generate --scope documents:read \\
      --scope templates:read
  $ ./intaglio keys add --team retail --scope generate --expires 90d`;

const LIST_HELP = `
The last use is exact to a minute. Calls per minute are those to generate, and those that create,
check or start a run. Their default is INTAGLIO_RATE_LIMIT_PER_MINUTE as this command sees it: give it
the settings of the service.

Example:
  $ ./intaglio keys list --team retail`;

async function add(options: AddOptions): Promise<void> {
  const scopes = options.scope.map((text) => {
    const scope = SCOPES.find((name): name is Scope => name === text);
    if (scope === undefined) {
      const advice = text.includes(',') ? '; give --scope once for each' : suggestion(text, SCOPES);
      throw new UsageError(`--scope ${text} is unknown; allowed: ${SCOPES.join(', ')}${advice}`);
    }
    return scope;
  });
  const { record, apiKey } = await withStore(async (store) => {
    await demandTeam(store, options.team);
    const added = demand(
      await store.keys.add({
        teamId: options.team,
        name: options.name,
        scopes,
        rateLimitPerMinute: options.rateLimit ?? null,
        expiresAtMs: options.expires ?? null,
      }),
    );
    await recordKey(store, 'keys.create', added.record);
    return added;
  });
  const { keyId, teamId, expiresAtMs } = record;
  const expiry = expiresAtMs === null ? {} : { expiresAt: isoTime(expiresAtMs) };
  show(options.json, { keyId, apiKey, teamId, scopes: record.scopes, ...expiry }, () =>
    [
      `key id   ${keyId}`,
      `API key  ${apiKey}`,
      ...(expiresAtMs === null ? [] : [`expires  ${isoTime(expiresAtMs)}`]),
      'It is not shown again.',
    ].join('\n'),
  );
}

function recordKey(
  store: Store,
  action: 'keys.create' | 'keys.revoke',
  key: KeyRecord,
): Promise<void> {
  return addRecord(store, { action, teamId: key.teamId, detail: describeKey(key) });
}

async function list({ team, json }: { team?: string; json?: boolean }): Promise<void> {
  const { keys, usual } = await withStore(async (store, config) => {
    if (team !== undefined) await demandTeam(store, team);
    return { keys: await store.keys.list(team ?? null), usual: config.rateLimitPerMinute };
  });
  const told = keys.map((key) => ({
    ...toJson(key),
    rateLimitInForce: key.rateLimitPerMinute ?? usual,
  }));
  show(json, told, () =>
    table(
      [
        'key',
        'team',
        'scopes',
        'calls per minute',
        'created',
        'last used',
        'expires',
        'revoked',
        'name',
      ],
      keys.map((key) => [
        key.keyId,
        key.teamId,
        key.scopes.join(' '),
        key.rateLimitPerMinute === null ? `${usual} (default)` : String(key.rateLimitPerMinute),
        isoTime(key.createdAtMs),
        isoTimeOrNull(key.lastUsedAtMs) ?? '',
        isoTimeOrNull(key.expiresAtMs) ?? '',
        isoTimeOrNull(key.revokedAtMs) ?? '',
        key.name,
      ]),
      'No key yet. Make one: ./intaglio keys add --team TEAM --scope generate',
    ),
  );
}

function toJson(key: KeyRecord): Record<string, unknown> {
  const { createdAtMs, revokedAtMs, expiresAtMs, lastUsedAtMs, ...rest } = key;
  return {
    ...rest,
    createdAt: isoTime(createdAtMs),
    lastUsedAt: isoTimeOrNull(lastUsedAtMs),
    expiresAt: isoTimeOrNull(expiresAtMs),
    revokedAt: isoTimeOrNull(revokedAtMs),
  };
}

function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

async function revoke(keyId: string, { json }: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const isRevoked = await store.keys.revoke(keyId);
    const keys = await store.keys.list(null);
    const key = keys.find((one) => one.keyId === keyId);
    if (isRevoked && key !== undefined) return recordKey(store, 'keys.revoke', key);
    const keyIds = keys.map((one) => one.keyId);
    if (!keyIds.includes(keyId)) refuseUnknown('key', keyId, keyIds, 'keys list');
    throw new CommandFailed(`key ${keyId} was revoked before`);
  });
  show(json, { keyId, revoked: true }, () => `Revoked key ${keyId}.`);
}

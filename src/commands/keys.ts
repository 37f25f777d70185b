import { Option, type Command } from 'commander';

import { SCOPES, type KeyRecord, type Scope } from '../store/store.ts';
import { collect, demand, withStore } from './context.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { isoTime, show, table } from './output.ts';

interface AddOptions {
  readonly team: string;
  readonly scope: readonly string[];
  readonly name: string;
  readonly rateLimit?: number;
  readonly json?: boolean;
}

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
    .option('--rate-limit <calls>', 'generate calls per minute, instead of the default', toLimit)
    .option('--json', 'print JSON')
    .addHelpText('after', ADD_HELP)
    .action(add);
  command
    .command('list')
    .description('list keys, without the keys themselves')
    .option('--team <teamId>', 'only of this team')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio keys list --team retail')
    .action(list);
  command
    .command('revoke <keyId>')
    .description('end a key; running services notice within seconds')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio keys revoke KEY_ID_FROM_THE_LIST')
    .action(async (keyId: string, { json }: { json?: boolean }) => {
      const revoked = await withStore(async (store) => store.keys.revoke(keyId));
      if (!revoked) throw new CommandFailed(`there is no active key ${keyId}`);
      show(json, { keyId, revoked }, () => `Revoked key ${keyId}.`);
    });
}

const ADD_HELP = `
The scope identity-sync cannot be combined with others.

Example:
  $ ./intaglio keys add --team retail --scope generate --scope documents:read --name statements`;

async function add(options: AddOptions): Promise<void> {
  const scopes = options.scope.map((text) => {
    const scope = SCOPES.find((known): known is Scope => known === text);
    if (scope === undefined) {
      throw new UsageError(`--scope ${text} is unknown; allowed: ${SCOPES.join(', ')}`);
    }
    return scope;
  });
  const { record, apiKey } = await withStore(async (store) =>
    demand(
      await store.keys.add({
        teamId: options.team,
        name: options.name,
        scopes,
        rateLimitPerMinute: options.rateLimit ?? null,
      }),
    ),
  );
  const { keyId, teamId } = record;
  show(options.json, { keyId, apiKey, teamId, scopes: record.scopes }, () =>
    [`key id   ${keyId}`, `API key  ${apiKey}`, 'It is not shown again.'].join('\n'),
  );
}

function toLimit(text: string): number {
  const calls = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (calls < 1) throw new UsageError(`--rate-limit is "${text}"; allowed: integer from 1`);
  return calls;
}

async function list(options: { team?: string; json?: boolean }): Promise<void> {
  const keys = await withStore(async (store) => store.keys.list(options.team ?? null));
  show(options.json, keys.map(toJson), () =>
    table(
      ['key', 'team', 'scopes', 'per minute', 'created', 'revoked', 'name'],
      keys.map((key) => [
        key.keyId,
        key.teamId,
        key.scopes.join(' '),
        key.rateLimitPerMinute === null ? 'default' : String(key.rateLimitPerMinute),
        isoTime(key.createdAtMs),
        key.revokedAtMs === null ? '' : isoTime(key.revokedAtMs),
        key.name,
      ]),
      'No key yet. Make one: ./intaglio keys add --team TEAM --scope generate',
    ),
  );
}

function toJson(key: KeyRecord): Record<string, unknown> {
  const { createdAtMs, revokedAtMs, ...rest } = key;
  return {
    ...rest,
    createdAt: isoTime(createdAtMs),
    revokedAt: revokedAtMs === null ? null : isoTime(revokedAtMs),
  };
}

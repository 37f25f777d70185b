import { type Command, Option } from 'commander';
import type { Intaglio } from '#client';
import { apiKeyOption, readCaller } from '../console/api-key.ts';
import { withService } from '../console/service.ts';

/** The address of the service and the API key. */
export interface CallerOptions {
  readonly url: string;
  readonly key?: string;
}

/** Adds the options that every subcommand has. */
export function addService(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'address of the service')
        .env('INTAGLIO_URL')
        .default('http://127.0.0.1:8080'),
    )
    .addOption(apiKeyOption())
    .option('--json', 'print JSON');
}

/** Calls the service that the options name; errors of the client become `CommandFailed`. */
export async function withClient(
  options: CallerOptions,
  use: (client: Intaglio) => Promise<void>,
): Promise<void> {
  await withService(readCaller(options), use);
}

/** The first entries of a list, at most `countMax`. */
export async function firstOf<T>(entries: AsyncIterable<T>, countMax: number): Promise<T[]> {
  const all: T[] = [];
  for await (const entry of entries) {
    all.push(entry);
    if (all.length === countMax) break;
  }
  return all;
}

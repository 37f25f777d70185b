import { type Command, Option } from 'commander';
import { apiKeyOption } from '../console/api-key.ts';
import { RunsService, type ServiceOptions } from './service.ts';

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

/** Calls the service, and closes its connections. */
export async function withService(
  options: ServiceOptions,
  use: (service: RunsService) => Promise<void>,
): Promise<void> {
  const service = new RunsService(options);
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

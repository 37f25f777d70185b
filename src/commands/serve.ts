import type { Command } from 'commander';

import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';

export default function define(command: Command): void {
  command
    .addHelpText(
      'after',
      `
Settings are environment variables (docs/settings.md). Logs are JSON lines on standard output; the
line with "msg":"listening" says that the service is ready, and at which address.
SIGTERM and SIGINT stop it gracefully.

Examples:
  $ ./intaglio serve
  $ INTAGLIO_PORT=0 ./intaglio serve
  $ INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio INTAGLIO_HOST=0.0.0.0 ./intaglio serve`,
    )
    .action(async () => {
      const config = readConfig(process.env);
      const { serve } = await import('../main.ts');
      await serve(config, createLog(config.logLevel));
      // Whatever handle a library still holds must not keep a stopped service alive.
      process.exit(0);
    });
}

import type { Command } from 'commander';

import { ConfigError, PinRefusedError, readConfig, type Config } from '../settings/config.ts';
import { ListenError } from '../gateway/http/http-server.ts';
import { createLog } from '../log/log.ts';
import { show } from './console/output.ts';
import { writeErr } from './console/terminal.ts';

export default function define(command: Command): void {
  command
    .option(
      '--check',
      'try everything that a start needs, say how to mend what is wrong, and do not serve',
    )
    .addHelpText(
      'after',
      `
Settings are environment variables (docs/settings.md). Logs are JSON lines on standard output; the
line with "msg":"listening" appears when the service is ready, with the address for callers
(INTAGLIO_BASE_URL, else host and port).
SIGTERM and SIGINT stop it gracefully; a second one ends it at once.
--check reports everything that would prevent a start, and warns of what would not work: port,
certificate, database, files, retention, Redis, link secrets, signers, sign-in, fonts, words, qpdf. It creates
missing folders and link secrets, as a start does, but leaves the schema of the database alone and does not
log in to tokens. While a setting has a wrong value, it names the checks that it had to skip. A port that the running service of this installation holds is no fault: a restart
frees it. One that an Intaglio on another database holds is. Exit code 78: a token refused its PIN. Do
not start the service again before the PIN is right: tokens count wrong PINs and lock.

Examples:
  $ ./intaglio serve
  $ ./intaglio serve --check && systemctl restart intaglio
  $ INTAGLIO_PORT=0 ./intaglio serve
  $ export INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio
  $ INTAGLIO_HOST=0.0.0.0 ./intaglio serve`,
    )
    .action(async ({ check }: { check?: boolean }) => {
      if (check === true) return tryStart();
      const config = readConfig(process.env);
      const { serve } = await import('../start/main.ts');
      try {
        return await serve(config, createLog(config.logLevel));
      } catch (error) {
        throw await explained(config, error);
      }
    });
}

/** The error of a start that was refused, with its remedy; other errors as they are. */
async function explained(config: Config, error: unknown): Promise<unknown> {
  if (error instanceof ListenError) {
    const { whyNotListening } = await import('./checks/port.ts');
    return new ConfigError(await whyNotListening(config));
  }
  // A token that refused its PIN must not be asked again.
  if (!(error instanceof ConfigError) || error instanceof PinRefusedError) return error;
  const { explainRefusal } = await import('./checks/checks.ts');
  return new ConfigError(await explainRefusal(config, error));
}

/**
 * Says in the order of `doctor` what is wrong with a start and how to mend it, and which checks had to
 * be skipped. Throws a single ConfigError if something would prevent the start.
 */
async function tryStart(): Promise<void> {
  const { examineCurrentStart } = await import('./checks/checks.ts');
  const { withMend } = await import('./checks/finding.ts');
  const findings = await examineCurrentStart();
  const lines = findings
    .filter(({ state }) => state === 'warning' || state === 'fault')
    .map(({ state, detail, mend }) =>
      withMend(state === 'warning' ? `warning: ${detail}` : detail, mend),
    );
  const left = findings.filter(({ state }) => state === 'skipped');
  if (left.length > 0) {
    lines.push(
      `not examined, as they need what is wrong: ${left.map(({ check }) => check).join(', ')}`,
    );
  }
  if (findings.some(({ state }) => state === 'fault')) throw new ConfigError(lines.join('\n'));
  for (const line of lines.flatMap((text) => text.split('\n'))) writeErr(`intaglio: ${line}\n`);
  show(false, null, () => 'The service can start with these settings.');
}

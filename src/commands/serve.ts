import type { Command } from 'commander';
import { spawnSync } from 'node:child_process';

import {
  ConfigError,
  readConfig,
  SETTINGS,
  shownUrl,
  unknownSettings,
  type Config,
} from '../config.ts';
import { createLog } from '../log.ts';
import { show } from './console/output.ts';
import { writeErr } from './console/terminal.ts';

export default function define(command: Command): void {
  command
    .option(
      '--check',
      'try settings, database, files, fonts, link secrets and signers, and do not serve',
    )
    .addHelpText(
      'after',
      `
Settings are environment variables (docs/settings.md). Logs are JSON lines on standard output; the
line with "msg":"listening" appears when the service is ready, and names its address.
SIGTERM and SIGINT stop it gracefully; a second one ends it at once.
--check reports everything that is wrong. It creates missing folders and link secrets,
as a start does, but leaves the schema of the database alone, does not try the port, and does not
log in to tokens. Exit code 78: a token refused its PIN. Do not start the service again before the
PIN is right: tokens count wrong PINs and lock.

Examples:
  $ ./intaglio serve
  $ ./intaglio serve --check && systemctl restart intaglio
  $ INTAGLIO_PORT=0 ./intaglio serve
  $ INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio INTAGLIO_HOST=0.0.0.0 ./intaglio serve`,
    )
    .action(async ({ check }: { check?: boolean }) => {
      const config = readConfig(process.env);
      if (check === true) return tryStart(config);
      const { serve } = await import('../main.ts');
      return serve(config, createLog(config.logLevel));
    });
}

/** Throws a single ConfigError with everything that would prevent a start. */
async function tryStart(config: Config): Promise<void> {
  const { closeStore, inspectFiles, openConfiguredStore, tryFiles } = await import('../storage.ts');
  const { readFontsFolder } = await import('../renderers.ts');
  const { linkSecrets } = await import('../secrets.ts');
  const { checkSigners, strayTeams } = await import('../signing-setup.ts');
  for (const name of unknownSettings(process.env)) warn(`${name} is not a setting: it is ignored`);
  if (spawnSync(config.qpdf, ['--version'], { timeout: QPDF_MS_MAX }).status !== 0) {
    warn(`${SETTINGS.qpdf.variable}: ${config.qpdf} does not run: documents are not protected`);
  }
  if (config.queueUrl !== null) await tryQueue(config.queueUrl);
  let teamIds: readonly string[] = [];
  let areFilesUsable = false;
  const trials: readonly (() => unknown)[] = [
    async () => {
      teamIds = (await checkSigners(config))?.teamIds ?? [];
    },
    async () => {
      await tryFiles(config);
      areFilesUsable = true;
    },
    async () => {
      const store = await openConfiguredStore(config, warn);
      try {
        for (const stray of await strayTeams(store, teamIds)) warn(stray);
        if (areFilesUsable) await inspectFiles(store, config);
        for (const found of store.figures().fileWarnings) warn(found);
      } finally {
        await closeStore(store);
      }
    },
    () => {
      for (const { file, reason } of readFontsFolder(config)) {
        warn(`${file} is left out: ${reason}`);
      }
    },
    () => linkSecrets(config),
  ];
  const faults: string[] = [];
  for (const trial of trials) {
    try {
      await trial();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  show(false, null, () => 'The service can start with these settings.');
}

/** Warns only: without Redis the service starts, and the database distributes the work of runs. */
async function tryQueue(url: string): Promise<void> {
  const { probeQueue } = await import('../runs/queue.ts');
  try {
    await probeQueue(url);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    warn(`${SETTINGS.queueUrl.variable}: ${shownUrl(url)} cannot be used: ${error.message}`);
  }
}

const QPDF_MS_MAX = 5_000;

function warn(message: string): void {
  writeErr(`intaglio: ${message}\n`);
}

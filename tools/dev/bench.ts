import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { HOME } from '../../src/settings/config.ts';
import { endWith } from '../../src/commands/console/terminal.ts';

export default function define(command: Command): void {
  command
    .argument('[args...]', 'passed on to bench/main.ts')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (args: readonly string[]) => {
      endWith(await bench(args));
    });
}

/** Runs in a separate process, so that the command line takes no part of the measured heap. */
async function bench(args: readonly string[]): Promise<number> {
  const script = join(HOME, 'bench/main.ts');
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: 'inherit',
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  return new Promise((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code) => ended(code ?? 1));
  });
}

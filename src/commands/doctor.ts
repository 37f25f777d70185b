import type { Command } from 'commander';

import { show } from './console/output.ts';
import { endWith } from './console/terminal.ts';
import { examineAll, type Finding } from './checks/checks.ts';

export default function define(command: Command): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Checks this machine with the current settings: program, limits, memory, port, certificate, database and
its clock, files, retention, durable writes, disk space, audit seals, Redis, link secrets, encryption,
signers, sign-in, fonts, words, qpdf. A running service is not disturbed, and no PIN of a token is used. It creates missing
folders and brings the schema up to date, as a start. A check that needs a part at fault is skipped. Exit code 1 when something is a fault, 0 when there are warnings at most.

Example:
  $ ./intaglio doctor`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examineAll();
      if (findings.some(({ state }) => state === 'fault')) endWith(1);
      show(json, { findings }, () => findings.map(lineOf).join('\n'));
    });
}

function lineOf({ check, state, detail, mend }: Finding): string {
  const line = `${state.padEnd(8)} ${check}: ${detail}`;
  return mend === '' ? line : `${line}\n         → ${mend}`;
}

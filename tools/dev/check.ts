import type { Command } from 'commander';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { HOME } from '../../src/settings/config.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { writeOut } from '../../src/commands/console/terminal.ts';
import { checkLockFiles } from './lock-files.ts';

/** Each check runs the entry file of a development tool with the present Node. */
const CHECKS: readonly { name: string; script: string; args: readonly string[] }[] = [
  { name: 'types', script: 'typescript/bin/tsc', args: ['-p', '.'] },
  { name: 'types of the Studio', script: 'typescript/bin/tsc', args: ['-p', 'studio'] },
  { name: 'lint', script: 'oxlint/bin/oxlint', args: ['--type-aware'] },
  {
    name: 'format',
    script: 'prettier/bin/prettier.cjs',
    args: ['--check', '--log-level=warn', '.'],
  },
  { name: 'unused code', script: 'knip/bin/knip.js', args: ['--no-progress'] },
];

export default function define(command: Command): void {
  command
    .addHelpText(
      'after',
      '\nExample:\n  $ ./intaglio check     all of it; exit code 1 on a finding',
    )
    .action(() => {
      const failed = CHECKS.filter(({ name, script, args }) => {
        const file = join(HOME, 'node_modules', script);
        if (!existsSync(file)) throw new CommandFailed(`${script} is not installed; run: npm ci`);
        const { status } = spawnSync(process.execPath, [file, ...args], {
          cwd: HOME,
          stdio: 'inherit',
        });
        writeOut(`${status === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`);
        return status !== 0;
      });
      const names = failed.map(({ name }) => name);
      const unpinned = checkLockFiles(HOME);
      writeOut(unpinned.map((line) => `${line}\n`).join(''));
      writeOut(`${unpinned.length === 0 ? 'ok  ' : 'FAIL'}  digests of packages\n`);
      if (unpinned.length > 0) names.push('digests of packages');
      if (names.length > 0) throw new CommandFailed(`findings in: ${names.join(', ')}`);
    });
}

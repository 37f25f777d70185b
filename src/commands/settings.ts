import type { Command } from 'commander';

import {
  effectiveSettings,
  nearestSetting,
  readConfig,
  unknownSettings,
} from '../settings/config.ts';
import { show, table } from './console/output.ts';
import { writeErr } from './console/terminal.ts';

export default function define(command: Command): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Shows every setting with its value and where the value comes from. Secrets are hidden. This opens
and starts nothing: to try the database, the file store and the fonts as well, run
\`./intaglio serve --check\`.

Example:
  $ ./intaglio settings`,
    )
    .action(({ json }: { json?: boolean }) => {
      const settings = effectiveSettings(readConfig(process.env), process.env);
      const unknown = unknownSettings(process.env);
      for (const name of unknown) {
        const near = nearestSetting(name);
        const hint = near === null ? '' : `; did you mean ${near}?`;
        writeErr(`intaglio: ${name} is not a setting: it is ignored${hint}\n`);
      }
      const rows = settings.map(({ variable, value, from }) => [
        variable,
        value === null ? '' : String(value),
        from,
      ]);
      show(json, { settings, unknown }, () => table(['variable', 'value', 'from'], rows, ''));
    });
}

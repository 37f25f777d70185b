import type { Command } from 'commander';

import { demand, withNewStore, withStore } from './console/context.ts';
import { show, table } from './console/output.ts';
import { record } from './console/record.ts';

export default function define(command: Command): void {
  command
    .command('add <teamId>')
    .description('add a team')
    .requiredOption('--name <name>', 'display name')
    .option('--json', 'print JSON')
    .addHelpText('after', "\nExample:\n  $ ./intaglio teams add retail --name 'Retail banking'")
    .action(async (teamId: string, { name, json }: { name: string; json?: boolean }) => {
      const team = await withNewStore(async (store) => {
        const added = demand(await store.teams.add({ teamId, name }));
        const detail = `team ${added.teamId}, ${added.name}`;
        await record(store, { action: 'teams.create', teamId: added.teamId, detail });
        return added;
      });
      show(json, team, () => `Added team ${team.teamId} (${team.name}).`);
    });
  command
    .command('list')
    .description('list all teams')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio teams list --json')
    .action(async ({ json }: { json?: boolean }) => {
      const teams = await withStore(async (store) => store.teams.list());
      show(json, teams, () =>
        table(
          ['team', 'name', 'active'],
          teams.map((team) => [team.teamId, team.name, team.active ? 'yes' : 'no']),
          'No team yet. Add one: ./intaglio teams add TEAM --name NAME',
        ),
      );
    });
}

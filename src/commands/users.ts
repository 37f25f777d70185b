import { Option, type Command } from 'commander';

import { ROLES, type Role } from '../store/store.ts';
import { demand, withStore } from './console/context.ts';
import { demandTeam } from './console/names.ts';
import { show, table } from './console/output.ts';

interface AddOptions {
  readonly team: string;
  readonly role: Role;
  readonly name?: string;
  readonly email?: string;
  readonly json?: boolean;
}

export default function define(command: Command): void {
  command
    .command('add <userId>')
    .description('add a user to a team')
    .requiredOption('--team <teamId>', 'team of the user')
    .addOption(
      new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory(),
    )
    .option('--name <name>', 'name for people')
    .option('--email <address>', 'mail address')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio users add anong --team retail --role Editor')
    .action(async (userId: string, options: AddOptions) => {
      const user = await withStore(async (store) => {
        await demandTeam(store, options.team);
        return demand(
          await store.users.add({
            userId,
            teamId: options.team,
            role: options.role,
            ...(options.name === undefined ? {} : { displayName: options.name }),
            ...(options.email === undefined ? {} : { email: options.email }),
          }),
        );
      });
      show(
        options.json,
        user,
        () => `Added user ${user.userId} to team ${user.teamId} as ${user.role}.`,
      );
    });
  command
    .command('list')
    .description('list users')
    .option('--team <teamId>', 'only of this team')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio users list --team retail')
    .action(async (options: { team?: string; json?: boolean }) => {
      const users = await withStore(async (store) => {
        if (options.team !== undefined) await demandTeam(store, options.team);
        return store.users.list(options.team ?? null);
      });
      show(options.json, users, () =>
        table(
          ['user', 'team', 'role', 'active', 'name'],
          users.map((user) => [
            user.userId,
            user.teamId,
            user.role,
            user.active ? 'yes' : 'no',
            user.displayName,
          ]),
          'No user yet. Add one: ./intaglio users add USER --team TEAM --role Editor',
        ),
      );
    });
}

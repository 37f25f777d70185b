import { Option, type Command } from 'commander';

import { ROLES, typedUserFault, type Role, type Store, type UserRecord } from '../store/store.ts';
import { demand, withStore } from './console/context.ts';
import { CommandFailed } from './console/failure.ts';
import { demandTeam, refuseUnknownUser } from './console/names.ts';
import { show, table } from './console/output.ts';
import { record } from './console/record.ts';

interface AddOptions {
  readonly team: string;
  readonly role: Role;
  readonly name?: string;
  readonly email?: string;
  readonly json?: boolean;
}

/** Its name has the roles, so that an error about it has them, too. */
function roleOption(): Option {
  const flags = `--role <${ROLES.join('|')}>`;
  return new Option(flags, 'what the user may do').choices(ROLES).makeOptionMandatory();
}

export default function define(command: Command): void {
  command
    .command('add <userId>')
    .description('add a user to a team')
    .requiredOption('--team <teamId>', 'team of the user')
    .addOption(roleOption())
    .option('--name <name>', 'name for people')
    .option('--email <address>', 'mail address')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio users add anong --team retail --role Editor')
    .action(async (userId: string, options: AddOptions) => {
      refuseMistyped(userId, options.email);
      const user = await withStore(async (store) => {
        await demandTeam(store, options.team);
        await refuseSimilar(store, userId);
        const added = demand(
          await store.users.add({
            userId,
            teamId: options.team,
            role: options.role,
            ...(options.name === undefined ? {} : { displayName: options.name }),
            ...(options.email === undefined ? {} : { email: options.email }),
          }),
        );
        const detail = `user ${added.userId}, ${added.role}`;
        await record(store, { action: 'users.create', teamId: added.teamId, detail });
        return added;
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
  defineChange(
    command,
    'set-role',
    'change the role of a user; it counts from the next request on',
  );
  defineChange(command, 'deactivate', 'end sessions and links of a user, who cannot sign in again');
  defineChange(command, 'reactivate', 'let a deactivated user sign in again');
}

/** Throws for an id or an address that is a slip; the message has the words of the command line. */
function refuseMistyped(userId: string, email: string | undefined): void {
  const fault = typedUserFault({ userId, email });
  if (fault === null) return;
  const words = fault.replace(/^email/, '--email').replace('displayName', '--name');
  throw new CommandFailed(words);
}

/**
 * Throws if another user, of any team, has this id, or has it in other capitals. Databases do not
 * agree on letters beyond ASCII, so the ids are compared here.
 */
async function refuseSimilar(store: Store, userId: string): Promise<void> {
  const folded = userId.toLowerCase();
  let similar: string | null = null;
  for await (const page of store.users.pages(null)) {
    const same = page.find((user) => user.userId === userId);
    if (same !== undefined) throw new CommandFailed(takenText(same));
    const found = page.find((user) => user.userId.toLowerCase() === folded);
    if (found !== undefined) similar ??= `user ${found.userId} of team ${found.teamId}`;
  }
  if (similar === null) return;
  throw new CommandFailed(
    `${similar} has this id in other upper and lower case. One of the two would be taken for the` +
      ' other: change that user (users set-role, users reactivate), or choose another id.',
  );
}

/** Whose the id is: an id belongs to one user of one team. */
function takenText({ userId, teamId, role, active }: UserRecord): string {
  const change = active ? `users set-role ${userId}` : `users reactivate ${userId}`;
  const state = active ? role : `${role}, not active`;
  return (
    `user ${userId} exists already, in team ${teamId} (${state}). For this person:` +
    ` ./intaglio ${change}. For another person, or for another team, choose another id.`
  );
}

const ACTIONS = {
  'set-role': 'users.role',
  deactivate: 'users.deactivate',
  reactivate: 'users.reactivate',
} as const;

const CHANGE_HELP = `
An identity sync that lists the user decides again; the last change wins.

Example:
  $ ./intaglio users `;

/** Adds a command that changes one user. */
function defineChange(command: Command, name: keyof typeof ACTIONS, description: string): void {
  const added = command.command(`${name} <userId>`).description(description);
  if (name === 'set-role') {
    added.addOption(roleOption());
  }
  const example = name === 'set-role' ? 'set-role anong --role Viewer' : `${name} anong`;
  added
    .option('--json', 'print JSON')
    .addHelpText('after', CHANGE_HELP + example)
    .action(async (userId: string, { role, json }: { role?: Role; json?: boolean }) => {
      const change = role === undefined ? { active: name === 'reactivate' } : { role };
      const user = await withStore(async (store) => {
        const changed = await store.users.change(userId, change);
        if (changed === null) return refuseUnknownUser(store, userId);
        const detail = `user ${userId}, ${changed.role}`;
        await record(store, { action: ACTIONS[name], teamId: changed.teamId, detail });
        return changed;
      });
      const state = user.active ? `active, ${user.role}` : 'not active';
      show(json, user, () => `User ${user.userId} of team ${user.teamId} is ${state}.`);
    });
}

import type { Command } from 'commander';

import type { Store } from '../store/store.ts';
import { sessionCookieName } from '../gateway/callers/session-cookie.ts';
import { demand, withStore } from './console/context.ts';
import { CommandFailed } from './console/failure.ts';
import { refuseUnknownUser } from './console/names.ts';
import { record } from './console/record.ts';
import { counted, isoTime, show } from './console/output.ts';
import { signInUrl } from './console/sign-in-url.ts';

/** Lifetime of a sign-in link, which is meant to be opened soon. */
const LINK_MINUTES = 15;

export default function define(command: Command): void {
  command
    .command('add <userId>')
    .description('open a session; the cookie is shown once')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The session lasts for INTAGLIO_SESSION_TTL_SECONDS.

Example:
  $ ./intaglio sessions add anong --json
  $ curl -H 'Cookie: intaglio_session=…' http://127.0.0.1:8080/v1/templates`,
    )
    .action(async (userId: string, { json }: { json?: boolean }) => {
      const { token, expiresAtMs, name } = await withStore(async (store, config) => {
        const teamId = await teamOfActive(store, userId);
        const isSecure =
          config.tlsCertFile !== null || config.baseUrl?.startsWith('https:') === true;
        const untilMs = Date.now() + config.sessionTtlSeconds * 1000;
        const session = demand(await store.sessions.add(userId, untilMs));
        await record(store, { action: 'sessions.open', teamId, detail: `user ${userId}` });
        return { ...session, name: sessionCookieName(isSecure) };
      });
      const cookie = `${name}=${token}`;
      const expiresAt = isoTime(expiresAtMs);
      show(json, { cookie, expiresAt }, () => `cookie   ${cookie}\nexpires  ${expiresAt}`);
    });
  defineLink(command);
  defineEnd(command);
}

function defineLink(command: Command): void {
  command
    .command('link <userId>')
    .description('make a link that signs a browser in, once')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The link works once, within ${LINK_MINUTES} minutes. It begins with INTAGLIO_BASE_URL.

Example:
  $ ./intaglio sessions link anong`,
    )
    .action(async (userId: string, { json }: { json?: boolean }) => {
      const expiresAtMs = Date.now() + LINK_MINUTES * 60_000;
      const { token, baseUrl } = await withStore(async (store, config) => {
        const teamId = await teamOfActive(store, userId);
        const base = config.baseUrl ?? `http://${config.host}:${config.port}`;
        const link = demand(await store.signInLinks.add(userId, expiresAtMs));
        await record(store, { action: 'sessions.link', teamId, detail: `user ${userId}` });
        return { ...link, baseUrl: base.replace(/\/+$/, '') };
      });
      const link = signInUrl(baseUrl, token);
      const expiresAt = isoTime(expiresAtMs);
      show(json, { link, expiresAt }, () => `link     ${link}\nexpires  ${expiresAt}`);
    });
}

function defineEnd(command: Command): void {
  command
    .command('end <userId>')
    .description('end all sessions and unused sign-in links of a user')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The user may sign in again; to prevent that: ./intaglio users deactivate.

Example:
  $ ./intaglio sessions end anong`,
    )
    .action(async (userId: string, { json }: { json?: boolean }) => {
      const ended = await withStore(async (store) => {
        const teamId = await teamOf(store, userId);
        const count = await store.sessions.endAll(userId);
        await record(store, { action: 'users.sign-out', teamId, detail: `user ${userId}` });
        return count;
      });
      show(json, { userId, ended }, () => `Ended ${counted(ended, 'session')} of user ${userId}.`);
    });
}

/** The team of a user; throws when there is no such user. */
async function teamOf(store: Store, userId: string): Promise<string> {
  const user = await store.users.find(userId);
  return user === null ? refuseUnknownUser(store, userId) : user.teamId;
}

/** As above, of a user who may sign in; throws for one who may not. */
async function teamOfActive(store: Store, userId: string): Promise<string> {
  const user = await store.users.find(userId);
  if (user === null) return refuseUnknownUser(store, userId);
  if (user.active) return user.teamId;
  throw new CommandFailed(
    `user ${userId} of team ${user.teamId} is not active and cannot sign in; to change that:` +
      ` ./intaglio users reactivate ${userId}`,
  );
}

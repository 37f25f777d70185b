import type { Command } from 'commander';

import type { Store } from '../store/store.ts';
import { demand, withStore } from './console/context.ts';
import { refuseUnknown } from './console/names.ts';
import { isoTime, show } from './console/output.ts';
import { signInUrl } from './console/sign-in-url.ts';

/** Lifetime of a sign-in link, which is meant to be opened soon. */
const LINK_MINUTES = 15;

/** Name of the cookie that carries a session token. */
const SESSION_COOKIE = 'intaglio_session';

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
      const { token, expiresAtMs } = await withStore(async (store, config) => {
        await refuseUnknownUser(store, userId);
        return demand(
          await store.sessions.add(userId, Date.now() + config.sessionTtlSeconds * 1000),
        );
      });
      const cookie = `${SESSION_COOKIE}=${token}`;
      const expiresAt = isoTime(expiresAtMs);
      show(json, { cookie, expiresAt }, () => `cookie   ${cookie}\nexpires  ${expiresAt}`);
    });
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
        await refuseUnknownUser(store, userId);
        const base = config.baseUrl ?? `http://${config.host}:${config.port}`;
        const link = demand(await store.signInLinks.add(userId, expiresAtMs));
        return { ...link, baseUrl: base.replace(/\/+$/, '') };
      });
      const link = signInUrl(baseUrl, token);
      const expiresAt = isoTime(expiresAtMs);
      show(json, { link, expiresAt }, () => `link     ${link}\nexpires  ${expiresAt}`);
    });
}

async function refuseUnknownUser(store: Store, userId: string): Promise<void> {
  if ((await store.users.find(userId)) !== null) return;
  const known = (await store.users.list(null)).map((user) => user.userId);
  refuseUnknown('user', userId, known, 'users list');
}

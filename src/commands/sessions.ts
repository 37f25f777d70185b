import type { Command } from 'commander';

import { demand, withStore } from './console/context.ts';
import { refuseUnknown } from './console/names.ts';
import { isoTime, show } from './console/output.ts';

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
The session lives INTAGLIO_SESSION_TTL_SECONDS.

Example:
  $ ./intaglio sessions add anong --json
  $ curl -H 'Cookie: intaglio_session=…' http://127.0.0.1:8080/v1/templates`,
    )
    .action(async (userId: string, { json }: { json?: boolean }) => {
      const { token, expiresAtMs } = await withStore(async (store, config) => {
        if ((await store.users.find(userId)) === null) {
          const known = (await store.users.list(null)).map((user) => user.userId);
          refuseUnknown('user', userId, known, 'users list');
        }
        return demand(
          await store.sessions.add(userId, Date.now() + config.sessionTtlSeconds * 1000),
        );
      });
      const cookie = `${SESSION_COOKIE}=${token}`;
      const expiresAt = isoTime(expiresAtMs);
      show(json, { cookie, expiresAt }, () => `cookie   ${cookie}\nexpires  ${expiresAt}`);
    });
}

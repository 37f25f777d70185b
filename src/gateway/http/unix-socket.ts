import { lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { ListenError } from './http-server.ts';

/**
 * A process that neither accepts nor refuses a connection within this time counts as using the
 * socket.
 */
const CONNECT_MS_MAX = 2_000;

/**
 * Removes the socket that a dead process left at `path`. Throws ListenError when something else is
 * there, or a process still listens on it.
 */
export async function clearSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new ListenError(`unix:${path}`, 'a file that is not a socket is there');
  if (await isAnswered(path))
    throw new ListenError(`unix:${path}`, 'another process listens there');
  rmSync(path, { force: true });
}

/**
 * Whether a process listens. Only a refused connection proves that none does; after any other
 * result the socket stays.
 */
export async function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isUsed: boolean): void => {
      socket.destroy();
      resolve(isUsed);
    };
    socket.setTimeout(CONNECT_MS_MAX, () => end(true));
    socket.once('connect', () => end(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

/** Identity of a socket file, which tells it from another file at the same path. */
export function socketIdentity(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** Removes the socket at `path` if it is still the one with this identity. */
export function removeSocket(path: string, identity: string): void {
  if (identity !== '' && socketIdentity(path) === identity) rmSync(path, { force: true });
}

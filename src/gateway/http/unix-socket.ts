import { lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { ListenError } from './http-server.ts';

/** How long another process has to accept a connection before its socket counts as in use. */
const CONNECT_MS_MAX = 2_000;

/**
 * Removes the socket that a process which died left at `path`. Throws ListenError when something else
 * lies there, or when a process still listens on it.
 */
export async function clearSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new ListenError(`unix:${path}`, 'a file that is no socket is there');
  if (await isAnswered(path))
    throw new ListenError(`unix:${path}`, 'another process listens there');
  rmSync(path, { force: true });
}

/** Only a refused connection means that nobody listens; whatever else happens, the socket stays. */
async function isAnswered(path: string): Promise<boolean> {
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

/** Identity of a socket file: another one at the same path has another identity. */
export function socketIdentity(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** Removes the socket at `path` if it is still the one with this identity. */
export function removeSocket(path: string, identity: string): void {
  if (identity !== '' && socketIdentity(path) === identity) rmSync(path, { force: true });
}

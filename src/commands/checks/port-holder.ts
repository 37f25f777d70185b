import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { errorCode } from '../../runtime/error-code.ts';

/** State of a socket that listens, in the tables of the Linux kernel. */
const LISTEN = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Names the process that listens on a port of this machine; null: the system does not tell, as of
 * the processes of other users.
 */
export function findHolder(port: number): string | null {
  const sockets = new Set(TABLES.flatMap((table) => socketsIn(read(table), port)));
  if (sockets.size === 0) return null;
  for (const pid of list('/proc').filter((name) => /^\d+$/.test(name))) {
    const files = list(`/proc/${pid}/fd`);
    if (!files.some((file) => sockets.has(target(`/proc/${pid}/fd/${file}`)))) continue;
    return `process ${pid} (${read(`/proc/${pid}/comm`).trim()})`;
  }
  return null;
}

/** The sockets of a table that listen on the port: `sl local remote state … inode …`. */
function socketsIn(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === LISTEN && local.endsWith(suffix) ? [`socket:[${inode}]`] : [];
  });
}

const read = (path: string): string => orElse('', () => readFileSync(path, 'utf8'));
const list = (path: string): readonly string[] => orElse([], () => readdirSync(path));
const target = (path: string): string => orElse('', () => readlinkSync(path));

/** Processes end meanwhile, those of others are closed, and only Linux has /proc. */
function orElse<T>(otherwise: T, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return otherwise;
  }
}

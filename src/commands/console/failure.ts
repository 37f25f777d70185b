import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { nearest, suggested } from '../../runtime/nearest.ts';
import { reasonOf } from '../../store/reason.ts';
import { userName } from './user-name.ts';

/** A command failed: the message goes to standard error, and the exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The database has nothing of a name; `withStore` adds which database it is. */
export class NotFound extends CommandFailed {}

/** The command line is wrong: the message goes to standard error, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The value of an option is wrong. `checkValues` puts the name of the option before the message.
 */
export class ValueError extends UsageError {}

/** The failure to read a file of the command line; rethrows errors that are not of the system. */
export function unreadable(path: string, error: unknown): CommandFailed {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
  const code = String(error.code);
  const reason = code === 'ENOENT' ? missingFile(path) : reasonOf(code);
  // The script of docs/install.md runs commands as another user than the one who types them.
  const user = code === 'EACCES' ? `; this command runs as ${userName()}` : '';
  return new CommandFailed(`cannot read ${path}: ${reason}${user}`);
}

/** Limit of the letters compared while a name is sought in a folder. */
const STEPS_MAX = 200_000;

/** Says that a file does not exist, with the nearest name of its folder, or that the folder is missing. */
function missingFile(path: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) return `there is no folder ${folder}`;
  const others = namesIn(folder).filter((name) => name !== basename(path));
  const near = nearest(basename(path), others, { left: STEPS_MAX });
  const hint = near === null ? '' : suggested(path.includes('/') ? join(folder, near) : near);
  return `there is no such file${hint}`;
}

/** The names in a folder; none in one that this user may not list. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return [];
    throw error;
  }
}

/** The failure to write a folder of the command line; rethrows errors that are not of the system. */
export function unwritable(path: string, error: unknown): CommandFailed {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
  const code = String(error.code);
  const folder = dirname(path);
  if (code === 'ENOENT' && !existsSync(folder)) {
    return new CommandFailed(
      `cannot write ${path}: there is no folder ${folder}; make it, or name another`,
    );
  }
  const advice =
    code === 'EISDIR'
      ? 'name a file'
      : 'let this user write there, make room, or name another folder';
  return new CommandFailed(`cannot write ${path}: ${reasonOf(code)}; ${advice}`);
}

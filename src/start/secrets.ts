import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ConfigError, HOME, type Config } from '../settings/config.ts';
import { makeFolder } from '../runtime/folder.ts';
import { weakness } from '../settings/weak-secrets.ts';
import { reasonOf } from '../store/reason.ts';
import { errorCode } from '../runtime/error-code.ts';

const SECRET_BYTES = 32;
const FILE_NAME = 'link-secrets';
const OWNER_ONLY = 0o600;

/**
 * The secrets that sign links: the configured ones, or those in a file that the first use creates. It
 * is beside the embedded database, or beside the files folder when the database is elsewhere.
 * Processes that start at the same time get the same secrets.
 */
export function linkSecrets(config: Config): readonly string[] {
  if (config.linkSecrets !== null) return config.linkSecrets;
  const path = join(folderOf(config), FILE_NAME);
  try {
    return readSecrets(path) ?? makeSecrets(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const reason = reasonOf(String(error.code));
    throw new ConfigError(
      `INTAGLIO_LINK_SECRETS is not set, and cannot be kept in ${path}: ${reason}`,
    );
  }
}

/** Creates the file of secrets, or reads the one that another process has just created. */
function makeSecrets(path: string): readonly string[] {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, {
      mode: OWNER_ONLY,
      flush: true,
    });
    // linkSync fails when the name is taken, so the complete file of the first process wins.
    linkSync(temporary, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readSecrets(path) ?? [];
}

function folderOf(config: Config): string {
  const { databaseUrl, filesUrl } = config;
  if (databaseUrl === 'sqlite::memory:') return join(HOME, 'var');
  if (databaseUrl.startsWith('sqlite:')) return dirname(databaseUrl.slice('sqlite:'.length));
  if (filesUrl.startsWith('file:')) return dirname(filesUrl.slice('file:'.length));
  throw new ConfigError(
    'INTAGLIO_LINK_SECRETS is not set; it must be when rows and files are not on this machine',
  );
}

/** null: there is no such file. */
function readSecrets(path: string): readonly string[] | null {
  try {
    const secrets = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    if (secrets.length === 0) throw new ConfigError(`${path} is empty; remove it or fill it`);
    const weak = secrets.map(weakness).find((why) => why !== null) ?? null;
    if (weak !== null) throw new ConfigError(`${path} ${weak}`);
    chmodSync(path, OWNER_ONLY);
    return secrets;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

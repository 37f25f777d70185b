import { createHash } from 'node:crypto';

import { type Store, StorageUnavailable } from '../store/store.ts';

/** Hex digits: enough to tell installations apart, too few to guess the id from. */
const DIGITS = 16;

/**
 * The installation that a database belongs to, as `/healthz` says it to everybody: a digest, because
 * the id of the database tells when it was made. Throws StorageUnavailable.
 */
export async function installationOf(store: Store): Promise<string> {
  const id = await store.databaseId();
  return createHash('sha256').update(`installation ${id}`).digest('hex').slice(0, DIGITS);
}

/** As `installationOf`, for the start; '': the row of the id is gone or damaged, which others report. */
export async function installationIfKnown(store: Store): Promise<string> {
  try {
    return await installationOf(store);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    return '';
  }
}

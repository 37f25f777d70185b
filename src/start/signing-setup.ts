import { ConfigError, type Config, PinRefusedError, SETTINGS } from '../settings/config.ts';
import type { Log } from '../log/log.ts';
import type { Signing } from '../sign/signing.ts';
import { errorCode } from '../runtime/error-code.ts';
import { isFault } from '../store/database/database-fault.ts';
import { reasonOf } from '../store/reason.ts';
import type { Store } from '../store/store.ts';

/** The signers of the settings, with open tokens; undefined: there are none. Throws `ConfigError`. */
export async function openSigning(
  { signersFile }: Config,
  store: Pick<Store, 'teams'>,
  log: Log,
): Promise<Signing | undefined> {
  if (signersFile === null) return undefined;
  const signers = await reporting(signersFile, ({ readSigners }) => readSigners(signersFile));
  for (const msg of await strayTeams(store, [...signers.keys()])) log.warn({ msg });
  const { createSigning } = await import('../sign/signing.ts');
  return createSigning(signers, log);
}

/** What a check of the signers saw. */
export interface CheckedSigners {
  readonly count: number;
  readonly teamIds: readonly string[];
  /** When the first certificate of any chain expires, in ms since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Checks files, certificates and labels of tokens without logging in, so that no PIN is counted; null:
 * there are no signers. Throws `ConfigError`.
 */
export async function checkSigners({ signersFile }: Config): Promise<CheckedSigners | null> {
  if (signersFile === null) return null;
  const signers = await reporting(signersFile, ({ readSigners }) =>
    readSigners(signersFile, 'find'),
  );
  const chains = [...signers.values()].flatMap(({ chain }) => chain);
  const expiresAtMs = Math.min(...chains.map(({ validTo }) => Date.parse(validTo)));
  return { count: signers.size, teamIds: [...signers.keys()], expiresAtMs };
}

/**
 * A sentence for each signer whose team does not exist; none of them ever signs. The service starts
 * nevertheless: teams may be added afterwards.
 */
export async function strayTeams(
  { teams }: Pick<Store, 'teams'>,
  teamIds: readonly string[],
): Promise<string[]> {
  if (teamIds.length === 0) return [];
  const known = new Set((await listTeams(teams)).map(({ teamId }) => teamId));
  return teamIds
    .filter((teamId) => !known.has(teamId))
    .map(
      (teamId) =>
        `${SETTINGS.signersFile.variable}: teams.${teamId}: there is no such team; correct the id, ` +
        'or add the team (./intaglio teams add)',
    );
}

/** The teams; none when the database has no tables yet, which the first start makes. */
async function listTeams(teams: Store['teams']): Promise<readonly { readonly teamId: string }[]> {
  try {
    return await teams.list();
  } catch (error) {
    if (!isFault(error, 'refused')) throw error;
    return [];
  }
}

/** Turns what is wrong with the signers into a `ConfigError`. */
async function reporting<Result>(
  signersFile: string,
  read: (signers: typeof import('../sign/signers.ts')) => Promise<Result>,
): Promise<Result> {
  const signers = await import('../sign/signers.ts');
  try {
    return await read(signers);
  } catch (error) {
    const { variable } = SETTINGS.signersFile;
    if (error instanceof signers.SignersError) {
      const Kind = error.isPinRefused ? PinRefusedError : ConfigError;
      throw new Kind(`${variable}: ${error.message}`);
    }
    // Only the file of this setting; faults of the files that signers name are reported by team.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const code = errorCode(error);
    const reason = code === 'ENOENT' ? 'there is no such file (ENOENT)' : reasonOf(code);
    throw new ConfigError(`${variable}: cannot read ${signersFile}: ${reason}`);
  }
}

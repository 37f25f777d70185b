import { ConfigError, type Config, PinRefusedError, SETTINGS } from './config.ts';
import type { Log } from './log.ts';
import { readSigners, SignersError } from './sign/signers.ts';
import { createSigning, type Signing } from './sign/signing.ts';

/** The signers of the settings, with open tokens; undefined: there are none. Throws `ConfigError`. */
export async function openSigning(config: Config, log: Log): Promise<Signing | undefined> {
  const { signersFile } = config;
  if (signersFile === null) return undefined;
  return reporting(async () => createSigning(await readSigners(signersFile), log));
}

/** What a check of the signers saw. */
export interface CheckedSigners {
  readonly count: number;
  /** When the first certificate of any chain expires, in ms since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Checks files, certificates and labels of tokens without logging in, so that no PIN is counted; null:
 * there are no signers. Throws `ConfigError`.
 */
export async function checkSigners({ signersFile }: Config): Promise<CheckedSigners | null> {
  if (signersFile === null) return null;
  const signers = await reporting(() => readSigners(signersFile, 'find'));
  const chains = [...signers.values()].flatMap(({ chain }) => chain);
  const expiresAtMs = Math.min(...chains.map(({ validTo }) => Date.parse(validTo)));
  return { count: signers.size, expiresAtMs };
}

async function reporting<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const isKnown = error instanceof SignersError;
    const why = isKnown ? error.message : 'a file cannot be read';
    const Kind = isKnown && error.isPinRefused ? PinRefusedError : ConfigError;
    throw new Kind(`${SETTINGS.signersFile.variable}: ${why}`);
  }
}

import { spawn } from 'node:child_process';

import { ConfigError, SETTINGS, type Config } from '../settings/config.ts';
import type { Log } from '../log/log.ts';
import { watchFiles } from '../runtime/file-watch.ts';
import { fileVariable, readSettingFiles } from '../settings/setting-files.ts';
import { readKeyList } from '../settings/encryption.ts';
import { weaknessOfKeys } from '../settings/weak-secrets.ts';
import type { EncryptionKeys } from '../store/encryption/key-ring.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Keys = readonly Uint8Array[];

/** Timeout of the command. */
const COMMAND_MS_MAX = 10_000;
const OUTPUT_BYTES_MAX = 65_536;
/** How often the command is run. */
const COMMAND_INTERVAL_MS = 15 * 60_000;
/** Minimum time between two readings because a file needs an unknown key. */
const READ_AGAIN_MS_MIN = 60_000;

const { encryptionKeys: LIST, encryptionKeysCommand: COMMAND } = SETTINGS;
const NO_KEYS: Keys = [];
const NO_KEY = new Uint8Array();

/** The current keys for stored files. */
export interface KeySource extends EncryptionKeys {
  stop(): void;
}

/**
 * Reads the keys for stored files once; without any, files are not encrypted. Throws ConfigError
 * when the command prints none: otherwise files that should be encrypted would be stored in clear.
 */
export async function readKeys(config: Config): Promise<EncryptionKeys> {
  const keys = await configuredKeys(config);
  return { keys: () => keys };
}

/**
 * Reads the keys now, and again later: when their file changes, or every 15 minutes when a command
 * prints them; and, at most once a minute, when a file needs an unknown key. When reading fails, the
 * keys stay and the log says why. `intervalMs` replaces the interval of polling the file or running
 * the command.
 */
export async function watchKeys(
  config: Config,
  env: Environment,
  log: Log,
  intervalMs?: number,
): Promise<KeySource> {
  let keys = await configuredKeys(config);
  const path = env[fileVariable(LIST.variable)] ?? '';
  const source = path === '' ? config.encryptionKeysCommand : path;
  if (source === null) return { keys: () => keys, stop: () => undefined };
  const variable = path === '' ? COMMAND.variable : fileVariable(LIST.variable);
  let reading: Promise<void> | null = null;
  let readAtMs = performance.now();
  const read = async (): Promise<void> => {
    try {
      const newKeys = path === '' ? await printedKeys(source) : fileKeys(env);
      if (areSameKeys(keys, newKeys)) return;
      keys = newKeys;
      log.info({ msg: 'secret changed', variable });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { message: fault } = error;
      log.error({ msg: 'changed secret not used; the former one stays', variable, fault });
    }
  };
  const reread = (): Promise<void> => {
    readAtMs = performance.now();
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  return {
    keys: () => keys,
    readAgain: () => {
      if (reading !== null) return reading;
      return performance.now() - readAtMs < READ_AGAIN_MS_MIN ? Promise.resolve() : reread();
    },
    stop: repeat(path, () => void reread(), intervalMs),
  };
}

/** Calls `reread` when the file changes, or at intervals for a command; returns what stops it. */
function repeat(path: string, reread: () => void, intervalMs?: number): () => void {
  if (path !== '') return watchFiles([path], reread, intervalMs);
  const timer = setInterval(reread, intervalMs ?? COMMAND_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function configuredKeys({ encryptionKeys, encryptionKeysCommand }: Config): Promise<Keys> {
  if (encryptionKeysCommand !== null) return printedKeys(encryptionKeysCommand);
  return encryptionKeys ?? NO_KEYS;
}

/** Reads the keys from the file that the environment names. */
function fileKeys(env: Environment): Keys {
  const { env: filled, faults } = readSettingFiles(env, [LIST.variable]);
  const keys = readKeyList(filled[LIST.variable] ?? '');
  if (faults[0] !== undefined) throw new ConfigError(faults[0]);
  if (keys === undefined) throw new ConfigError(`its value is not allowed: ${LIST.allowed}`);
  refuseWeak(keys, LIST.variable);
  return keys;
}

function areSameKeys(ones: Keys, others: Keys): boolean {
  return (
    ones.length === others.length &&
    ones.every((key, index) => Buffer.compare(key, others[index] ?? NO_KEY) === 0)
  );
}

/** Runs the command. Its output is never logged, neither standard output nor standard error. */
async function printedKeys(command: string): Promise<Keys> {
  const text = await outputOf(command);
  const keys = readKeyList(text);
  if (keys === undefined) {
    throw new ConfigError(`${COMMAND.variable}: it did not print a ${LIST.allowed}`);
  }
  refuseWeak(keys, COMMAND.variable);
  return keys;
}

function refuseWeak(keys: Keys, variable: string): void {
  const weak = weaknessOfKeys(keys);
  if (weak !== null) throw new ConfigError(`${variable} ${weak}`);
}

function outputOf(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => reject(new ConfigError(`${COMMAND.variable}: ${why}`));
    // `detached` gives it a process group, so that programs started by the shell end with it.
    const child = spawn('/bin/sh', ['-c', command], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = (why: string): void => {
      refuse(why);
      child.stdout.destroy();
      if (child.pid !== undefined) endGroup(child.pid);
    };
    const timer = setTimeout(() => {
      end(`it took longer than ${COMMAND_MS_MAX / 1_000} s`);
    }, COMMAND_MS_MAX);
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes > OUTPUT_BYTES_MAX) end('it printed too much for keys');
      else pieces.push(piece);
    });
    child.on('error', () => {
      clearTimeout(timer);
      refuse('it cannot be run');
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(pieces).toString('utf8'));
      else refuse(`it ended with ${signal ?? `code ${String(code)}`}`);
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

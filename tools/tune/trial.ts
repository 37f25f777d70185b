import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { SETTINGS } from '../../src/settings/config.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import type { Settings } from './advice.ts';
import { Callers } from './load.ts';

/** The only message that a host sends to its parent: it listens, or has failed. */
export type HostMessage =
  | { readonly kind: 'listening'; readonly url: string; readonly apiKey: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** A service in a separate process, and its callers. */
export interface Trial {
  readonly threads: number;
  readonly callers: Callers;
  /** Resolves when the callers and the process have ended. */
  stop(): Promise<void>;
}

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 5_000;
/** The maximum of the setting, so that no request is refused. */
const RATE_LIMIT = '100000000';
/** Settings of the environment that apply to the services, because documents cost accordingly. */
const INHERITED: ReadonlySet<string> = new Set([
  SETTINGS.fontsDir.variable,
  SETTINGS.templateCacheMb.variable,
  SETTINGS.bodyBytesMax.variable,
  SETTINGS.decodePixelsMax.variable,
  SETTINGS.renderTimeoutMs.variable,
  SETTINGS.qpdf.variable,
]);

/** Environment variables for these settings; a setting that is absent keeps its default. */
export function variablesOf(settings: Partial<Settings>): Readonly<Record<string, string>> {
  const { threads, queueMax, memoryMb } = settings;
  const given = [
    [SETTINGS.poolThreads.variable, threads],
    [SETTINGS.poolQueueMax.variable, queueMax],
    [SETTINGS.workerMemoryMb.variable, memoryMb],
  ] as const;
  return Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function environment(folder: string, settings: Partial<Settings>): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('INTAGLIO_') || INHERITED.has(name),
  );
  return {
    ...Object.fromEntries(given),
    ...variablesOf(settings),
    [SETTINGS.port.variable]: '0',
    [SETTINGS.databaseUrl.variable]: `sqlite:${join(folder, 'tune.db')}`,
    [SETTINGS.filesUrl.variable]: `file:${join(folder, 'files')}`,
    [SETTINGS.rateLimitPerMinute.variable]: RATE_LIMIT,
    [SETTINGS.logLevel.variable]: 'silent',
    [SETTINGS.shutdownTimeoutMs.variable]: '1000',
  };
}

/**
 * Starts a service in a new folder, with these settings and defaults for all others. Throws
 * `CommandFailed` when it does not start.
 */
export async function startTrial(
  folder: string,
  templates: readonly string[],
  settings: Pick<Settings, 'threads'> & Partial<Settings>,
  callers: number,
  signal: AbortSignal,
): Promise<Trial> {
  const child = fork(join(import.meta.dirname, 'host.ts'), templates, {
    env: environment(folder, settings),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const { url, apiKey } = await listening(child, signal);
    const trialCallers = new Callers(url, apiKey, callers);
    const stop = async (): Promise<void> => {
      await trialCallers.close();
      await end(child);
    };
    return { threads: settings.threads, callers: trialCallers, stop };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Resolves when the service listens. */
async function listening(
  child: ChildProcess,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly apiKey: string }> {
  const watch = AbortSignal.any([signal, AbortSignal.timeout(START_MS_MAX)]);
  return new Promise((resolve, reject) => {
    // The host sends nothing else.
    child.once('message', (message: HostMessage) => {
      if (message.kind === 'listening') resolve(message);
      else reject(new CommandFailed(`a service to measure did not start: ${message.reason}`));
    });
    const fail = (): void => reject(new CommandFailed('a service to measure did not start'));
    child.once('exit', fail).once('error', fail);
    if (watch.aborted) fail();
    watch.addEventListener('abort', fail, { once: true });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(timer);
}

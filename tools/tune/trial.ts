import { readFileSync } from 'node:fs';

import { readConfig, SETTINGS } from '../../src/settings/config.ts';
import { demand } from '../../src/commands/console/context.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { openStore } from '../../src/store/open.ts';
import { inheritedEnvironment, localSettings } from '../../lab/service/environment.ts';
import { startProcess } from '../../lab/service/process.ts';
import type { Settings } from './advice.ts';
import { templateIdOf } from './bodies.ts';
import { Callers } from './load.ts';

/** A service in a separate process, and its callers. */
export interface Trial {
  readonly threads: number;
  readonly callers: Callers;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

const TEAM = 'tune';
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
  return {
    ...localSettings(folder),
    ...inheritedEnvironment(INHERITED),
    ...variablesOf(settings),
    [SETTINGS.rateLimitPerMinute.variable]: RATE_LIMIT,
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
  const env = environment(folder, settings);
  const apiKey = await setUp(env, templates);
  signal.throwIfAborted();
  try {
    const { url, stop } = await startProcess({ env, signal });
    const end = async (): Promise<void> => void (await stop());
    return { threads: settings.threads, callers: new Callers(url, apiKey, callers), stop: end };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CommandFailed(`a service to measure did not start: ${error.message}`);
  }
}

/** Makes a database with a team, its templates and a key; returns the key. */
async function setUp(env: NodeJS.ProcessEnv, files: readonly string[]): Promise<string> {
  const { databaseUrl, filesUrl } = readConfig(env);
  const store = await openStore({ databaseUrl, filesUrl });
  try {
    await store.migrate();
    const { teams, keys, templates } = store;
    demand(await teams.add({ teamId: TEAM, name: TEAM }));
    const scopes = ['generate'] as const;
    const added = await keys.add({ teamId: TEAM, name: TEAM, scopes, rateLimitPerMinute: null });
    for (const [index, path] of files.entries()) {
      const templateId = templateIdOf(index);
      await templates.saveDraft(TEAM, templateId, templateId, readFileSync(path));
      const draft = await templates.draft(TEAM, templateId);
      if (draft.found) await templates.publish(TEAM, templateId, draft.value.hash);
    }
    return demand(added).apiKey;
  } finally {
    await store.close();
  }
}

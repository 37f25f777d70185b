import { HOME } from '../home.ts';
import { temporaryFolder } from '../process/interrupt.ts';
import type { ShapeName } from '../shapes/sheet.ts';
import { inheritedEnvironment, localSettings } from './environment.ts';
import { startProcess, type Instance } from './process.ts';
import { programOf } from './program.ts';
import { addCallers, commandsOf, publishTemplates, RATE_LIMIT } from './set-up.ts';
import type { Keys, RunCommand } from './set-up.ts';

/** Settings by the names of their variables. */
export type Settings = Readonly<Record<string, string>>;

/** A service with a fresh database and files, one team, keys, and the templates of the shapes. */
export interface Service extends Pick<
  Instance,
  'url' | 'pid' | 'rssMb' | 'descriptors' | 'children'
> {
  /** More than one, so that one caller can flood and another be served. */
  readonly keys: Keys;
  /** Runs a command on the service's database. */
  readonly command: RunCommand;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings?: Settings;
  /** Folder of the sources that run; this checkout's unless given. */
  readonly root?: string;
  /** API keys, at least two. */
  readonly keysCount?: number;
  /** Scopes of the keys, in addition to those that every service of the bench grants. */
  readonly scopes?: readonly string[];
  /** The core that all its threads stay on; left out: any. */
  readonly core?: number;
  /** Template files to publish beside the shapes. */
  readonly templates?: readonly object[];
}

const KEYS_COUNT = 2;

const STORE_TIMEOUT_MS = 300_000;

/**
 * The variables of the service: its database and files lie in `folder`. `INTAGLIO_BENCH_DATABASE_URL`
 * names another database, an empty one of a server that runs already.
 */
function environmentOf(folder: string, settings: Settings): NodeJS.ProcessEnv {
  const databaseUrl = process.env['INTAGLIO_BENCH_DATABASE_URL'];
  return {
    ...inheritedEnvironment(),
    ...localSettings(folder),
    ...(databaseUrl === undefined ? {} : { INTAGLIO_DATABASE_URL: databaseUrl }),
    INTAGLIO_LINK_SECRETS: 'a secret of the bench that is long enough to sign links',
    INTAGLIO_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    INTAGLIO_RUN_CALLS_PER_MINUTE: RATE_LIMIT,
    ...settings,
  };
}

/** Starts another instance on the database, files and queue of a service that is set up. */
export function startInstance(settings: Settings, core: number): Promise<Instance> {
  return startProcess({ env: environmentOf('', settings), core });
}

/**
 * Sets up and starts a service as `serve` runs it, on a free port: the sources in `root` with their
 * packages, through their own commands and the HTTP interface.
 */
export async function startService(
  shapes: readonly ShapeName[],
  options: ServiceOptions = {},
): Promise<Service> {
  const { settings = {}, root = HOME, keysCount = KEYS_COUNT, scopes = [], core } = options;
  const { path: folder, remove } = temporaryFolder('intaglio-bench-http-');
  try {
    const program = await programOf(root);
    const env = environmentOf(folder, settings);
    const command = commandsOf(program, env);
    const { keys, cookie } = await addCallers(command, keysCount, scopes);
    const instance = await startProcess({ env, program, core: core ?? null });
    const stop = async (): Promise<void> => {
      await instance.stop();
      remove();
    };
    try {
      await publishTemplates(instance.url, cookie, shapes, root, options.templates ?? []);
      return { ...instance, keys, command, stop };
    } catch (error) {
      await instance.stop();
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** Has the service store a document; returns its id. */
export async function storeDocument(service: Service, body: string): Promise<string> {
  const response = await fetch(`${service.url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': service.keys[1], 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(STORE_TIMEOUT_MS),
  });
  if (response.status !== 201) throw new Error(`async generate answered ${response.status}`);
  // The spec's acknowledgement.
  return ((await response.json()) as { documentId: string }).documentId;
}

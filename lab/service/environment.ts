import { join } from 'node:path';

/**
 * Settings of a service that keeps rows and files in a folder and listens on a free port. The time
 * limit of a render counts wall time: beside ten busy programs, the first document of a renderer
 * takes longer than the default.
 */
export function localSettings(folder: string): Readonly<Record<string, string>> {
  return {
    INTAGLIO_DATABASE_URL: `sqlite:${join(folder, 'intaglio.db')}`,
    INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
    INTAGLIO_PORT: '0',
    INTAGLIO_RENDER_TIMEOUT_MS: '60000',
  };
}

/** The environment of this process without settings, except those that are named. */
export function inheritedEnvironment(kept: ReadonlySet<string> = new Set()): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('INTAGLIO_') || kept.has(name),
  );
  return Object.fromEntries(inherited);
}

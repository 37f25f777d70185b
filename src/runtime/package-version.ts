import { readFileSync } from 'node:fs';

/** The version of this package. */
export function packageVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  // This is our own file, which has a version.
  const { version } = JSON.parse(file) as { version: string };
  return version;
}

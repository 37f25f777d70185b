import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The npm beside the running Node, else the one on PATH. */
export function npmCommand(): string {
  const beside = join(dirname(process.execPath), 'npm');
  return existsSync(beside) ? beside : 'npm';
}

/** npm starts `node` by name: the running one comes first. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const folder = dirname(process.execPath);
  return { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A checkout's command line program, and the flags of Node that its wrapper starts it with. */
export interface Program {
  readonly command: string;
  readonly flags: readonly string[];
}

/**
 * The program of the checkout at `root`, without its wrapper: that may install packages, and a
 * checkout may share its packages with this one.
 */
export async function programOf(root: string): Promise<Program> {
  const places = ['lab/flags.ts', 'bench/harness/flags.ts'].map((path) => join(root, path));
  // Every commit that can be compared exports them in one of these; test/wrapper.test.ts holds this
  // commit's to the wrapper.
  const url = pathToFileURL(places.find((path) => existsSync(path)) ?? '').href;
  const { SERVICE_FLAGS } = (await import(url)) as { SERVICE_FLAGS: readonly string[] };
  return { command: join(root, 'src', 'cli.ts'), flags: SERVICE_FLAGS };
}

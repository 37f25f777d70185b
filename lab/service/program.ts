import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A checkout's command line program, and what its wrapper starts it with. */
export interface Program {
  readonly command: string;
  /** Flags of Node. */
  readonly flags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The program of the checkout at `root`, without its wrapper: that may install packages, and a
 * checkout may share its packages with this one.
 */
export async function programOf(root: string): Promise<Program> {
  const places = ['lab/flags.ts', 'bench/harness/flags.ts'].map((path) => join(root, path));
  // Every commit that can be compared exports its flags in one of these, and its variables if it sets
  // any; test/wrapper.test.ts holds this commit's to the wrapper.
  const url = pathToFileURL(places.find((path) => existsSync(path)) ?? '').href;
  const { SERVICE_FLAGS, SERVICE_VARIABLES = {} } = (await import(url)) as {
    SERVICE_FLAGS: readonly string[];
    SERVICE_VARIABLES?: Readonly<Record<string, string>>;
  };
  const command = join(root, 'src', 'cli.ts');
  return { command, flags: SERVICE_FLAGS, variables: SERVICE_VARIABLES };
}

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
  const url = pathToFileURL(join(root, 'bench', 'harness', 'flags.ts')).href;
  // Every commit that can be compared exports them; test/wrapper.test.ts holds them to the wrapper.
  const { SERVICE_FLAGS } = (await import(url)) as { SERVICE_FLAGS: readonly string[] };
  return { command: join(root, 'src', 'cli.ts'), flags: SERVICE_FLAGS };
}

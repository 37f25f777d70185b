import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';

import { keepStripped } from './stripped.ts';

const { keptPath } = createRequire(import.meta.url)('./load-stripped.cjs') as {
  readonly keptPath: (source: Uint8Array) => string;
};

/** In a thread, too, whose flags are others, as those of the service. */
const STARTS = `import { Worker } from 'node:worker_threads';
  import { told } from './told.ts';
  console.log(told);
  const source = 'import("' + new URL('told.ts', import.meta.url) + '").then((m) => console.log(m.told))';
  new Worker(source, { eval: true, execArgv: ['--no-warnings'] });`;

t.test('kept sources are loaded in all threads, and not once they have changed', async (t) => {
  const home = t.testdir({ 'package.json': '{"type":"module"}', 'start.ts': STARTS });
  const option = keepStripped();
  const run = (source: string): string => {
    writeFileSync(join(home, 'told.ts'), source);
    const env = { NODE_OPTIONS: option };
    const { stdout } = spawnSync(process.execPath, [join(home, 'start.ts')], { env });
    return stdout.toString();
  };
  const source = `export const told: string = 'source of ${process.pid}';`;
  const path = keptPath(Buffer.from(source));
  writeFileSync(path, "export const told = 'kept';");
  t.teardown(() => rmSync(path, { force: true }));
  t.equal(run(source), 'kept\nkept\n');
  t.equal(run("export const told: string = 'changed';"), 'changed\nchanged\n');
});

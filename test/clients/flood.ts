import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * The test of flood/ with more documents, by one client or by each; prints TAP:
 * `node test/clients/flood.ts --count 5000 --client java`.
 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '5000' }, client: { type: 'string' } },
});
const { count, client } = values;
const { status } = spawnSync(
  process.execPath,
  ['--no-warnings', join(import.meta.dirname, 'flood/flood.test.ts')],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TAP_TIMEOUT: '7200',
      FLOOD_DOCUMENTS: count,
      ...(client === undefined ? {} : { FLOOD_CLIENT: client }),
    },
  },
);
process.exitCode = status ?? 1;

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { runScript } from '../../lab/process/script.ts';
import type { Report } from '../report/report.ts';

const MAIN = join(import.meta.dirname, '..', 'main.ts');
const TIMEOUT_MS = 1_200_000;

t.test('the services of two commits are loaded in turns', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const json = join(folder, 'report.json');
  const loads = ['http', 'sync', '70 %'];
  const args = ['--compare', 'HEAD', 'HEAD', ...loads, '--rounds', '2', '--smoke', '--json', json];
  args.push('--set', 'INTAGLIO_POOL_QUEUE_MAX=99', '--set-b', 'INTAGLIO_TEMPLATE_CACHE_MB=63');
  const output = await runScript(MAIN, args, TIMEOUT_MS);
  const both = 'INTAGLIO_POOL_QUEUE_MAX=99';
  t.match(output, new RegExp(`The services A \\([0-9a-f]{12} ${both}\\) and B`));
  t.match(output, `${both} INTAGLIO_TEMPLATE_CACHE_MB=63`);
  const { services } = JSON.parse(readFileSync(json, 'utf8')) as Report;
  t.strictSame(
    services.map(({ name }) => name),
    ['sync', '70 %'],
  );
  for (const { name, documentsPerSecond, cpuMsPerRequest, p99Ms } of services) {
    for (const { a, b, ratio } of [documentsPerSecond, p99Ms]) {
      t.ok(a.min > 0 && b.min > 0, `${name}: both answer`);
      t.equal(ratio.rounds, 2);
      t.ok(ratio.min >= b.min / a.max && ratio.max <= b.max / a.min, 'of the same round');
    }
    t.ok(cpuMsPerRequest.a.max > 0 && cpuMsPerRequest.b.max > 0);
  }
});

import t from 'tap';
import type { Log } from '../log/log.ts';
import { missingKeysReport, startSweeping } from './sweeping.ts';

t.test('sweeps log missing keys once for each change', async (t) => {
  const lines: string[] = [];
  const keep = (entry: unknown): void => void lines.push(JSON.stringify(entry));
  // Only these methods are used.
  const log = { info: keep, error: keep, warn: keep } as unknown as Log;
  let missing: readonly string[] = [];
  let sweeps = 0;
  const report = missingKeysReport({ missing: () => Promise.resolve(missing) }, log);
  await report();
  t.same(lines, [], 'nothing is missing at the start');
  const sweep = (): Promise<{ expired: number; orphans: number }> => {
    sweeps += 1;
    return Promise.resolve({ expired: 0, orphans: 0 });
  };
  const sweeping = startSweeping({ sweep }, report, 1, log);
  t.teardown(() => sweeping.stop());
  const sweepAgain = async (): Promise<void> => {
    const before = sweeps;
    const isLater = (): boolean => sweeps >= before + 2;
    while (!isLater()) await new Promise((go) => setTimeout(go, 1));
  };
  const steps: readonly (readonly [readonly string[], number])[] = [
    [['a'], 1],
    [['a'], 1],
    [['b', 'a'], 2],
    [['a', 'b'], 2],
    [[], 2],
    [['a'], 3],
  ];
  for (const [keys, count] of steps) {
    missing = keys;
    await sweepAgain();
    t.equal(lines.length, count, `missing: ${keys.join()}`);
  }
  t.match(JSON.parse(lines[1] ?? ''), {
    msg: /^stored files are encrypted under keys that are not listed/,
    keys: ['b', 'a'],
    setting: 'INTAGLIO_ENCRYPTION_KEYS',
  });
});

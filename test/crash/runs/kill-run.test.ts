import { overDialects } from '../../store/dialects.ts';
import { killRun } from './kill-run.ts';

await overDialects('SIGKILL in the middle of a run', async (t, bench) => {
  await t.test('each row comes to one outcome, and nothing is left over', async (t) => {
    const plan = { place: await bench(), rows: 4_000, kills: 2, invalidEach: 100 };
    const { violations, stored } = await killRun(plan);
    t.strictSame(violations, []);
    t.equal(stored, 3_960);
  });
});

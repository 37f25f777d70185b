import { overDialects } from '../../store/dialects.ts';
import { killRun } from './kill-run.ts';

await overDialects('SIGKILL in the middle of a run', async (t, newPlace) => {
  await t.test('each row has exactly one outcome, and no file is left over', async (t) => {
    const place = await newPlace();
    const isRead = place.name === 'sqlite';
    const plan = { place, rows: 4_000, kills: 2, invalidEach: 100, isRead };
    const { violations, stored } = await killRun(plan);
    t.strictSame(violations, []);
    t.equal(stored, 3_960);
  });
});

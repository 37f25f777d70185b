import { overDialects } from '../store/dialects.ts';
import { findViolations } from './invariants.ts';
import { writeUntilKilled } from './kill.ts';

const KILLS = 3;

await overDialects('SIGKILL under load', async (t, bench) => {
  await t.test('loses nothing that was acknowledged', async (t) => {
    const place = await bench();
    const all = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      all.push(...(await writeUntilKilled(place, Math.random() * 150)));
      const { violations, documents } = await findViolations(place, all);
      t.strictSame(violations, [], `kill ${kill + 1}: ${all.length} acknowledged`);
      t.ok(documents >= all.length && documents <= all.length + 8 * (kill + 1));
    }
  });
});

import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { overDialects } from '../store/dialects.ts';
import { findViolations, type Place } from './invariants.ts';
import { writeUntilKilled } from './kill.ts';

const KILLS = 3;

await overDialects('SIGKILL under load', async (t, newPlace) => {
  await t.test('loses no acknowledged document', async (t) => {
    await killing(t, await newPlace());
  });

  await t.test('loses no acknowledged document when files are encrypted', async (t) => {
    const place = await newPlace();
    // Encryption changes only the file and one column, so one dialect is enough.
    if (place.name === 'mysql') return;
    await killing(t, { ...place, encryptionKey: randomBytes(32).toString('hex') });
  });
});

async function killing(t: Test, place: Place): Promise<void> {
  const all = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    all.push(...(await writeUntilKilled(place, Math.random() * 150)));
    const { violations, documents } = await findViolations(place, all);
    t.strictSame(violations, [], `kill ${kill + 1}: ${all.length} acknowledged`);
    t.ok(documents >= all.length && documents <= all.length + 8 * (kill + 1));
  }
}

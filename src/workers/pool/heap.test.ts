import t from 'tap';
import { jobOf, newJobOf, poolWith } from '../../../test/fixtures/pool.ts';

t.test('what earlier jobs left in the heap of a thread is no fault of the next job', async (t) => {
  const { pool } = poolWith(t, { memoryMb: 64 });
  await pool.ready();
  t.match(await pool.submit(jobOf({ do: 'keep', mb: 60 }), 'a').result, { ok: true });
  for (let n = 0; n < 3; n += 1) {
    t.match(await pool.submit(newJobOf({ do: 'spin', ms: 300 }), 'b').result, { ok: true });
  }
  t.equal(pool.stats().deaths, 0);
});

t.test('a job that takes half the limit on top of it is refused', async (t) => {
  const { pool } = poolWith(t, { memoryMb: 64 });
  await pool.ready();
  t.match(await pool.submit(jobOf({ do: 'keep', mb: 60 }), 'a').result, { ok: true });
  const result = await pool.submit(newJobOf({ do: 'memory' }), 'b').result;
  t.match(result, { ok: false, code: 'render_failed', message: /more memory/ });
  t.match(await pool.submit(newJobOf({}), 'b').result, { ok: true });
  t.equal(pool.stats().deaths, 1);
});

import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { begin, lines, sceneOf, send, until } from '../../test/fixtures/runs/scene.ts';
import { CHUNK_STATES } from '../store/database/tables/runs.ts';

/** Two effects of a damaged database on the update that ends a chunk. */
const DAMAGES = {
  'is refused': "raise(abort, 'damaged')",
  'finds no row': 'raise(ignore)',
};

for (const [name, sql] of Object.entries(DAMAGES)) {
  t.test(`a run whose chunk's end ${name} is stopped, and other runs end`, async (t) => {
    const { spool, store, start, engine, find } = await sceneOf(t);
    const [damaged, sound] = [await start(), await start()];
    await send(store, damaged, 1, lines(4));
    await send(store, sound, 1, lines(4));
    const database = new DatabaseSync(join(dirname(spool), 'rows.db'), { timeout: 60_000 });
    t.teardown(() => database.close());
    // The run id is one of this test's own: a trigger takes no parameters.
    database.exec(`
      create trigger damage before update on run_chunks
      when new.run_id = '${damaged.runId}' and new.state = ${CHUNK_STATES.done}
      begin select ${sql}; end
    `);
    const works = engine();
    await begin(store, damaged.runId);
    await begin(store, sound.runId);
    works.wake();
    await until(async () => (await find(sound.runId)).state === 'done');
    await until(async () => (await find(damaged.runId)).state === 'stopped');
    t.match(await find(damaged.runId), {
      counts: { received: 4, stored: 0, pending: 4 },
      reasons: [{ name: 'service', actual: '10 failed one after the other' }],
    });
    await until(async () => works.figures().stopped === 1);

    database.exec('drop trigger damage');
    await begin(store, damaged.runId);
    works.wake();
    await until(async () => (await find(damaged.runId)).state === 'done');
    t.match((await find(damaged.runId)).counts, { stored: 4, pending: 0 });
  });
}

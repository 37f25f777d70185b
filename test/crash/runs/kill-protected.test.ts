import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isProtectedPdf } from '../../../src/protect/check.ts';
import { overDialects, type StorePlace } from '../../store/dialects.ts';
import {
  addRun,
  BY_ROW,
  documentOf,
  ENCRYPTION,
  hasRows,
  KEY,
  opens,
  passwordOf,
} from './guarded-run.ts';
import { countFaults, manifestOf, prepare, rowFaults, serve, untilSettled } from './kill-run.ts';

/** A run with passwords by row whose service is killed repeatedly. */

const ROWS = 1_500;
const KILLS = Number(process.env['INTAGLIO_TEST_KILLS'] ?? 4);
const KILL_MS_MAX = 2_500;
/** Documents of the run that are opened by qpdf. */
const OPENED = 15;

async function killOften(place: StorePlace): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const service = await serveWithKey(place);
    await pause(Math.random() * KILL_MS_MAX);
    service.kill('SIGKILL');
    await once(service, 'exit');
  }
}

function serveWithKey(place: StorePlace): ReturnType<typeof serve> {
  return serve(place, { INTAGLIO_ENCRYPTION_KEYS: KEY.toString('base64') });
}

await overDialects('SIGKILL in the middle of a run with passwords', async (t, newPlace) => {
  await t.test('each row once, by its own password, and no key is left', async (t) => {
    const place = await newPlace();
    await prepare(place);
    const store = await place.open(t, { encryption: ENCRYPTION });
    const added = await addRun(store, ROWS, { protection: BY_ROW });
    t.ok(await hasRows(store, added), 'its rows wait');
    await killOften(place);
    const service = await serveWithKey(place);
    const run = await untilSettled(place, added.runId);
    service.kill('SIGTERM');
    await once(service, 'exit');
    t.equal(run.state, 'done');
    const rows = await manifestOf(store, run);
    t.strictSame(rowFaults({ place, rows: ROWS, invalidEach: ROWS + 1 }, rows), []);
    t.strictSame(countFaults(run, rows), []);
    t.notOk(await hasRows(store, run), 'no key of its rows is left');
    const path = join(place.folder, 'document.pdf');
    let unprotected = 0;
    for (const [index, row] of rows.entries()) {
      const pdf = await documentOf(store, row);
      if (!isProtectedPdf(pdf)) unprotected += 1;
      if (index % Math.floor(ROWS / OPENED) !== 0) continue;
      writeFileSync(path, pdf);
      t.ok(opens(path, passwordOf(index)), `${row.rowId} opens by its own password`);
      t.notOk(opens(path, passwordOf(index + 1)), 'and not by that of the next row');
    }
    t.equal(unprotected, 0, 'no document without a password');
  });
});

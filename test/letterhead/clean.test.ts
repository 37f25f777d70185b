import t from 'tap';
import type { Cleaning } from '../../src/engine/letterhead/faults.ts';
import { cleanPatiently } from './clean.ts';

const FILE = new Uint8Array(1);
const BUSY: Cleaning = { ok: false, fault: 'busy' };

/** Answers as listed, then with the last of them, and counts its calls. */
function scripted(...answers: readonly Cleaning[]) {
  let calls = 0;
  const clean = (): Promise<Cleaning> =>
    Promise.resolve(answers[calls++] ?? answers.at(-1) ?? BUSY);
  return { clean, calls: () => calls };
}

t.test('a starved thread is started again; a fault of the file is the answer', async (t) => {
  const slow: Cleaning = { ok: false, fault: 'slow' };
  const twice = scripted(BUSY, BUSY, slow);
  t.same((await cleanPatiently(FILE, twice.clean)).cleaning, slow);
  t.equal(twice.calls(), 3);
});

t.test('a thread that hangs each time ends as busy', async (t) => {
  const hangs = scripted(BUSY);
  t.same((await cleanPatiently(FILE, hangs.clean)).cleaning, BUSY);
  t.equal(hangs.calls(), 21);
});

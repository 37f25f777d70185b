import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Random } from '../../../lab/fuzz-random.ts';
import { CPU_MS_MAX, differ, newCounts } from './differ.ts';
import { compareGroups } from './groups.ts';
import { newTemplateCounts, tryTemplate } from './templates.ts';

/**
 * Expressions over random contracts, alone and in templates, beside references that are written apart.
 * They take a second each in a run of the tests, and INTAGLIO_TEST_FUZZ_SECONDS together if it is set.
 * A failure names the seed, which alone repeats it: INTAGLIO_TEST_FUZZ_SEED.
 */
const SECONDS = Number(process.env['INTAGLIO_TEST_FUZZ_SECONDS'] ?? 3) / 3;
const SEED = Number(process.env['INTAGLIO_TEST_FUZZ_SEED'] ?? 20_261_128);
const TURNS_MIN = 10;

/** Tries one seed after another until the time is over; how many. */
async function fuzzed(t: Test, attempt: (random: Random) => void | Promise<void>): Promise<number> {
  const endsAt = Date.now() + SECONDS * 1_000;
  for (let turn = 0; ; turn += 1) {
    if (turn >= TURNS_MIN && Date.now() > endsAt) return turn;
    try {
      await attempt(new Random(Math.imul(SEED + turn, 0x9e3779b1)));
    } catch (error) {
      t.fail(`INTAGLIO_TEST_FUZZ_SEED=${SEED + turn}: ${String(error)}`);
      return turn;
    }
  }
}

t.setTimeout(0);

t.test(
  'expressions have the value or the error of the reference, and defects a place',
  async (t) => {
    const counts = newCounts();
    const contracts = await fuzzed(t, (random) => differ(random, counts));
    const { slowestMs, slowest, agreed, values, wrong, limited } = counts;
    t.ok(slowestMs <= CPU_MS_MAX, `${slowestMs.toFixed(2)} ms of CPU: ${slowest}`);
    t.ok(agreed > limited, 'most expressions end within the limits');
    t.comment(
      `${contracts} contracts, ${agreed} agreed (${values} values), ${limited} ended by a limit, ` +
        `${wrong} of wrong syntax or types; slowest ${slowestMs.toFixed(2)} ms`,
    );
  },
);

t.test(
  'templates have findings with places, or documents and invalid data with paths',
  async (t) => {
    const counts = newTemplateCounts();
    await fuzzed(t, (random) => tryTemplate(random, counts));
    const { templates, refused, documents, invalid } = counts;
    t.ok(templates > 0);
    t.comment(
      `${templates} templates, ${refused} refused; ${documents} documents, ${invalid} invalid`,
    );
  },
);

t.test('lists are filtered, sorted and grouped as by a plain program', async (t) => {
  const file = join(t.testdir(), 'g.pdf');
  const documents = await fuzzed(t, (random) => compareGroups(random, file));
  t.comment(`${documents} documents`);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../../lab/service/command-line.ts';
import {
  type Answer,
  json,
  list,
  manifest,
  pdf,
  plan,
  run,
  startFake,
} from '../../../test/fixtures/batch-scene.ts';
import { FIRST_FAILURES_MAX } from './run.ts';

const refuse: Answer = (_, response) =>
  json(response, 400, {
    code: 'invalid_data',
    error: 'The data is invalid.',
    fields: [{ field: 'total', reason: 'required' }],
  });

t.test('a batch of which nothing can be made stops after the first records', async (t) => {
  const { url, calls } = await startFake(t, refuse);
  const out = t.testdir();
  const counts = await run(t, plan(url, out, { concurrency: 3 }), list(200));
  t.match(counts, { made: 0, skipped: 0 });
  t.ok(counts.failed >= FIRST_FAILURES_MAX && counts.failed < FIRST_FAILURES_MAX + 3);
  t.equal(calls.length, counts.failed);
  t.equal(manifest(out).length, counts.failed, 'those that were sent are in the manifest');
});

t.test('--keep-going sends every record', async (t) => {
  const { url } = await startFake(t, refuse);
  const counts = await run(t, plan(url, t.testdir(), { keepGoing: true }), list(60));
  t.strictSame(counts, { made: 0, failed: 60, skipped: 0 });
});

t.test('one document, made now or before, lets a batch go on', async (t) => {
  const { url } = await startFake(t, (call, response) => {
    if (call.body.includes('"n":60.10')) pdf(response);
    else refuse(call, response);
  });
  const out = t.testdir();
  const all = plan(url, out, { keepGoing: true, concurrency: 1 });
  t.match(await run(t, all, list(60)), { made: 1, failed: 59 });
  // The failed records come first, and the one that is done comes last.
  const again = plan(url, out, { concurrency: 1 });
  t.strictSame(await run(t, again, list(60)), { made: 0, failed: 59, skipped: 1 });
});

t.test('the command says how many records it has not sent, and how to send them', async (t) => {
  const { url } = await startFake(t, refuse);
  const folder = t.testdir();
  const input = join(folder, 'in.ndjson');
  writeFileSync(input, '{"n":1}\n'.repeat(100));
  const words = ['batch', input, '--template', 'note', '--concurrency', '1', '--url', url];
  const env = environment(folder, { INTAGLIO_API_KEY: 'ik_test' });
  const { code, out, err } = await intaglio(env, ...words, '--out', join(folder, 'out'));
  t.equal(code, 1);
  t.match(err, /^intaglio: none of the first 20 records could be made, .* and 80 were not sent: /m);
  t.match(err, /send all by --keep-going$/m);
  t.match(out, /^0 made, 20 failed, 0 made before, 80 not sent; /);
  const made = join(folder, 'out');
  t.match(
    out.trim().split('\n').slice(1),
    [
      `${join(made, 'manifest.ndjson')} says which records were made and which failed; ` +
        `${join(made, 'failed.ndjson')} has the failed ones, but none that was not sent.`,
      `To go on, correct ${input} and run the same command again: it skips what is made.`,
    ],
    'the file of failed records does not pass for all that is left',
  );
  const all = await intaglio(env, ...words, '--out', join(folder, 'all'), '--keep-going', '--json');
  t.match(JSON.parse(all.out), { failed: 100, unsent: 0 });
  t.notMatch(all.err, 'not sent');
  const whole = await intaglio(env, ...words, '--out', join(folder, 'whole'), '--keep-going');
  t.match(whole.out, /failed\.ndjson: correct them and run that file with another --out\.\n$/);
});

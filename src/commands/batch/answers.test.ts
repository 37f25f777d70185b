import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  jumpingClock,
  json,
  list,
  manifest,
  pdf,
  plan,
  run,
  startFake,
} from '../../../test/fixtures/batch-scene.ts';

for (const [what, type, body, etag] of [
  ['HTML page of a proxy', 'text/html', '<html>Sign in</html>', ''],
  ['HTML page named PDF', 'application/pdf', '<html>Sign in</html>', ''],
  ['empty response', 'application/pdf', '', ''],
  ['PDF that was cut off', 'application/pdf', '%PDF-1.7 half', ''],
  ['PDF with another digest', 'application/pdf', '%PDF-1.7\n%%EOF\n', `W/"${'0'.repeat(64)}"`],
] as const) {
  t.test(`a record whose response is an ${what} has failed`, async (t) => {
    const out = t.testdir();
    const { url } = await startFake(t, (_, response) => {
      response.writeHead(200, { 'content-type': type, ...(etag !== '' && { etag }) });
      response.end(body);
    });
    t.strictSame(await run(t, plan(url, out), list(18)), { made: 0, failed: 18, skipped: 0 });
    t.strictSame(readdirSync(out), ['manifest.ndjson']);
    t.equal(statSync(join(out, 'manifest.ndjson')).mode & 0o777, 0o600);
    t.match(manifest(out)[0], { status: 'failed', code: 'no_document' });
  });
}

t.test('only the owner can read the documents', async (t) => {
  const out = t.testdir();
  const { url } = await startFake(t, (_, response) => pdf(response));
  await run(t, plan(url, out), list(1));
  t.equal(statSync(join(out, '00000001.pdf')).mode & 0o777, 0o600);
});

t.test('concurrency adapts to a short queue, and refusals are counted', async (t) => {
  let active = 0;
  const { url, calls } = await startFake(t, (_, response) => {
    if (active >= 5) {
      json(response, 503, { code: 'overloaded', error: 'no' }, { 'retry-after': '2' });
      return;
    }
    active += 1;
    setTimeout(() => {
      active -= 1;
      pdf(response);
    }, 2);
  });
  const clock = jumpingClock();
  const counts = await run(t, plan(url, t.testdir(), { concurrency: 64 }), list(300), clock);
  t.equal(counts.made, 300);
  t.ok(calls.length < 600, `${calls.length} requests`);
  t.ok(clock.pauses.length < 1_500, `${clock.pauses.length} pauses`);
});

import { gzipSync } from 'node:zlib';
import t from 'tap';
import { createMemoryRateLimiter } from '../../callers/rate.ts';
import { callerOf, refused, rows } from '../../../../test/fixtures/runs/caller.ts';
import { DEFAULT_BOUNDS } from '../../../store/runs/bounds.ts';

t.test('parts and starts beyond the bounds are refused with 413 or 429', async (t) => {
  const runBounds = {
    ...DEFAULT_BOUNDS,
    runBytesMax: 1_000_000,
    teamBytesMax: 1_500_000,
    teamActiveMax: 1,
  };
  // Without an engine: the first run stays active.
  const { make, put, act, post, get } = await callerOf(t, { runs: false, store: { runBounds } });
  const [first, second] = [await make(), await make()];
  const bomb = gzipSync(rows(1).padEnd(900_000, ' '));
  t.ok(bomb.length < 2_000, 'a thousandth is sent');
  const packed = { 'content-encoding': 'gzip' };
  t.equal((await put(first, 1, bomb, packed)).status, 201);
  const full = await put(first, 2, bomb, packed);
  t.strictSame([full.status, full.headers.get('retry-after')], [413, null]);
  t.match(await refused(Promise.resolve(full)), /^payload_too_large: .*divide them among runs/);
  const crowded = await put(second, 1, bomb, packed);
  t.strictSame([crowded.status, crowded.headers.get('retry-after')], [429, '60']);
  t.match(await refused(Promise.resolve(crowded)), /^rate_limited: .*as many uploaded bytes/);
  t.equal((await put(second, 1, rows(1))).status, 201);
  t.match(await act(first, 'start'), { state: 'checking' });
  t.match(await act(first, 'start'), { state: 'checking' }, 'starting twice is starting once');
  const busy = await post(`${second}/start`, {});
  t.strictSame([busy.status, busy.headers.get('retry-after')], [429, '60']);
  t.match(await refused(Promise.resolve(busy)), /^rate_limited: .*wait until one has ended/);
  t.match(await act(first, 'cancel'), { state: 'cancelled' });
  t.match(await act(second, 'start'), { state: 'checking' });
  t.equal((await get(second)).status, 200);
});

t.test('calls of runs are counted by caller, apart from generate calls', async (t) => {
  const options = { runCallsPerMinute: 3, rateLimitPerMinute: 4 };
  // Its windows never end, however busy the machine is.
  const parts = { rateLimiter: createMemoryRateLimiter(() => 0) };
  const { service, make, put, post, get } = await callerOf(t, { runs: false, options, parts });
  const url = await make();
  t.match((await put(url, 1, rows(1))).headers.get('ratelimit'), ';r=2;');
  t.equal((await get(url)).status, 200);
  t.equal((await get(`${url}/prints`)).status, 200);
  for (const path of ['', '/prints', '/prints/1', '/prints/1/index', '/manifest', '/zip']) {
    const refusal = await get(`${url}${path}`);
    t.equal(refusal.status, 429, path);
    t.ok(Number(refusal.headers.get('retry-after')) > 0);
  }
  for (const path of ['/events', '/exceptions']) t.equal((await get(url + path)).status, 429, path);
  t.equal((await put(url, 2, rows(1))).status, 429);
  const other = { 'x-api-key': await service.key('bank', ['runs']) };
  t.equal((await fetch(url, { headers: other })).status, 200, 'another caller has its own');
  t.equal((await post(`${url}/start`, {})).status, 200, 'a start is another kind of call');
  await make();
  await make();
  await t.rejects(make(), /Too many calls/, 'with the start, these are four');
  t.equal((await post(`${url}/start`, {})).status, 429);
});

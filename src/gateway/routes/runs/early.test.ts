import t from 'tap';
import { callerOf, type RunCaller, rows } from '../../../../test/fixtures/runs/caller.ts';
import { talk } from '../../../../test/fixtures/talk.ts';
import { LIMITS } from '../../../limits.ts';
import { DEFAULT_BOUNDS } from '../../../store/runs/bounds.ts';

const ANNOUNCED = 8_000_000;
const LONG_HEADER = 'column,'.repeat(LIMITS.csvHeaderBytesMax / 7 + 1);

interface Sent {
  readonly part?: number;
  readonly type?: string;
  readonly encoding?: string;
  readonly body?: string;
}

/**
 * Sends the head of a part of `ANNOUNCED` bytes and the beginning of its body, and no more; gives all
 * that the service answers until it closes the connection.
 */
async function beginner({ service }: RunCaller) {
  const apiKey = await service.key('bank', ['runs']);
  return async (url: string, sent: Sent): Promise<string> => {
    const { part = 1, type = 'text/csv', encoding = 'identity', body = '' } = sent;
    const { port, pathname } = new URL(url);
    const head =
      `PUT ${pathname}/parts/${part} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${apiKey}\r\n` +
      `Content-Type: ${type}\r\nContent-Encoding: ${encoding}\r\n` +
      `Content-Length: ${ANNOUNCED}\r\n\r\n`;
    return (await talk(Number(port), [head + body])).text;
  };
}

t.test('a part is refused by its beginning, while the rest has yet to arrive', async (t) => {
  const caller = await callerOf(t, { runs: false });
  const send = await beginner(caller);
  const url = await caller.make();
  const refused = (sent: Sent): Promise<string> => send(url, sent);
  const long = await refused({ body: LONG_HEADER });
  t.match(long, /^HTTP\/1\.1 400 /);
  t.match(long, /The header row does not end within 65536 bytes/);
  t.match(long, /^connection: close\r$/im);
  t.match(await refused({ body: `"${'a\n'.repeat(40_000)}` }), /does not end within/, 'a quote');
  t.match(await refused({ body: 'a,b\r1,2\r'.repeat(9_000) }), /carriage return alone/);
  t.match(await refused({ body: LONG_HEADER.replace('column', 'PK\x03\x04') }), /workbook/);
  t.match(await refused({ type: 'text/plain' }), /Content-Type must be/);
  t.match(await refused({ part: 100_001 }), /numbered from 1/);
  t.match(await refused({ type: 'text/csv; charset=x' }), /charset/);
});

t.test('a header without end is refused while the database has yet to answer', async (t) => {
  const caller = await callerOf(t, { runs: false });
  const send = await beginner(caller);
  const url = await caller.make();
  const { runs } = caller.service.store;
  const find = runs.find.bind(runs);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const value: typeof find = async (...args) => {
    await answered;
    return find(...args);
  };
  t.intercept(runs, 'find', { value });
  // As many as the turns of the team, and one more.
  const refusals = await Promise.all(
    [1, 2, 3].map((part) => send(url, { part, body: LONG_HEADER })),
  );
  for (const text of refusals) t.match(text, /^HTTP\/1\.1 400 /);
  answer();
});

t.test('a part for which there is no room is refused by the head of its request', async (t) => {
  const runBounds = { ...DEFAULT_BOUNDS, runBytesMax: 3_000_000, teamBytesMax: 3_500_000 };
  const caller = await callerOf(t, { runs: false, store: { runBounds } });
  const send = await beginner(caller);
  const [first, second] = [await caller.make(), await caller.make()];
  t.match(await send(first, {}), /^HTTP\/1\.1 413 [\s\S]*divide them among runs/);
  t.equal((await caller.put(first, 1, rows(1).padEnd(2_900_000))).status, 201);
  t.equal((await caller.put(second, 1, rows(1).padEnd(600_000))).status, 201);
  const crowded = await send(await caller.make(), { encoding: 'gzip' });
  t.match(crowded, /^HTTP\/1\.1 429 [\s\S]*as many uploaded bytes/);
  t.match(crowded, /^retry-after: 60\r$/im);
  t.equal(
    (await caller.put(second, 1, rows(1).padEnd(600_000))).status,
    200,
    'the same part again',
  );
  t.match(await caller.act(second, 'cancel'), { state: 'cancelled' });
  t.match(await send(second, { part: 2 }), /^HTTP\/1\.1 409 [\s\S]*in state cancelled/);
});

t.test('a part that is taken is judged no other way than before', async (t) => {
  const caller = await callerOf(t, { runs: false });
  const csv = { 'content-type': 'text/csv' };
  const header = `customer,total,${'é'.repeat(20_000)}\n`;
  const url = await caller.make();
  const long = `${header}${'a,1,b\n'.repeat(100_000)}`;
  t.equal((await caller.put(url, 1, long, csv)).status, 201, 'the beginning ends in the rows');
  const utf16 = Buffer.from(`\ufeff${long}`, 'utf16le');
  t.equal((await caller.put(url, 2, utf16, csv)).status, 201, 'UTF-16');
  t.equal((await caller.put(url, 3, 'customer,total\na,1\n', csv)).status, 201, 'a short one');
  t.match(await caller.run(url), { partCount: 3, lastPart: 3, nextPart: null });
  const first = await (await caller.get(`${url}?limit=1`)).json();
  t.match(first, { partCount: 3, lastPart: 3, nextPart: 1 });
  const last = await (await caller.get(`${url}?after=2`)).json();
  t.match(last, { partCount: 3, lastPart: 3, nextPart: null });
});

import t, { type Test } from 'tap';
import { post, startTestService } from '../../../lab/service/gateway.ts';
import { FloodGate } from './flood-gate.ts';

const FLOOD = 32;
const WINDOW_MS = 100;
/** After that, a team's flood is over. */
const TEAM_MS = 2_000;
/** Jobs that the only thread of these tests holds. */
const JOBS = 16;
const LASTING_WINDOWS = 3;

function statsOf(queued: number): ReturnType<ConstructorParameters<typeof FloodGate>[0]['stats']> {
  return {
    threads: 1,
    running: 1,
    queued,
    completed: 0,
    laidOut: 0,
    refused: 0,
    timeouts: 0,
    deaths: 0,
  };
}

/** A flood gate for a pool whose queue of 4 is full. */
function makeFloodGate(): { floodGate: FloodGate; setQueued: (count: number) => void } {
  let queued = 4;
  const floodGate = new FloodGate({ stats: () => statsOf(queued) });
  return {
    floodGate,
    setQueued: (count) => {
      queued = count;
    },
  };
}

function good(data: object): object {
  return { templateId: 'receipt', mode: 'sync', data };
}

type Caller = Parameters<FloodGate['enter']>[0];

/** A caller that is the only one of its team. */
const alone = (id: string): Caller => ({ id, teamId: id });
/** One of the callers of a team with many keys. */
const keyOf = (number: number): Caller => ({ id: `key ${number}`, teamId: 'many' });

function flood(floodGate: FloodGate, caller: Caller, nowMs: number): void {
  for (let i = 0; i < FLOOD; i++) floodGate.refused(caller, nowMs);
}

t.test('a flood is refused unread, another caller is not', async (t) => {
  const { floodGate } = makeFloodGate();
  for (let i = 0; i < FLOOD - 1; i++) floodGate.refused(alone('flood'), 0);
  t.notOk(floodGate.refuses(alone('flood'), 1), 'not yet');
  floodGate.refused(alone('flood'), 2);
  t.ok(floodGate.refuses(alone('flood'), 3));
  t.notOk(floodGate.refuses(alone('other'), 3));
});

t.test('a flood may use room in the queue as soon as there is some', async (t) => {
  const { floodGate, setQueued } = makeFloodGate();
  flood(floodGate, alone('flood'), 0);
  t.ok(floodGate.refuses(alone('flood'), 1));
  setQueued(3);
  t.notOk(floodGate.refuses(alone('flood'), 2));
  setQueued(4);
  t.ok(floodGate.refuses(alone('flood'), 3));
});

t.test('a lasting flood has limited jobs per thread, even if the queue has room', async (t) => {
  const { floodGate, setQueued } = makeFloodGate();
  for (let i = 0; i < JOBS; i++) floodGate.enter(alone('flood'));
  let nowMs = 0;
  for (let window = 0; window < LASTING_WINDOWS; window++) {
    setQueued(3);
    t.notOk(floodGate.refuses(alone('flood'), nowMs), 'it may be an artefact of a stall');
    setQueued(4);
    flood(floodGate, alone('flood'), nowMs);
    nowMs += WINDOW_MS + 1;
  }
  setQueued(3);
  t.ok(floodGate.refuses(alone('flood'), nowMs));
  t.notOk(floodGate.refuses(alone('other'), nowMs));
  floodGate.leave(alone('flood'));
  t.notOk(floodGate.refuses(alone('flood'), nowMs), 'a job has ended');
});

t.test('a flood lasts while it is refused, and is forgotten after a window', async (t) => {
  const { floodGate } = makeFloodGate();
  flood(floodGate, alone('flood'), 0);
  for (let nowMs = 1; nowMs < 5 * WINDOW_MS; nowMs++) {
    if (!floodGate.refuses(alone('flood'), nowMs)) t.fail(`admitted at ${nowMs} ms`);
  }
  t.notOk(floodGate.refuses(alone('flood'), TEAM_MS + 7 * WINDOW_MS));
});

t.test('occasional refusals after a flood are not a flood', async (t) => {
  const { floodGate } = makeFloodGate();
  flood(floodGate, alone('flood'), 0);
  t.ok(floodGate.refuses(alone('flood'), WINDOW_MS + 1), 'the window after it');
  t.notOk(floodGate.refuses(alone('flood'), TEAM_MS + 2 * WINDOW_MS), 'one refusal is too few');
});

t.test('of two floods, the one with fewer jobs reaches the fair queue', async (t) => {
  const { floodGate } = makeFloodGate();
  flood(floodGate, alone('large'), 0);
  flood(floodGate, alone('small'), 0);
  for (let i = 0; i < 3; i++) floodGate.enter(alone('large'));
  floodGate.enter(alone('small'));
  t.ok(floodGate.refuses(alone('large'), 1));
  t.notOk(floodGate.refuses(alone('small'), 1), 'the queue would make room');
  floodGate.enter(alone('small'));
  t.ok(floodGate.refuses(alone('small'), 2), 'the queue would not make room for one more');
  floodGate.leave(alone('small'));
  floodGate.leave(alone('small'));
  t.notOk(floodGate.refuses(alone('small'), 3));
});

t.test('of a team with many keys each reaches as much of the queue as the team may', async (t) => {
  const { floodGate } = makeFloodGate();
  flood(floodGate, alone('one'), 0);
  flood(floodGate, keyOf(1), 0);
  for (let i = 0; i < 6; i += 1) floodGate.enter(alone('one'));
  for (let i = 1; i <= 24; i += 1) floodGate.enter(keyOf(i));
  t.ok(floodGate.refuses(keyOf(1), 1), 'one job of its own, 24 of its team');
  t.notOk(floodGate.refuses(alone('one'), 1), 'the queue would make room');
});

t.test('a team whose callers each have few refusals is a flood, too', async (t) => {
  const { floodGate, setQueued } = makeFloodGate();
  for (let i = 0; i < 48; i += 1) floodGate.enter(keyOf(1 + (i % 24)));
  for (let i = 0; i < FLOOD; i += 1) {
    t.notOk(floodGate.refuses(keyOf(1), i * 20), 'too few so far');
    floodGate.refused(keyOf(1 + (i % 24)), i * 20);
  }
  t.ok(floodGate.refuses(keyOf(1), 700), 'the pool would refuse it');
  t.notOk(floodGate.refuses(keyOf(25), 700), 'a key without jobs reaches the queue');
  t.notOk(floodGate.refuses(alone('other'), 700));
  setQueued(3);
  t.notOk(floodGate.refuses(keyOf(1), 700), 'there is room');
  setQueued(4);
  t.notOk(floodGate.refuses(keyOf(1), 3_500), 'it has ended');
});

t.test('an idle pool refuses nobody', async (t) => {
  const { floodGate, setQueued } = makeFloodGate();
  setQueued(0);
  flood(floodGate, alone('flood'), 0);
  t.notOk(floodGate.refuses(alone('flood'), 1));
});

/** Stops the clock of every gate, so that a flood stays within a window on a slow machine. */
function stopClock(t: Test): void {
  for (const name of ['refused', 'refuses'] as const) {
    const original = FloodGate.prototype[name];
    const value = function (this: FloodGate, caller: Caller): unknown {
      return original.call(this, caller, 1);
    };
    t.intercept(FloodGate.prototype, name, { value });
  }
}

t.test('over HTTP: a flood with any bodies is refused, and served again later', async (t) => {
  stopClock(t);
  const service = await startTestService(t, { pool: { queueMax: 1 } });
  await service.publish('bank', 'receipt');
  const headers = {
    'x-api-key': await service.key('bank', ['generate', 'runs', 'templates:read']),
  };
  // The fields of a version, by which a run is judged, are read by a renderer once and then kept.
  const fields = await fetch(`${service.url}/v1/templates/receipt/fields`, { headers });
  t.equal(fields.status, 200);
  const call = (body: object | string): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, body);
  const held = [call(good({ do: 'wait' }))];
  while (service.pool.stats().running < 1) await new Promise((done) => setImmediate(done));
  held.push(call(good({})));
  while (service.pool.stats().queued < 1) await new Promise((done) => setImmediate(done));
  t.equal((await call('broken')).status, 400, 'no flood: malformed bodies outrank a full pool');
  const answers = await Promise.all(Array.from({ length: FLOOD }, () => call(good({}))));
  t.ok(answers.every(({ status }) => status === 503));
  const refusals = await Promise.all(answers.map((answer) => answer.json() as Promise<object>));
  const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
  t.match(
    refusals,
    ids.map((requestId) => ({ code: 'overloaded', requestId })),
  );
  t.equal(new Set(ids).size, FLOOD, 'each refusal has its own id');
  const unread = await call('broken');
  t.equal(unread.status, 503);
  t.match(await unread.json(), { code: 'overloaded' });
  t.equal(unread.headers.get('retry-after'), '2');
  const spec = { templateId: 'receipt', idField: 'customer' };
  t.equal((await post(`${service.url}/v1/runs`, headers, spec)).status, 201, 'runs wait elsewhere');
  service.open();
  await Promise.all(held);
  t.equal((await call(good({}))).status, 200);
  t.equal((await call('broken')).status, 400);
});

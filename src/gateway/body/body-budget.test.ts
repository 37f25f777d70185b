import { hash, randomBytes } from 'node:crypto';
import t from 'tap';
import { BodyBudget } from './body-budget.ts';
import { BodyReader, EAGER_BYTES_MAX } from './body.ts';

const MEGABYTE = 1_048_576;

t.test('a caller holds at most as much as remains free', async (t) => {
  const budget = new BodyBudget(12);
  t.ok(budget.take('a', 6), 'alone: half');
  t.notOk(budget.take('a', 1));
  t.ok(budget.take('b', 3), 'the second: half of the rest');
  t.notOk(budget.take('b', 1));
  t.ok(budget.take('c', 1));
  t.equal(budget.bytes, 10, 'something is left for the next');
  budget.give('a', 6);
  budget.give('b', 3);
  budget.give('c', 1);
  t.equal(budget.bytes, 0);
  t.ok(budget.take('c', 6));
});

function reader(budget: BodyBudget, contentLength: number, caller = 'a'): BodyReader {
  const bounds = {
    contentLength,
    bytesMax: 4 * MEGABYTE,
    drainBytesMax: 16 * MEGABYTE,
    digests: false,
  };
  return new BodyReader(bounds, budget, caller);
}

t.test('a body that is only digested takes no memory', async (t) => {
  const budget = new BodyBudget(1_000);
  const bounds = { contentLength: 5_000, bytesMax: 8_000, drainBytesMax: 16_000, digests: true };
  const body = new BodyReader(bounds, budget, 'a');
  const bytes = Buffer.alloc(5_000, 'x');
  body.take(bytes.subarray(0, 3_000), false);
  t.equal(budget.bytes, 0);
  body.take(bytes.subarray(3_000), true);
  await body.ended;
  t.equal(body.bytes().byteLength, 0);
  t.equal(body.digest(), hash('sha256', bytes, 'hex'));
  t.equal(reader(budget, 10).digest(), '', 'other bodies have none');
});

t.test('a body is charged for the bytes that came, and they are returned in the end', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const body = reader(budget, 2 * MEGABYTE);
  t.equal(budget.bytes, 0, 'nothing came');
  body.take(new Uint8Array(1_000), false);
  t.ok(budget.bytes >= 1_000 && budget.bytes <= 4_096, 'a slow sender holds little');
  body.take(new Uint8Array(2 * MEGABYTE - 1_000), true);
  t.equal(budget.bytes, 2 * MEGABYTE);
  body.demand();
  await body.ended;
  t.ok(body.isComplete);
  t.equal(body.bytes().byteLength, 2 * MEGABYTE);
  body.release();
  body.release();
  t.equal(budget.bytes, 0);
});

t.test('a long body is charged as it comes, and joined in turns', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const piece = Buffer.alloc(64 * 1024, 'x');
  const body = reader(budget, 4 * MEGABYTE);
  body.demand();
  const made = t.capture(Buffer, 'allocUnsafeSlow', Buffer.allocUnsafeSlow.bind(Buffer));
  for (let bytes = piece.length; bytes <= 4 * MEGABYTE; bytes += piece.length) {
    body.take(piece, bytes === 4 * MEGABYTE);
    t.ok(budget.bytes <= 2 * bytes, 'a slow sender is charged for what came');
    const longest = Math.max(0, ...made().map(({ args: [length] }) => length));
    if (bytes < 4 * MEGABYTE)
      t.ok(longest <= MEGABYTE / 2, 'growing would copy megabytes in one turn');
  }
  await body.ended;
  t.equal(Buffer.compare(body.bytes(), Buffer.alloc(4 * MEGABYTE, 'x')), 0);
  body.release();
  t.equal(budget.bytes, 0);
});

t.test('long bodies are written into memory that was used before', async (t) => {
  const budget = new BodyBudget(32 * MEGABYTE);
  const bytes = randomBytes(4 * MEGABYTE);
  const receive = async (length: number): Promise<BodyReader> => {
    const body = reader(budget, length);
    body.demand();
    body.take(bytes.subarray(0, 700_000), false);
    body.take(bytes.subarray(700_000, length), true);
    await body.ended;
    return body;
  };
  const first = await receive(4 * MEGABYTE);
  const made = t.capture(Buffer, 'allocUnsafeSlow', Buffer.allocUnsafeSlow.bind(Buffer));
  const second = await receive(4 * MEGABYTE - 12_345);
  t.equal(made().filter(({ args: [length] }) => length === 256 * 1024).length, 0);
  t.equal(Buffer.compare(first.bytes(), bytes), 0);
  t.equal(Buffer.compare(second.bytes(), bytes.subarray(0, 4 * MEGABYTE - 12_345)), 0);
});

t.test('a long body that nobody wants is not joined', async (t) => {
  const made = t.capture(Buffer, 'allocUnsafeSlow', Buffer.allocUnsafeSlow.bind(Buffer));
  const bytes = Buffer.alloc(4 * MEGABYTE, 'x');
  const longest = (): number => Math.max(0, ...made().map(({ args: [length] }) => length));
  const refused = reader(new BodyBudget(16 * MEGABYTE), bytes.length);
  refused.take(bytes, true);
  refused.discard();
  await refused.ended;
  t.ok(longest() < MEGABYTE);
  const wanted = reader(new BodyBudget(16 * MEGABYTE), bytes.length);
  wanted.take(bytes, true);
  wanted.demand();
  wanted.demand();
  await wanted.ended;
  t.equal(Buffer.compare(wanted.bytes(), bytes), 0);
  t.equal(longest(), bytes.length);
});

t.test('a body that is dropped while it is joined is no body', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const body = reader(budget, 4 * MEGABYTE);
  body.demand();
  body.take(Buffer.alloc(4 * MEGABYTE, 'x'), true);
  body.abandon();
  await body.ended;
  t.equal(body.bytes().byteLength, 0);
  t.equal(budget.bytes, 0);
});

t.test('a body beyond the share of its caller is dropped', async (t) => {
  const budget = new BodyBudget(4 * MEGABYTE);
  const first = reader(budget, 2 * MEGABYTE);
  first.take(new Uint8Array(2 * MEGABYTE), true);
  const second = reader(budget, 1 * MEGABYTE);
  second.take(new Uint8Array(1_000), false);
  await second.ended;
  t.ok(second.overBudget);
  t.equal(budget.bytes, 2 * MEGABYTE);
  second.take(new Uint8Array(1 * MEGABYTE - 1_000), true);
  await second.drained();
  t.equal(second.bytes().byteLength, 0);
  const other = reader(budget, 1 * MEGABYTE, 'b');
  other.take(new Uint8Array(1 * MEGABYTE), true);
  t.notOk(other.overBudget, 'another caller has a share');
  first.release();
  other.release();
  t.equal(budget.bytes, 0);
});

t.test('a body is charged to its caller as soon as that is known', async (t) => {
  const budget = new BodyBudget(8 * MEGABYTE);
  const known = reader(budget, MEGABYTE, '');
  known.take(new Uint8Array(MEGABYTE), true);
  known.chargeTo('a');
  const unknown = reader(budget, 3 * MEGABYTE, '');
  unknown.take(new Uint8Array(3 * MEGABYTE), true);
  t.notOk(unknown.overBudget, 'the first one no longer counts for unknown callers');
  known.abandon();
  unknown.abandon();
  t.equal(budget.bytes, 0);
});

/** Pieces of a body that come while nothing pauses them. */
function* flowing(body: BodyReader, piece: Uint8Array, total: number): Generator<number> {
  const flow = { isPaused: false };
  body.comesFrom({
    pause: () => {
      flow.isPaused = true;
    },
    resume: () => {
      flow.isPaused = false;
    },
  });
  for (let sent = 0; sent < total; sent += piece.length) {
    while (flow.isPaused) yield sent;
    body.take(piece, sent + piece.length === total);
  }
}

t.test('beyond its beginning, a body is read when somebody wants all of it', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const piece = Buffer.alloc(64 * 1024, 'x');
  const body = reader(budget, 4 * MEGABYTE);
  const pieces = flowing(body, piece, 4 * MEGABYTE);
  t.equal(pieces.next().value, EAGER_BYTES_MAX);
  t.equal(pieces.next().value, EAGER_BYTES_MAX, 'nobody has asked yet');
  t.equal((await body.start(1_000)).byteLength, 1_000);
  t.ok(budget.bytes <= 2 * EAGER_BYTES_MAX);
  body.demand();
  t.ok(pieces.next().done);
  await body.ended;
  t.equal(body.bytes().byteLength, 4 * MEGABYTE);
  body.release();
});

t.test('a body that is refused is read to its end and not kept', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const body = reader(budget, 4 * MEGABYTE);
  const pieces = flowing(body, Buffer.alloc(64 * 1024, 'x'), 4 * MEGABYTE);
  t.equal(pieces.next().value, EAGER_BYTES_MAX);
  body.discard();
  t.equal(budget.bytes, 0);
  t.ok(pieces.next().done);
  await body.drained();
  t.equal(budget.bytes, 0);
});

t.test('a long body gets a buffer of its own length at its end', async (t) => {
  const body = reader(new BodyBudget(16 * MEGABYTE), 4 * MEGABYTE);
  const piece = Buffer.alloc(MEGABYTE / 2, 'x');
  body.take(piece, false);
  t.ok(body.bytes().buffer.byteLength <= MEGABYTE, 'a header without end is refused by so much');
  body.demand();
  for (let count = 2; count <= 8; count += 1) body.take(piece, count === 8);
  await body.ended;
  t.equal(Buffer.compare(body.bytes(), Buffer.alloc(4 * MEGABYTE, 'x')), 0);
  t.equal(body.bytes().buffer.byteLength, 4 * MEGABYTE, 'nothing else shares it');
});

t.test('the memory of a refused body is free at once, unless a route has it', async (t) => {
  const budget = new BodyBudget(16 * MEGABYTE);
  const refused = reader(budget, 100_000);
  refused.take(new Uint8Array(100_000), true);
  const start = await refused.start(1_000);
  t.equal(start.byteLength, 1_000);
  refused.discard();
  t.equal(start.byteLength, 0);
  const handedOut = reader(budget, 100_000);
  handedOut.take(new Uint8Array(100_000), true);
  const bytes = handedOut.bytes();
  handedOut.discard();
  t.equal(bytes.byteLength, 100_000, 'work that goes on behind a time limit may still read it');
  t.equal(budget.bytes, 0);
});

t.test('a body of a few pieces gets its memory once', async (t) => {
  const made = t.capture(Buffer, 'allocUnsafeSlow', Buffer.allocUnsafeSlow.bind(Buffer));
  const body = reader(new BodyBudget(16 * MEGABYTE), 135_000);
  body.demand();
  const bytes = Buffer.alloc(135_000, 'xy');
  for (let at = 0; at < bytes.length; at += 50_000) {
    body.take(bytes.subarray(at, at + 50_000), at + 50_000 >= bytes.length);
  }
  t.equal(made().length, 1);
  t.equal(Buffer.compare(body.bytes(), bytes), 0);
});

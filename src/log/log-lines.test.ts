import t, { type Test } from 'tap';
import { LogLines } from './log-lines.ts';

type Done = (error: NodeJS.ErrnoException | null, written: number) => void;

/** A file descriptor whose writes the test completes. */
function descriptor(): { lines: LogLines; calls: { text: string; done: Done }[] } {
  const calls: { text: string; done: Done }[] = [];
  const lines = new LogLines((bytes, done) => {
    calls.push({ text: Buffer.from(bytes).toString(), done });
  });
  return { lines, calls };
}

/** Completes all writes from now on; returns their text. */
function readAll(calls: { text: string; done: Done }[]): string {
  let text = '';
  for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
    text += call.text;
    call.done(null, Buffer.byteLength(call.text));
  }
  return text;
}

function fault(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

t.test('one write at a time; lines that come meanwhile share the next', async (t) => {
  const { lines, calls } = descriptor();
  for (const line of ['a\n', 'b\n', 'ü\n']) lines.write(line);
  t.strictSame(
    calls.map(({ text }) => text),
    ['a\n'],
  );
  calls.shift()?.done(null, 2);
  t.equal(calls[0]?.text, 'b\nü\n');
  calls.shift()?.done(null, 3);
  t.equal(calls[0]?.text.length, 2, 'what was not taken is written again, to the byte');
  t.equal(lines.dropped, 0);
});

/** Writes until lines are dropped; returns how many were. */
function overfill(t: Test, lines: LogLines): number {
  const line = `${'x'.repeat(999)}\n`;
  for (let count = 0; count < 1_200; count += 1) lines.write(line);
  t.ok(lines.dropped > 100 && lines.dropped < 300, `${lines.dropped} dropped: memory is bounded`);
  return lines.dropped;
}

t.test('lines are dropped while the reader stalls, counted and reported', async (t) => {
  const { lines, calls } = descriptor();
  const dropped = overfill(t, lines);
  const text = readAll(calls);
  t.equal(text.match(/^x{999}$/gm)?.length, 1_200 - dropped);
  const notes = text.split('\n').filter((line) => line.startsWith('{'));
  t.equal(notes.length, 1);
  t.match(JSON.parse(notes[0] ?? ''), { msg: 'log lines dropped', count: dropped, level: 'warn' });
  lines.write('next\n');
  t.equal(readAll(calls), 'next\n', 'told once');
});

t.test('a full pipe is tried again', async (t) => {
  const { lines, calls } = descriptor();
  lines.write('a\n');
  calls.shift()?.done(fault('EAGAIN'), 0);
  const flushed = lines.flush(10_000);
  while (calls.length === 0) await new Promise((turn) => setTimeout(turn, 5));
  t.equal(readAll(calls), 'a\n');
  await flushed;
});

t.test('lines are dropped while the disk is full or after the reader has ended', async (t) => {
  const { lines, calls } = descriptor();
  lines.write('lost\n');
  calls.shift()?.done(fault('EPIPE'), 0);
  t.equal(lines.dropped, 1);
  t.ok(lines.isDropping);
  lines.write('kept\n');
  t.match(readAll(calls), /^kept\n\{.*"count":1\}\n$/);
  t.notOk(lines.isDropping);
});

t.test('flush ends with the last line or its timeout', async (t) => {
  const { lines, calls } = descriptor();
  await lines.flush(10_000);
  lines.write('a\n');
  await lines.flush(1);
  const flushed = lines.flush(10_000);
  readAll(calls);
  await flushed;
  t.pass('it did not wait for its time');
});

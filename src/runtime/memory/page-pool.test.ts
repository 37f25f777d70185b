import { mock } from 'node:test';
import t from 'tap';
import { isPageMemory, pageMemory } from './page-memory.ts';
import { PagePool } from './page-pool.ts';

const MEGABYTE = 1024 * 1024;

t.test('page memory begins on a page, as do its pages', async (t) => {
  const memory = pageMemory(MEGABYTE);
  t.equal(memory.byteLength, MEGABYTE);
  t.ok(isPageMemory(memory));
  t.ok(isPageMemory(memory.subarray(8_192, 9_000)));
  t.notOk(isPageMemory(memory.subarray(16)));
  t.notOk(isPageMemory(new Uint8Array(new SharedArrayBuffer(MEGABYTE))));
  t.ok(pageMemory(1).byteLength >= 1);
});

t.test('memory is used again once it is given back, and not before', async (t) => {
  const pool = new PagePool(MEGABYTE);
  const first = pool.take();
  const second = pool.take();
  t.not(first.buffer, second.buffer);
  pool.giveBack(first);
  t.equal(pool.take().buffer, first.buffer);
  t.not(pool.take().buffer, first.buffer);
});

t.test('memory that nobody uses for a while is released', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const pool = new PagePool(MEGABYTE);
  const memory = pool.take();
  pool.giveBack(memory);
  mock.timers.tick(6_000);
  t.not(pool.take().buffer, memory.buffer);
});

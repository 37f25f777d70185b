import t from 'tap';
import { releaseBuffer } from './release-buffer.ts';

t.test('bytes that fill their buffer are freed', async (t) => {
  const bytes = new Uint8Array(100_000);
  const before = process.memoryUsage().arrayBuffers;
  releaseBuffer(bytes);
  t.equal(bytes.byteLength, 0);
  t.ok(process.memoryUsage().arrayBuffers <= before - 100_000);
  releaseBuffer(bytes);
  const empty = new Uint8Array(0);
  releaseBuffer(empty);
  t.notOk((empty.buffer as ArrayBuffer & { detached?: boolean }).detached, 'nothing to free');
});

t.test('bytes that share their buffer are not freed', async (t) => {
  const both = new Uint8Array(10).fill(1);
  const half = both.subarray(5);
  releaseBuffer(half);
  t.equal(half[0], 1);
  const pooled = Buffer.from('short texts share a pool');
  releaseBuffer(pooled);
  t.equal(pooled.toString(), 'short texts share a pool');
  const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(2);
  releaseBuffer(shared);
  t.equal(shared[7], 2);
});

import t from 'tap';
import { BatchSize } from './batch-size.ts';

t.test('batches grow while they are short, and shrink when one takes long', (t) => {
  const batch = new BatchSize();
  const sizes = [10, 10, 10, 10, 1_000, 2_000, 2_000, 2_000, 2_000, 10].map((tookMs) => {
    const { documents } = batch;
    batch.adapt(tookMs);
    return documents;
  });
  t.strictSame(sizes, [50, 100, 200, 400, 400, 400, 200, 100, 50, 50]);
  t.end();
});

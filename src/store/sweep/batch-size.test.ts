import t from 'tap';
import { BatchSize } from './batch-size.ts';

t.test('batches grow while they are short, and shrink when one takes long', (t) => {
  const batch = new BatchSize();
  const sizes = [10, 10, 10, 100, 300, 300, 300, 10].map((tookMs) => {
    const { documents } = batch;
    batch.adapt(tookMs);
    return documents;
  });
  t.strictSame(sizes, [50, 100, 200, 200, 200, 100, 50, 50]);
  t.end();
});

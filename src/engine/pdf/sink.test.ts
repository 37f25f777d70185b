import t from 'tap';
import { ByteSink } from './sink.ts';

const HUNDREDTHS = 250_000;

function written(value: number): string {
  const sink = new ByteSink(16);
  sink.hundredths(value);
  return Buffer.from(sink.view()).toString('latin1');
}

/** The shortest decimal, by way of strings. */
function shortest(value: number): string {
  const text = (value / 100).toFixed(2).replace(/\.?0+$/, '');
  return text.replace(/^(-?)0\./, '$1.');
}

t.test('each number of hundredths is the shortest decimal', async (t) => {
  const wrong: string[] = [];
  for (let value = -HUNDREDTHS; value <= HUNDREDTHS; value++) {
    const text = written(value);
    if (text !== shortest(value)) wrong.push(`${value}: ${text}`);
  }
  t.strictSame(wrong.slice(0, 5), []);
  t.equal(written(2 ** 31 - 1), '21474836.47');
  t.equal(written(1 - 2 ** 31), '-21474836.47');
  t.equal(written(100_000), '1000');
});

t.test('numbers follow each other, also where the bytes have to grow', async (t) => {
  const sink = new ByteSink(1);
  for (const value of [1_250, 5, -50, 99_999, 100_005, 0]) {
    sink.hundredths(value);
    sink.byte(0x20);
  }
  t.equal(Buffer.from(sink.view()).toString('latin1'), '12.5 .05 -.5 999.99 1000.05 0 ');
});

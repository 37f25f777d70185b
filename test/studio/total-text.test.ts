import t from 'tap';
import { plainTotal } from '../../studio/src/runs/total-text.ts';

t.test('a control total may have separators of thousands', async (t) => {
  for (const [typed, total] of [
    ['20,050.00', '20050.00'],
    [' 1,000 ', '1000'],
    ['-12.5', '-12.5'],
    ['1,2', '1,2'],
    ['many', 'many'],
    ['', ''],
  ] as const) {
    t.equal(plainTotal(typed), total, typed);
  }
});

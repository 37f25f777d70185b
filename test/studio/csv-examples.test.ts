import t from 'tap';
import { DECIMALS, readCell } from '../../src/runtime/csv/csv-format.ts';
import { amountNaming } from '../../studio/src/runs/examples.ts';

t.test('each notation of amounts has an example that names it alone', async (t) => {
  const notations = [{}, ...DECIMALS.map((decimal) => ({ decimal }))];
  const examples = notations.map(amountNaming);
  t.strictSame(examples, ['1250.50', '1,250.50', '1.250,50']);
  for (const [index, notation] of notations.entries()) {
    t.equal(readCell(examples[index] ?? '', 'number', notation), '1250.50');
  }
});

import fc from 'fast-check';
import t from 'tap';
import { isAmount } from './amount.ts';

const AMOUNT = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^-?\d+(?:\.\d+)?$/u;

t.test('an amount is what the pattern says, with blanks around it', async () => {
  const cells = fc.string({
    unit: fc.constantFrom('0', '1', '23', '-', ',', '.', ' ', '\u00a0', '๑', '+'),
    maxLength: 12,
  });
  const grouped = fc.stringMatching(/^ ?-?\d{0,4}(,\d{2,4}){0,3}(\.\d{0,3})?-? ?$/);
  fc.assert(
    fc.property(fc.oneof(cells, grouped), (cell) => isAmount(cell) === AMOUNT.test(cell.trim())),
    { numRuns: 3_000 },
  );
});

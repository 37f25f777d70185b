import fc from 'fast-check';
import t from 'tap';
import { guardCell, unguardCell } from './correction.ts';

const cell = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '1', '.', '\t', '＝', 'ก', ' '), {
  maxLength: 6,
});

t.test('every cell comes back as it was, and none can be a formula', async (t) => {
  fc.assert(
    fc.property(cell, (characters) => {
      const text = characters.join('');
      const guarded = guardCell(text);
      const isSafe = !/^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(guarded);
      return unguardCell(guarded) === text && (isSafe || /^-\d+(?:\.\d+)?$/.test(text));
    }),
    { numRuns: 2_000 },
  );
  t.equal(guardCell('=1+1'), "'=1+1");
  t.equal(guardCell('+66812345678'), "'+66812345678");
  t.equal(guardCell('-5.00'), '-5.00', 'a negative amount stays a number');
  t.equal(unguardCell("'บาท"), "'บาท");
});

import fc from 'fast-check';
import t from 'tap';
import { clip, isUuid, uuidv7 } from './ids.ts';

await t.test('ids have the order of their times, and differ within a millisecond', async (t) => {
  const ids = Array.from({ length: 4_000 }, (_, index) => uuidv7(1_800_000_000_000 + (index >> 9)));
  t.strictSame(ids.toSorted(), ids);
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every((id) => isUuid(id) && /^.{14}7.{4}[89ab]/.test(id)));
});

await t.test('an id contains its time', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 48 - 1 }),
      (atMs) => parseInt(uuidv7(atMs).replace('-', '').slice(0, 12), 16) === atMs,
    ),
  );
});

await t.test('clipping never splits a surrogate pair', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
      const clipped = clip(text, max);
      return clipped.length <= max && clipped.isWellFormed();
    }),
  );
});

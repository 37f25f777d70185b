import t from 'tap';
import { copyBytes } from './copy-bytes.ts';

const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 7) % 256);

t.test('bytes are copied between memories of each kind, to their place only', async (t) => {
  const kinds = [
    () => new Uint8Array(new SharedArrayBuffer(1_000)),
    () => new Uint8Array(1_000),
    () => new Uint8Array(new SharedArrayBuffer(1_100)).subarray(100),
  ];
  for (const make of kinds) {
    const to = make().fill(1);
    copyBytes(bytes, to, 650);
    const expected = new Uint8Array(1_000).fill(1);
    expected.set(bytes, 650);
    t.same(Uint8Array.from(to), expected);
    const back = new Uint8Array(302);
    copyBytes(to.subarray(650, 950), back, 1);
    t.same(back, Uint8Array.of(0, ...bytes, 0));
  }
});

t.test('no bytes change nothing; too many are refused', async (t) => {
  const to = new Uint8Array(new SharedArrayBuffer(300));
  copyBytes(new Uint8Array(0), to, 300);
  t.same(Uint8Array.from(to), new Uint8Array(300));
  t.throws(() => copyBytes(bytes, to, 1), RangeError);
  t.same(Uint8Array.from(to), new Uint8Array(300));
});

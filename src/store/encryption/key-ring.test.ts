import { createDecipheriv, hkdfSync } from 'node:crypto';
import t from 'tap';
import { keyIdOf, KeyRing } from './key-ring.ts';

const OLD = Buffer.alloc(32, 'old ');
const NEW = Buffer.alloc(32, 'new ');

function ringOf(...keys: readonly Uint8Array[]): KeyRing {
  return new KeyRing({ keys: () => keys });
}

t.test('without keys nothing is encrypted', async (t) => {
  t.equal(ringOf().newFileKey(), null);
  t.strictSame(ringOf().ids, []);
});

t.test('each file has a different key, wrapped by the first key', async (t) => {
  const ring = ringOf(NEW, OLD);
  const [one, other] = [ring.newFileKey(), ring.newFileKey()];
  if (one === null || other === null) throw new Error('no keys');
  t.notSame(one.key, other.key);
  t.equal(one.keyId, ring.ids[0]);
  t.equal(keyIdOf(one.wrapped), ring.ids[0]);
  t.strictSame(await ring.unwrap(one.wrapped), one.key);
  t.equal(await ringOf(OLD).unwrap(one.wrapped), null, 'another key does not open it');
});

t.test('a wrap is RFC 3394 under a key derived by HKDF', async (t) => {
  const file = ringOf(OLD).newFileKey();
  if (file === null) throw new Error('no key');
  const wrapping = Buffer.from(hkdfSync('sha256', OLD, '', 'intaglio key wrap', 32));
  const iv = Buffer.from('a6'.repeat(8), 'hex');
  const decipher = createDecipheriv('id-aes256-wrap', wrapping, iv);
  t.strictSame(decipher.update(file.wrapped.subarray(9)), file.key);
});

t.test('a wrapped key with any bit changed is refused', async (t) => {
  const ring = ringOf(NEW);
  const file = ring.newFileKey();
  if (file === null) throw new Error('no key');
  for (let bit = 0; bit < file.wrapped.byteLength * 8; bit += 1) {
    const changed = new Uint8Array(file.wrapped);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if ((await ring.unwrap(changed)) !== null) t.fail(`the change of bit ${bit} is not detected`);
  }
  t.equal(await ring.unwrap(file.wrapped.subarray(0, 48)), null, 'cut');
});

t.test('rewrapping from the old key to the new does not change the file key', async (t) => {
  const file = ringOf(OLD).newFileKey();
  if (file === null) throw new Error('no key');
  const both = ringOf(NEW, OLD);
  const wrapped = both.rewrap(file.wrapped);
  if (wrapped === null) throw new Error('not wrapped');
  t.strictSame(await ringOf(NEW).unwrap(wrapped), file.key);
  t.equal(both.rewrap(wrapped), null, 'it is wrapped by the first key already');
  t.equal(ringOf(NEW).rewrap(file.wrapped), null, 'the old key is needed');
});

t.test('for an unknown key the source is read again', async (t) => {
  const file = ringOf(NEW).newFileKey();
  if (file === null) throw new Error('no key');
  let keys: readonly Uint8Array[] = [OLD];
  const ring = new KeyRing({
    keys: () => keys,
    readAgain: () => {
      keys = [NEW, OLD];
      return Promise.resolve();
    },
  });
  t.strictSame(await ring.unwrap(file.wrapped), file.key);
  t.equal(ring.ids.length, 2);
});

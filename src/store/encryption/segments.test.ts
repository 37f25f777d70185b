import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { FileDamaged } from '../files/faults.ts';
import type { StoredFile } from '../terms.ts';
import { EncryptedFile } from './encrypted-file.ts';
import {
  decryptedBytes,
  encryptedBytes,
  encryptFile,
  SEGMENT_BYTES,
  type SegmentKey,
  segmentOffset,
} from './segments.ts';

const FILE_ID = '0199d0a0-0000-7000-8000-000000000001';
const OTHER_ID = '0199d0a0-0000-7000-8000-000000000002';

function keyOf(seed: number, fileId = FILE_ID): SegmentKey {
  return { key: createHash('sha256').update(`key ${seed}`).digest(), fileId };
}

/** Bytes that differ between any two segments. */
function plain(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(bytes).map((_, index) => (index * 31 + (index >> 8)) & 255));
}

async function encrypted(bytes: number, key: SegmentKey): Promise<Buffer> {
  return Buffer.from(await encryptFile(key, [plain(bytes)]));
}

/** An in-memory file with the interface of the file stores. */
function fileOf(stored: Uint8Array): StoredFile {
  return {
    bytes: stored.byteLength,
    read: (position, length) => Promise.resolve(stored.slice(position, position + length)),
    close: () => Promise.resolve(),
  };
}

function segment(of: Buffer, index: number): Buffer {
  return of.subarray(segmentOffset(index), segmentOffset(index + 1));
}

/** Decrypts the whole file; null: a change was detected. */
async function decrypted(stored: Uint8Array, key: SegmentKey): Promise<Uint8Array | null> {
  try {
    const file = new EncryptedFile(fileOf(stored), key);
    return await file.read(0, file.bytes);
  } catch (error) {
    if (error instanceof FileDamaged) return null;
    throw error;
  }
}

/** Sizes near the ends of segments. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -20, max: 20 }))
    .map(([segments, more]) => segments * SEGMENT_BYTES + more),
);

t.test('decryption returns what was encrypted, however it was cut into pieces', async (t) => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(fc.nat(100_000), { maxLength: 6 }), async (bytes, cuts) => {
      const whole = plain(bytes);
      const ends = [...cuts.map((cut) => cut % (bytes + 1)), bytes].toSorted((a, b) => a - b);
      const pieces = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
      const stored = await encryptFile(keyOf(1), pieces);
      if (stored.byteLength !== encryptedBytes(bytes)) throw new Error('another size');
      if (decryptedBytes(stored.byteLength) !== bytes) throw new Error('another size back');
      const back = await decrypted(stored, keyOf(1));
      return back !== null && Buffer.from(back).equals(whole);
    }),
    { numRuns: 60 },
  );
  t.pass('for sizes near the ends of segments');
});

t.test('memory that is used again holds the same bytes as a buffer', async (t) => {
  const memory = new Uint8Array(new SharedArrayBuffer(4 * (SEGMENT_BYTES + 16)));
  for (const bytes of [4 * SEGMENT_BYTES, SEGMENT_BYTES + 5, 0]) {
    const stored = await encryptFile(keyOf(1), [plain(bytes)], memory);
    t.equal(stored.buffer, memory.buffer);
    t.ok(Buffer.from(stored).equals(await encrypted(bytes, keyOf(1))), `${bytes} bytes`);
  }
  const tooLong = await encryptFile(keyOf(1), [plain(4 * SEGMENT_BYTES + 1)], memory);
  t.not(tooLong.buffer, memory.buffer);
  t.ok(Buffer.from(tooLong).equals(await encrypted(4 * SEGMENT_BYTES + 1, keyOf(1))));
});

t.test('any part can be read, in any order', async (t) => {
  const bytes = 3 * SEGMENT_BYTES + 77;
  const whole = plain(bytes);
  const file = new EncryptedFile(fileOf(await encrypted(bytes, keyOf(1))), keyOf(1));
  const near = fc
    .integer({ min: 0, max: 4 })
    .chain((segment) =>
      fc.integer({ min: -3, max: 3 }).map((more) => Math.max(0, segment * SEGMENT_BYTES + more)),
    );
  await fc.assert(
    fc.asyncProperty(near, fc.oneof(near, fc.nat(100)), async (position, length) => {
      const part = await file.read(position, length);
      return Buffer.from(part).equals(whole.subarray(position, position + length));
    }),
    { numRuns: 200 },
  );
  t.pass('equal to the same part of the plain file');
});

t.test('every flipped bit is detected', async (t) => {
  const short = await encrypted(40, keyOf(1));
  for (let bit = 0; bit < short.byteLength * 8; bit += 1) {
    const changed = Buffer.from(short);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if ((await decrypted(changed, keyOf(1))) !== null)
      t.fail(`the change of bit ${bit} is not detected`);
  }
  const long = await encrypted(SEGMENT_BYTES + 100, keyOf(1));
  await fc.assert(
    fc.asyncProperty(fc.nat(long.byteLength * 8 - 1), async (bit) => {
      const changed = Buffer.from(long);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return (await decrypted(changed, keyOf(1))) === null;
    }),
    { numRuns: 100 },
  );
  t.pass('each bit of a short file, some of a long one');
});

t.test('every cut and every additional byte is detected', async (t) => {
  const short = await encrypted(40, keyOf(1));
  for (let length = 0; length < short.byteLength; length += 1) {
    t.equal(await decrypted(short.subarray(0, length), keyOf(1)), null);
  }
  const long = await encrypted(2 * SEGMENT_BYTES + 5, keyOf(1));
  for (const length of [segmentOffset(1), segmentOffset(2), segmentOffset(1) - 1, 16, 17]) {
    t.equal(await decrypted(long.subarray(0, length), keyOf(1)), null, `cut at ${length}`);
    t.equal(await decrypted(long.subarray(length), keyOf(1)), null, `cut before ${length}`);
  }
  const more = Buffer.concat([long, randomBytes(16)]);
  t.equal(await decrypted(more, keyOf(1)), null);
});

t.test('segments that were swapped, repeated or taken from elsewhere are detected', async (t) => {
  const bytes = 3 * SEGMENT_BYTES;
  const long = await encrypted(bytes, keyOf(1));
  const others = {
    'another key': await encrypted(bytes, keyOf(2)),
    'another file': await encrypted(bytes, keyOf(1, OTHER_ID)),
    'a longer file': await encrypted(bytes + 1, keyOf(1)),
  };
  const [a, b, c] = [segment(long, 0), segment(long, 1), segment(long, 2)];
  const wrong: Record<string, readonly Buffer[]> = {
    swapped: [b, a, c],
    'swapped with the last': [a, c, b],
    repeated: [a, a, c],
    'left out': [a, c],
    'the last twice': [a, b, c, c],
  };
  for (const [name, other] of Object.entries(others)) {
    wrong[`last of ${name}`] = [a, b, segment(other, 2)];
  }
  for (const name of ['another key', 'another file'] as const) {
    wrong[`first of ${name}`] = [segment(others[name], 0), b, c];
  }
  for (const [name, segments] of Object.entries(wrong)) {
    t.equal(await decrypted(Buffer.concat(segments), keyOf(1)), null, name);
  }
  t.not(await decrypted(Buffer.concat([a, b, c]), keyOf(1)), null, 'the correct segments decrypt');
  t.equal(await decrypted(long, keyOf(2)), null, 'another key');
  t.equal(await decrypted(long, keyOf(1, OTHER_ID)), null, 'the id of another file');
});

t.test('an intact part can be read although another is damaged', async (t) => {
  const bytes = 2 * SEGMENT_BYTES;
  const stored = await encrypted(bytes, keyOf(1));
  stored[0] = (stored[0] ?? 0) ^ 1;
  const file = new EncryptedFile(fileOf(stored), keyOf(1));
  const part = await file.read(SEGMENT_BYTES, 10);
  t.strictSame(
    Buffer.from(part),
    Buffer.from(plain(bytes).subarray(SEGMENT_BYTES).subarray(0, 10)),
  );
  await t.rejects(file.read(0, 10), FileDamaged);
});

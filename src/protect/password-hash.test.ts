import { createCipheriv, createHash } from 'node:crypto';
import t from 'tap';
import { seededRandom } from '../../lab/random.ts';
import { OpenSsl } from './openssl.ts';
import { HASH_BYTES, HASH_MEMORY_BYTES, type Hashed, hashPassword } from './password-hash.ts';

const DIGESTS = ['sha256', 'sha384', 'sha512'] as const;

/** Algorithm 2.B, step by step as ISO 32000-2 describes it. Also returns the number of rounds. */
function asTheStandardSays({ password, salt, userKey }: Hashed): [key: Buffer, rounds: number] {
  let key = createHash('sha256').update(password).update(salt).update(userKey).digest();
  for (let round = 0; ; round++) {
    const once = Buffer.concat([password, key, userKey]);
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    const cipherText = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => once)));
    const remainder = BigInt(`0x${cipherText.toString('hex', 0, 16)}`) % 3n;
    key = createHash(DIGESTS[Number(remainder)] ?? 'md5')
      .update(cipherText)
      .digest();
    // Rounds 0 to 63 always take place.
    if (round >= 63 && (cipherText.at(-1) ?? 0) <= round + 1 - 32) {
      return [key.subarray(0, HASH_BYTES), round + 1];
    }
  }
}

t.test('200 passwords of each kind are hashed as the standard says', (t) => {
  const random = seededRandom(45);
  const bytes = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => random.below(256)));
  const openSsl = new OpenSsl(HASH_MEMORY_BYTES + HASH_BYTES);
  const hashOf = (hashed: Hashed): Buffer => {
    hashPassword(openSsl, hashed, HASH_MEMORY_BYTES);
    return Buffer.from(openSsl.memory.subarray(HASH_MEMORY_BYTES));
  };
  const rounds = new Set<number>();
  const lengths = [0, 1, 15, 16, 17, 126, 127];
  for (let index = 0; index < 200; index++) {
    const length = lengths[index] ?? random.below(128);
    for (const userKey of [bytes(0), bytes(48)]) {
      const hashed = { password: bytes(length), salt: bytes(8), userKey };
      const [expected, count] = asTheStandardSays(hashed);
      rounds.add(count);
      if (!hashOf(hashed).equals(expected)) t.fail(JSON.stringify(hashed));
    }
  }
  t.ok(rounds.has(64), 'some passwords take only 64 rounds');
  t.ok(rounds.size > 5, `${rounds.size} different numbers of rounds`);
  t.end();
});

t.test('wiping clears the memory', (t) => {
  const openSsl = new OpenSsl(HASH_MEMORY_BYTES + HASH_BYTES);
  const password = Buffer.from('pw-canary-2212');
  const hashed = { password, salt: Buffer.alloc(8, 1), userKey: Buffer.alloc(48, 2) };
  hashPassword(openSsl, hashed, HASH_MEMORY_BYTES);
  t.ok(Buffer.from(openSsl.memory).includes(password), 'before');
  openSsl.wipe();
  t.ok(
    openSsl.memory.every((byte) => byte === 0),
    'afterwards',
  );
  t.end();
});

import type { Digest, Offset, OpenSsl } from './openssl.ts';

const PASSWORD_BYTES_MAX = 127;
const USER_KEY_BYTES_MAX = 48;
const DIGEST_BYTES: Readonly<Record<Digest, number>> = { sha256: 32, sha384: 48, sha512: 64 };
/** Indexed by the first 16 bytes of the ciphertext, read as a number, modulo 3. */
const DIGESTS = ['sha256', 'sha384', 'sha512'] as const;
const REPEATS = 64;
const ROUNDS_MIN = 64;
/**
 * After 64 rounds, hashing ends when the last byte of the ciphertext is at most the number of
 * rounds minus this.
 */
const ROUNDS_SLACK = 32;

/*
 * Memory layout of a round:
 *
 *   INPUT       64 × (password, digest of the previous round, user key)
 *   CIPHERTEXT  INPUT, encrypted
 *   DIGEST      digest of CIPHERTEXT: key and initialization vector of the next round
 */
const INPUT: Offset = 0;
const INPUT_BYTES_MAX = REPEATS * (PASSWORD_BYTES_MAX + DIGEST_BYTES.sha512 + USER_KEY_BYTES_MAX);
const CIPHERTEXT: Offset = INPUT + INPUT_BYTES_MAX;
const DIGEST: Offset = CIPHERTEXT + INPUT_BYTES_MAX;

/** Length of the working memory of `hashPassword`, which starts at offset 0. */
export const HASH_MEMORY_BYTES = DIGEST + DIGEST_BYTES.sha512;
export const HASH_BYTES = 32;

/**
 * Input of the hash. `userKey` is the value of /U for an owner password, and empty for a user
 * password.
 */
export interface Hashed {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly userKey: Uint8Array;
}

/**
 * Hashes a password for encryption of revision 6 (ISO 32000-2 §7.6.4.3.4, algorithm 2.B) and writes
 * 32 bytes at `to`. It takes 64 or more rounds, rarely over 80, of AES-128 and SHA-2 over 2 to 15
 * KB. The password stays in `openSsl.memory` until the caller wipes it.
 */
export function hashPassword(openSsl: OpenSsl, hashed: Hashed, to: Offset): void {
  const { memory } = openSsl;
  let at = INPUT;
  for (const part of [hashed.password, hashed.salt, hashed.userKey]) {
    memory.set(part, at);
    at += part.byteLength;
  }
  let digest: Digest = 'sha256';
  openSsl.digest(digest, INPUT, at - INPUT, DIGEST);
  for (let round = 1, last = 255; round <= ROUNDS_MIN || last > round - 1 - ROUNDS_SLACK; round++) {
    const length = fillInput(memory, hashed, DIGEST_BYTES[digest]);
    openSsl.encrypt(DIGEST, INPUT, length, CIPHERTEXT);
    digest = digestAfter(memory);
    openSsl.digest(digest, CIPHERTEXT, length, DIGEST);
    last = memory[CIPHERTEXT + length - 1] ?? 0;
  }
  memory.copyWithin(to, DIGEST, DIGEST + HASH_BYTES);
}

/** Writes the input of a round; returns its length, a multiple of 64. */
function fillInput(memory: Uint8Array, { password, userKey }: Hashed, digestBytes: number): number {
  const digestAt = INPUT + password.byteLength;
  memory.set(password, INPUT);
  memory.copyWithin(digestAt, DIGEST, DIGEST + digestBytes);
  memory.set(userKey, digestAt + digestBytes);
  const once = password.byteLength + digestBytes + userKey.byteLength;
  for (let times = 1; times < REPEATS; times *= 2) {
    memory.copyWithin(INPUT + times * once, INPUT, INPUT + times * once);
  }
  return REPEATS * once;
}

/** Because 256 modulo 3 is 1, the sum of the bytes has the same remainder as the number. */
function digestAfter(memory: Uint8Array): Digest {
  let sum = 0;
  for (let i = 0; i < 16; i++) sum += memory[CIPHERTEXT + i] ?? 0;
  return DIGESTS[sum % 3] ?? 'sha256';
}

import type { Digest, Offset, OpenSsl } from './openssl.ts';

const PASSWORD_BYTES_MAX = 127;
const USER_KEY_BYTES_MAX = 48;
const DIGEST_BYTES: Readonly<Record<Digest, number>> = { sha256: 32, sha384: 48, sha512: 64 };
/** By the remainder of the first 16 bytes of ciphertext, as a number, divided by 3. */
const DIGESTS = ['sha256', 'sha384', 'sha512'] as const;
const REPEATS = 64;
const ROUNDS_MIN = 64;
/** After enough rounds, a last byte of ciphertext that is at most the round less this is the end. */
const ROUNDS_SLACK = 32;

/*
 * The memory of a round:
 *
 *   INPUT       64 × (password, digest of the round before, user key)
 *   CIPHERTEXT  of the input
 *   DIGEST      of the ciphertext: key and initialization vector of the next round
 */
const INPUT: Offset = 0;
const INPUT_BYTES_MAX = REPEATS * (PASSWORD_BYTES_MAX + DIGEST_BYTES.sha512 + USER_KEY_BYTES_MAX);
const CIPHERTEXT: Offset = INPUT + INPUT_BYTES_MAX;
const DIGEST: Offset = CIPHERTEXT + INPUT_BYTES_MAX;

/** Bytes at the beginning of the memory that `hashPassword` overwrites. */
export const HASH_MEMORY_BYTES = DIGEST + DIGEST_BYTES.sha512;
export const HASH_BYTES = 32;

/** What a hash is made of. `userKey`: the value of /U for an owner's password, else nothing. */
export interface Hashed {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly userKey: Uint8Array;
}

/**
 * The hash of a password in encryption of revision 6 (ISO 32000-2 §7.6.4.3.4, algorithm 2.B): 64 to 80
 * rounds of AES-128 and SHA-2 over 2 to 15 KB. It writes 32 bytes and leaves the password in the
 * memory, which the caller wipes.
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

/** 256 leaves 1 when it is divided by 3, so the sum of the bytes leaves what the number leaves. */
function digestAfter(memory: Uint8Array): Digest {
  let sum = 0;
  for (let i = 0; i < 16; i++) sum += memory[CIPHERTEXT + i] ?? 0;
  return DIGESTS[sum % 3] ?? 'sha256';
}

import { createHash, randomBytes, randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_CHARACTERS_MAX = 128;

let lastMs = 0;
let sequence = 0;
const noise = Buffer.alloc(8 * 256);
let noiseAt = noise.length;

/**
 * A UUIDv7 (RFC 9562 §5.7): 48 bits of `atMs`, then a 12-bit counter, so that ids of one process
 * and one millisecond keep their order, then 62 random bits.
 */
export function uuidv7(atMs: number): string {
  if (atMs === lastMs) sequence += 1;
  else {
    lastMs = atMs;
    sequence = 0;
  }
  if (noiseAt === noise.length) {
    randomFillSync(noise);
    noiseAt = 0;
  }
  const tail = noise.toString('hex', noiseAt, noiseAt + 8);
  noiseAt += 8;
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0');
  const counter = (sequence & 0xfff).toString(16).padStart(3, '0');
  const variant = ((parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-` +
    `${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  );
}

/** No id made at or after this time is smaller, and none made before it is larger. */
export function firstIdAt(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/**
 * Pattern of ids of teams, users and templates: 1 to 128 characters without controls or blanks at
 * its ends. Anything else is absent without a question to the database: a collation that pads
 * with blanks can then never take one id for another.
 */
export function isId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= ID_CHARACTERS_MAX &&
    value.isWellFormed() &&
    value.trim() === value &&
    !/\p{Cc}/u.test(value)
  );
}

export function digest(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest();
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Digest bytes of 64 hex digits; null for anything else. */
export function fromHex(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** 256 random bits as 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Fits a text column: well-formed and at most `charactersMax` UTF-16 units. */
export function clip(text: string, charactersMax: number): string {
  return text.slice(0, charactersMax).toWellFormed();
}

/** 32 bytes of a digest that this program made itself. */
export function digestBytes(sha256: string): Buffer {
  const bytes = fromHex(sha256);
  if (bytes === null) throw new RangeError('sha256 must be 64 lowercase hex digits');
  return bytes;
}

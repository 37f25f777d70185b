import { hash, randomBytes, randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Random bytes of one id; they are drawn for many ids at once. */
const RANDOM_BYTES = 8;
const randomPool = Buffer.alloc(RANDOM_BYTES * 256);
let randomPoolAt = randomPool.length;
let lastMs = 0;
/** Number of the id within its millisecond. */
let sequence = 0;

/**
 * Makes a UUIDv7 (RFC 9562 §5.7): 48 bits of `atMs`, a 12-bit counter that orders ids of the same
 * process and millisecond, and 62 random bits.
 */
export function uuidv7(atMs: number): string {
  if (atMs === lastMs) sequence += 1;
  else {
    lastMs = atMs;
    sequence = 0;
  }
  if (randomPoolAt === randomPool.length) {
    randomFillSync(randomPool);
    randomPoolAt = 0;
  }
  const tail = randomPool.toString('hex', randomPoolAt, randomPoolAt + RANDOM_BYTES);
  randomPoolAt += RANDOM_BYTES;
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0');
  const counter = (sequence & 0xfff).toString(16).padStart(3, '0');
  const variant = ((parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-` +
    `${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  );
}

/** The bound between ids made before this time, which are smaller, and all later ones. */
export function firstIdAt(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** The SHA-256 of a text or of bytes. */
export function digest(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** The 32 bytes of a digest in hex; null for any other text. */
export function fromHex(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** The 32 bytes of a digest that this program computed; throws RangeError for any other text. */
export function digestBytes(sha256: string): Buffer {
  const bytes = fromHex(sha256);
  if (bytes === null) throw new RangeError('sha256 must be 64 lowercase hex digits');
  return bytes;
}

/** 256 random bits as 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Clips a text to a column: at most `charactersMax` UTF-16 units, well-formed. */
export function clip(text: string, charactersMax: number): string {
  return text.slice(0, charactersMax).toWellFormed();
}

import { UnreadableFile } from './work.ts';

/**
 * Filters of streams without a library (ISO 32000-2, 7.4.2, 7.4.3 and 7.4.5): each takes the encoded
 * bytes and the most bytes that it may give.
 */
export const PLAIN_FILTERS: Readonly<
  Record<string, (bytes: Uint8Array, max: number) => Uint8Array>
> = {
  ASCIIHexDecode: decodeHex,
  ASCII85Decode: decodeBase85,
  RunLengthDecode: decodeRuns,
};

const GREATER = 0x3e;
const TILDE = 0x7e;
const LETTER_Z = 0x7a;
const DIGIT_FIRST = 0x21;
const DIGIT_LAST = 0x75;
const BASE = 85;
const RUN_END = 128;

/** The white-space characters of ISO 32000-2, table 1. */
function isBlank(byte: number): boolean {
  return byte === 0 || byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 32;
}

function decodeHex(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(GREATER);
  const digits = bytes.subarray(0, end < 0 ? bytes.length : end).filter((byte) => !isBlank(byte));
  const text = Buffer.from(digits).toString('latin1');
  if (/[^\dA-Fa-f]/.test(text)) throw new UnreadableFile('a stream of ASCIIHexDecode is damaged');
  return Buffer.from(text.length % 2 === 0 ? text : `${text}0`, 'hex');
}

function decodeBase85(bytes: Uint8Array): Uint8Array {
  // At most four bytes come from one character, z.
  const decoded = Buffer.alloc(bytes.length * 4);
  let length = 0;
  let value = 0;
  let digits = 0;
  for (const byte of bytes) {
    if (isBlank(byte)) continue;
    if (byte === TILDE) break;
    if (byte === LETTER_Z && digits === 0) {
      length += 4;
      continue;
    }
    if (byte < DIGIT_FIRST || byte > DIGIT_LAST) throw damagedBase85();
    value = value * BASE + byte - DIGIT_FIRST;
    digits += 1;
    if (digits < 5) continue;
    if (value > 0xff_ff_ff_ff) throw damagedBase85();
    length = decoded.writeUInt32BE(value, length);
    value = 0;
    digits = 0;
  }
  if (digits === 1) throw damagedBase85();
  if (digits > 0) {
    // A group of n digits is filled up with the greatest digit and has n - 1 bytes.
    for (let index = digits; index < 5; index++) value = value * BASE + BASE - 1;
    if (value > 0xff_ff_ff_ff) throw damagedBase85();
    decoded.writeUInt32BE(value, length);
    length += digits - 1;
  }
  return decoded.subarray(0, length);
}

function damagedBase85(): UnreadableFile {
  return new UnreadableFile('a stream of ASCII85Decode is damaged');
}

function decodeRuns(bytes: Uint8Array, max: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const run = bytes[at] ?? RUN_END;
    at += 1;
    if (run === RUN_END) break;
    const isCopy = run < RUN_END;
    const part = isCopy
      ? bytes.subarray(at, at + run + 1)
      : new Uint8Array(257 - run).fill(bytes[at] ?? 0);
    at += isCopy ? run + 1 : 1;
    length += part.length;
    if (length > max) throw new UnreadableFile('a stream of RunLengthDecode is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

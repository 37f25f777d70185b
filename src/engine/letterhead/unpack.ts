import { constants, inflateSync } from 'node:zlib';
import { LIMITS } from '../../limits.ts';
import { LetterheadFault } from './faults.ts';

/** Bounds the total size to which the streams of one file unpack. */
export class UnpackBudget {
  #left: number = LIMITS.pdfUnpackedBytesMax;

  /** Inflates zlib data; a tail that is cut off or damaged is left out, as readers do. */
  inflate(data: Uint8Array): Uint8Array {
    const maxOutputLength = Math.min(this.#left, LIMITS.pdfStreamBytesMax);
    // Z_SYNC_FLUSH accepts data that is cut off.
    const plain = inflated(data, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
    this.spend(plain.length);
    return plain;
  }

  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left <= 0) throw new LetterheadFault('large');
  }
}

function inflated(
  data: Uint8Array,
  options: { maxOutputLength: number; finishFlush: number },
): Uint8Array {
  try {
    return inflateSync(data, options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new LetterheadFault('large');
    if (typeof code === 'string' && code.startsWith('Z_')) throw new LetterheadFault('broken');
    throw error;
  }
}

/** Undoes the filters of a stream that has to be read (§7.4); others are a fault. */
export function unpack(
  data: Uint8Array,
  filters: readonly string[],
  budget: UnpackBudget,
): Uint8Array {
  if (filters.length > FILTERS_MAX) throw new LetterheadFault('filter');
  let plain = data;
  for (const filter of filters) {
    switch (filter) {
      case '/FlateDecode':
      case '/Fl':
        plain = budget.inflate(plain);
        break;
      case '/ASCII85Decode':
      case '/A85':
        plain = fromAscii85(plain);
        budget.spend(plain.length);
        break;
      case '/ASCIIHexDecode':
      case '/AHx':
        plain = fromAsciiHex(plain);
        budget.spend(plain.length);
        break;
      default:
        throw new LetterheadFault('filter');
    }
  }
  return plain;
}

const FILTERS_MAX = 4;
/** Characters of base 85: its end, four zeros, and the digits from `!` to `u`. */
const TILDE = 0x7e;
const Z = 0x7a;
const FIRST_DIGIT = 0x21;
const LAST_DIGIT = 0x75;

/** Base 85 of Adobe (§7.4.3): five characters a group of four bytes, `z` for four zeros. */
function fromAscii85(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length * 4 + 4);
  let length = 0;
  let value = 0;
  let count = 0;
  for (const byte of data) {
    if (byte === TILDE) break;
    if (byte === Z && count === 0) {
      length += 4;
    } else if (byte >= FIRST_DIGIT && byte <= LAST_DIGIT) {
      value = value * 85 + (byte - FIRST_DIGIT);
      count++;
      if (count < 5) continue;
      for (let shift = 24; shift >= 0; shift -= 8) out[length++] = value / 2 ** shift;
      value = 0;
      count = 0;
    }
  }
  if (count > 1) {
    for (let pad = count; pad < 5; pad++) value = value * 85 + 84;
    for (let index = 0; index < count - 1; index++) out[length++] = value / 2 ** (24 - index * 8);
  }
  return out.subarray(0, length);
}

/** Decodes hexadecimal digits (§7.4.2); other characters are skipped. */
function fromAsciiHex(data: Uint8Array): Uint8Array {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1');
  const digits = (text.split('>')[0] ?? '').replaceAll(/[^0-9A-Fa-f]/g, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
}

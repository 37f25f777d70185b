import { ContentInfo, SignedData } from 'pkijs';

/** A signature that was found in a PDF, not verified yet (ISO 32000-1 §12.8.1). */
export interface FoundSignature {
  readonly cms: SignedData;
  /** The signed bytes: all of the file up to `length` but the signature itself. */
  readonly signed: Uint8Array;
  /** Offsets of the signature's hexadecimal string, with its brackets. */
  readonly from: number;
  readonly to: number;
  /** Where the signed part of the file ends. */
  readonly length: number;
  /** True when the room for the signature holds nothing else. */
  readonly isTidy: boolean;
}

/** Limit of the signatures that are read, more than any document has. */
const SIGNATURES_MAX = 32;
const BYTE_RANGE = '/ByteRange';
/** `<` and `>`, around a hexadecimal string. */
const OPEN = 0x3c;
const CLOSE = 0x3e;

/**
 * Finds the signatures of a file by their byte ranges, in the order of the file. Each must begin at
 * the first byte and leave out the string that holds the signature and nothing else; anything that
 * only looks like one is skipped.
 */
export function findSignatures(pdf: Uint8Array): FoundSignature[] {
  const file = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const found: FoundSignature[] = [];
  let at = file.indexOf(BYTE_RANGE);
  while (at >= 0 && found.length < SIGNATURES_MAX) {
    const signature = readSignature(file, at);
    if (signature !== null) found.push(signature);
    at = file.indexOf(BYTE_RANGE, at + 1);
  }
  return found;
}

/** Reads the signature whose byte range is at `at`; null: it only looks like one. */
function readSignature(file: Buffer, at: number): FoundSignature | null {
  const text = file.toString('latin1', at, at + 128);
  const numbers = /^\/ByteRange\s*\[\s*0\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/.exec(text);
  if (numbers === null) return null;
  const [from = 0, to = 0, rest = 0] = numbers.slice(1).map(Number);
  const length = to + rest;
  if (from >= to || length > file.length) return null;
  if (file[from] !== OPEN || file[to - 1] !== CLOSE) return null;
  const hex = file.toString('latin1', from + 1, to - 1);
  const room = Buffer.from(hex, 'hex');
  // The signature does not cover its own room, in which data could hide. So all digits must have the
  // same case, and only zeros may follow the signature.
  const digits = room.toString('hex');
  const isPlain = hex === digits || hex === digits.toUpperCase();
  const der = withoutPadding(room);
  const isPadded = room.subarray(der.length).every((byte) => byte === 0);
  try {
    const info = ContentInfo.fromBER(der);
    const cms = new SignedData({ schema: info.content });
    const signed = Buffer.concat([file.subarray(0, from), file.subarray(to, length)]);
    return { cms, signed, from, to, length, isTidy: isPlain && isPadded };
  } catch {
    // The bytes are not CMS; the library throws various errors for that.
    return null;
  }
}

/** The room for a signature ends in zeros, which are not part of its DER. */
function withoutPadding(der: Buffer): Uint8Array {
  const lengthBytes = (der[1] ?? 0) & 0x7f;
  if ((der[1] ?? 0) < 0x80 || lengthBytes > 4) return new Uint8Array(der);
  let length = 0;
  for (let index = 0; index < lengthBytes; index++) length = length * 256 + (der[2 + index] ?? 0);
  return new Uint8Array(der.subarray(0, 2 + lengthBytes + length));
}

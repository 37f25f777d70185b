import { randomInt } from 'node:crypto';
import { fail, type Outcome, succeed } from '../errors.ts';
import type { Protection, SignaturePlace } from '#engine';
import type { Protector } from './protector.ts';

/*
 * A document with passwords and a signature is protected first and signed afterwards: the signature is
 * one over the protected file (ISO 32000-2 §12.8.1). The engine has written the signature dictionary
 * with its room, and qpdf rewrites the file around it:
 *
 *   before   /ByteRange[0 1827364554 4455667788 9988776655]/Contents<000…>      marked, in clear
 *   after    /ByteRange [ 0 1827364554 4455667788 9988776655 ] /Contents <000…> moved, still in clear
 *   signed   /ByteRange [ 0 20012      26016      14210      ] /Contents <308…>
 *
 * qpdf encrypts all strings but /Contents of a signature dictionary, as §7.6.2 asks, and keeps the
 * digits of numbers. The marks are random, so nothing that a caller wrote can be taken for them.
 */

/** A protected file, and where its signature goes. */
export interface ProtectedToSign {
  readonly pdf: Uint8Array;
  readonly place: SignaturePlace;
}

const BYTE_RANGE = '/ByteRange[0 ';
const DIGITS = 10;
/** Three numbers with a space between them. */
const RANGE_BYTES = 3 * DIGITS + 2;
const BEFORE_CONTENTS = /^ *\] *\/Contents *</;
/** What may stand between the byte range and the room. */
const BETWEEN_BYTES_MAX = 64;
const ZERO = 0x30;
const CLOSE = '>'.charCodeAt(0);
const CATALOG_HEAD = '1 0 obj\n';
const LATIN = 'latin1';

/**
 * Protects a document that is signed afterwards. Writes into the given bytes. The signature gets the
 * same room in the protected file; `internal_error` when qpdf did not keep it.
 */
export async function protectToSign(
  protector: Pick<Protector, 'protect'>,
  pdf: Uint8Array,
  protection: Protection,
  place: SignaturePlace,
): Promise<Outcome<ProtectedToSign>> {
  const marks = markRange(pdf, place);
  const outcome = await protector.protect(pdf, protection);
  if (!outcome.ok) return outcome;
  const moved = fillRange(outcome.value, marks, place.to - place.from);
  return moved === null ? fail('internal_error') : succeed({ pdf: outcome.value, place: moved });
}

/** Writes random numbers of ten digits into the byte range before the room; returns them. */
function markRange(pdf: Uint8Array, { from }: SignaturePlace): string {
  const file = bufferOf(pdf);
  const at = file.lastIndexOf(BYTE_RANGE, from, LATIN);
  if (at < 0) throw new Error('a room for a signature has no byte range');
  const marks = Array.from({ length: 3 }, () => randomInt(10 ** (DIGITS - 1), 10 ** DIGITS));
  const text = marks.join(' ');
  file.write(text, at + BYTE_RANGE.length, LATIN);
  return text;
}

/** Replaces the marks by the byte range of this file; null: the room is not there, or is another. */
function fillRange(pdf: Uint8Array, marks: string, roomBytes: number): SignaturePlace | null {
  const file = bufferOf(pdf);
  const range = file.indexOf(marks, 0, LATIN);
  if (range < 0 || file.indexOf(marks, range + 1, LATIN) >= 0) return null;
  const next = range + RANGE_BYTES;
  const between = BEFORE_CONTENTS.exec(file.toString(LATIN, next, next + BETWEEN_BYTES_MAX));
  if (between === null) return null;
  const from = next + between[0].length - '<'.length;
  const to = from + roomBytes;
  const isEmpty = file.subarray(from + 1, to - 1).every((byte) => byte === ZERO);
  if (!isEmpty || file[to - 1] !== CLOSE) return null;
  const numbers = [from, to, file.length - to].map((one) => String(one).padEnd(DIGITS));
  file.write(numbers.join(' '), range, LATIN);
  // qpdf writes the catalog first, right after the header.
  return { from, to, catalogAt: file.indexOf(CATALOG_HEAD, 0, LATIN) };
}

function bufferOf(pdf: Uint8Array): Buffer {
  return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
}

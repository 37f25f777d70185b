import { fromBER } from 'asn1js';
import { ContentInfo, SignedData } from 'pkijs';
import { Revision } from './file/revision.ts';
import {
  asString,
  isDictionary,
  type PdfDictionary,
  nameIn,
  UnreadableFile,
} from './file/values.ts';

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

/** A file with its signatures. */
export interface SignedFile {
  readonly pdf: Buffer;
  /** The file as its cross-references show it; null: it cannot be read so. */
  readonly revision: Revision | null;
  /** Signatures that can be checked, in the order in which they were made. */
  readonly signatures: readonly FoundSignature[];
  /** Number of signature dictionaries whose signature cannot be read. */
  readonly unreadableCount: number;
}

/** Limit of the signatures that are read, more than any document has. */
const SIGNATURES_MAX = 32;
const BYTE_RANGE = '/ByteRange';
/** `<` and `>`, around a hexadecimal string. */
const OPEN = 0x3c;
const CLOSE = 0x3e;

/**
 * Finds the signatures of a file. Those that can be checked are found by their byte ranges: each must
 * begin at the first byte and leave out the string that holds the signature and nothing else. Every
 * other signature dictionary of the file counts as one that cannot be read.
 */
export function readSignedFile(bytes: Uint8Array): SignedFile {
  const pdf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signatures: FoundSignature[] = [];
  let unreadByText = 0;
  let at = pdf.indexOf(BYTE_RANGE);
  while (at >= 0 && signatures.length < SIGNATURES_MAX) {
    const signature = readSignature(pdf, at);
    if (signature !== null) signatures.push(signature);
    else if (isInSignatureDictionary(pdf, at)) unreadByText += 1;
    at = pdf.indexOf(BYTE_RANGE, at + 1);
  }
  signatures.sort((one, other) => one.length - other.length);
  const revision = openRevision(pdf);
  const read = new Set(signatures.map(({ from }) => from));
  const others = revision === null ? null : otherDictionaries(revision, read);
  return { pdf, revision, signatures, unreadableCount: others ?? unreadByText };
}

/** null: bytes and cross-references of the file do not fit together. */
export function openRevision(pdf: Buffer): Revision | null {
  try {
    return new Revision(pdf);
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}

/** Reads the signature whose byte range is at `at`; null: it cannot be read, or only looks like one. */
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
  const found = readCms(room);
  if (found === null) return null;
  const isPadded = room.subarray(found.length).every((byte) => byte === 0);
  const signed = Buffer.concat([file.subarray(0, from), file.subarray(to, length)]);
  return { cms: found.cms, signed, from, to, length, isTidy: isPlain && isPadded };
}

/**
 * Reads the CMS at the beginning of the room, in DER or in BER with lengths that its parts' ends state
 * (X.690, 8.1.3.6); null: there is none.
 */
function readCms(room: Buffer): { readonly cms: SignedData; readonly length: number } | null {
  try {
    const { result, offset } = fromBER(new Uint8Array(room));
    if (offset === -1) return null;
    const cms = new SignedData({ schema: new ContentInfo({ schema: result }).content });
    return { cms, length: offset };
  } catch {
    // The bytes are not CMS; the library throws various errors for that.
    return null;
  }
}

/** Number of the signature dictionaries of a revision whose signature is not among those read. */
function otherDictionaries(revision: Revision, read: ReadonlySet<number>): number | null {
  try {
    const dictionaries = new Set<PdfDictionary>();
    for (const number of revision.numbers) {
      const value = revision.object(number);
      if (!isDictionary(value)) continue;
      if (isSignature(value)) dictionaries.add(value);
      const signature =
        nameIn(value.get('FT')) === 'Sig' ? revision.dictionary(value.get('V')) : null;
      if (signature !== null) dictionaries.add(signature);
    }
    return [...dictionaries].filter((one) => {
      const from = asString(revision.resolve(one.get('Contents')))?.from;
      return from === undefined || !read.has(from);
    }).length;
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}

function isSignature(dictionary: PdfDictionary): boolean {
  const type = nameIn(dictionary.get('Type'));
  if (type === 'Sig' || type === 'DocTimeStamp') return true;
  return dictionary.has('ByteRange') && dictionary.has('Contents');
}

/** Whether a byte range is part of an object that also has what a signature has. */
function isInSignatureDictionary(file: Buffer, at: number): boolean {
  const from = file.lastIndexOf(' obj', at);
  const end = file.indexOf('endobj', at);
  if (from < 0 || end < 0 || file.lastIndexOf('endobj', at) > from) return false;
  const text = file.toString('latin1', from, end);
  return /\/Contents\s*[<(]/.test(text) && /\/(SubFilter|Type\s*\/(Sig|DocTimeStamp))\b/.test(text);
}

/** The kind of a file that is to be verified, told by its first bytes. */
export type FileKind = 'pdf' | 'zip' | 'other';

/** Readers look for the header of a PDF in the first 1,024 bytes. */
export const HEAD_BYTES = 1_024;

/** How a ZIP archive begins: with a member, or with its end if it has none. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06'];
/**
 * How other formats begin that may have a PDF in them uncompressed: old Office files, pictures and
 * XML. A header further on is that of what they contain.
 */
const OTHERS = [
  '\xd0\xcf\x11\xe0',
  '\x89PNG\r\n',
  '\xff\xd8\xff',
  'GIF87a',
  'GIF89a',
  '<?xml',
  '\xef\xbb\xbf<?xml',
];
/** A tar archive has this after the name of its first member. */
const TAR = { sign: 'ustar', at: 257 } as const;

/**
 * The kind of a file that begins with these bytes, of which the first `HEAD_BYTES` are read. Other
 * bytes may precede the header of a PDF, as readers accept it (ISO 32000-2 §7.5.2), unless they are
 * the beginning of another format.
 */
export function kindOfFile(bytes: Uint8Array): FileKind {
  const head = Array.from(bytes.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join(
    '',
  );
  const begins = (sign: string): boolean => head.startsWith(sign);
  if (ZIP.some(begins)) return 'zip';
  if (OTHERS.some(begins) || head.startsWith(TAR.sign, TAR.at)) return 'other';
  return head.includes('%PDF-') ? 'pdf' : 'other';
}

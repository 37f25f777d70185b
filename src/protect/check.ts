/** ISO 32000-2 §7.5.5: a reader looks for %%EOF in the last 1,024 bytes. */
const TAIL_BYTES = 1_024;
/** A trailer or a cross-reference stream's dictionary fits in this. */
const DICTIONARY_BYTES_MAX = 16 * 1_024;

/** The object that holds a file's encryption dictionary. */
interface EncryptionObject {
  /** Offset of the text in the file. */
  readonly from: number;
  /** The text in Latin-1: each character is one byte of the file. */
  readonly text: string;
}

/**
 * Whether bytes are a complete PDF encrypted with AES-256, revision 6 (ISO 32000-2 §7.6). The file is
 * read from its end, as PDF readers do, so that the output of a tool that failed silently is refused.
 */
export function isProtectedPdf(pdf: Buffer): boolean {
  const encryption = encryptionOf(pdf);
  if (encryption === null) return false;
  return [
    /\/Filter \/Standard\b/,
    /\/R 6\b/,
    /\/V 5\b/,
    /\/CFM \/AESV3\b/,
    /\/StmF \/StdCF\b/,
    /\/StrF \/StdCF\b/,
  ].every((entry) => entry.test(encryption.text));
}

/** Finds the encryption dictionary. Null if the bytes are not a complete PDF, or not encrypted. */
export function encryptionOf(pdf: Buffer): EncryptionObject | null {
  if (!pdf.subarray(0, 5).equals(Buffer.from('%PDF-'))) return null;
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - TAIL_BYTES));
  const start = /startxref\s+(\d{1,12})\s+%%EOF\s*$/.exec(tail)?.[1];
  if (start === undefined) return null;
  const trailer = trailerAt(pdf, Number(start));
  const reference = /\/Encrypt (\d{1,10}) (\d{1,5}) R/.exec(trailer);
  if (reference === null) return null;
  return objectAfter(pdf, `\n${reference[1]} ${reference[2]} obj`);
}

/** The text of the trailer: after a cross-reference table, or the head of a cross-reference stream. */
function trailerAt(pdf: Buffer, offset: number): string {
  if (offset >= pdf.length) return '';
  if (pdf.toString('latin1', offset, offset + 4) !== 'xref') {
    const head = pdf.toString('latin1', offset, offset + DICTIONARY_BYTES_MAX);
    return /^\d+ \d+ obj/.test(head) ? (head.split('stream', 1)[0] ?? '') : '';
  }
  const at = pdf.indexOf('trailer', offset);
  return at === -1 ? '' : pdf.toString('latin1', at, at + DICTIONARY_BYTES_MAX);
}

/** The last object that begins with `head`: qpdf writes /Encrypt once, near the end. */
function objectAfter(pdf: Buffer, head: string): EncryptionObject | null {
  const from = pdf.lastIndexOf(head);
  if (from === -1) return null;
  const text = pdf.toString('latin1', from, from + DICTIONARY_BYTES_MAX);
  return { from, text: text.split('endobj', 1)[0] ?? '' };
}

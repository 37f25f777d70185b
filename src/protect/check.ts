/** ISO 32000-2 §7.5.5: a reader looks for %%EOF in the last 1,024 bytes. */
const TAIL_BYTES = 1_024;
/** A trailer or a cross-reference stream's dictionary fits in this. */
const DICTIONARY_BYTES_MAX = 16 * 1_024;

/**
 * Whether bytes are a complete PDF encrypted with AES-256, revision 6 (ISO 32000-2 §7.6). The file is
 * read from its end, as PDF readers do, so that the output of a tool that failed silently is refused.
 */
export function isProtectedPdf(pdf: Buffer): boolean {
  if (!pdf.subarray(0, 5).equals(Buffer.from('%PDF-'))) return false;
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - TAIL_BYTES));
  const start = /startxref\s+(\d{1,12})\s+%%EOF\s*$/.exec(tail)?.[1];
  if (start === undefined) return false;
  const trailer = trailerAt(pdf, Number(start));
  const reference = /\/Encrypt (\d{1,10}) (\d{1,5}) R/.exec(trailer);
  if (reference === null) return false;
  const dictionary = objectText(pdf, `\n${reference[1]} ${reference[2]} obj`);
  return [
    /\/Filter \/Standard\b/,
    /\/R 6\b/,
    /\/V 5\b/,
    /\/CFM \/AESV3\b/,
    /\/StmF \/StdCF\b/,
    /\/StrF \/StdCF\b/,
  ].every((entry) => entry.test(dictionary));
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

/** The text of the last object that begins with `head`: qpdf writes /Encrypt once, near the end. */
function objectText(pdf: Buffer, head: string): string {
  const at = pdf.lastIndexOf(head);
  if (at === -1) return '';
  return pdf.toString('latin1', at, at + DICTIONARY_BYTES_MAX).split('endobj', 1)[0] ?? '';
}

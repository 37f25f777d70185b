import { createHash } from 'node:crypto';

/**
 * What is left of a document of this service after another program has saved it: one that appends
 * (ISO 32000-2 §7.5.6) leaves its bytes in front, any other leaves at most the name of the producer.
 */

/** The end of each file that this service makes. */
const FILE_END = Buffer.from('%%EOF\n');
/** Limit of the earlier ends that are looked up. */
const ENDS_MAX = 32;
/** The producer in the document information, or in metadata that are not compressed. */
const PRODUCER = /\/Producer\s*\(Intaglio\b|<pdf:Producer>Intaglio\b/;

/** SHA-256 of each shorter file that the file begins with, the longest first. */
export function earlierDigests(pdf: Buffer): readonly string[] {
  const ends: number[] = [];
  for (let at = pdf.indexOf(FILE_END); at !== -1; at = pdf.indexOf(FILE_END, at + 1)) {
    const end = at + FILE_END.length;
    if (end < pdf.length) ends.push(end);
  }
  const hash = createHash('sha256');
  let from = 0;
  const digests = ends.slice(0, ENDS_MAX).map((end) => {
    hash.update(pdf.subarray(from, end));
    from = end;
    return hash.copy().digest('hex');
  });
  return digests.toReversed();
}

/** Whether the file names Intaglio as its producer, where that is not encrypted or compressed. */
export function namesProducer(pdf: Buffer): boolean {
  return PRODUCER.test(pdf.toString('latin1'));
}

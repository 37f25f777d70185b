import type { SignaturePlace } from '../job.ts';
import type { PdfFile } from './file.ts';
import { dateString, reference } from './syntax.ts';

/** Digits for each number of the byte range, which is known only when the file is complete. */
const RANGE_DIGITS = 10;

/** The objects of a signature that is still to be made (ISO 32000-1 §12.8). */
interface SignatureObjects {
  readonly dictionary: number;
  /** Entry of the catalog. */
  readonly form: string;
}

/**
 * Writes the signature dictionary with `bytes` of room for the signature, and the field that shows
 * it: `widget`, without extent, so that nothing is drawn. `structParent`: its key in a tagged
 * document, or null.
 */
export function writeSignature(
  file: PdfFile,
  page: number,
  bytes: number,
  atMs: number,
  widget: number,
  structParent: number | null,
): SignatureObjects {
  const range = Array.from({ length: 3 }, () => ' '.repeat(RANGE_DIGITS)).join(' ');
  const dictionary = file.add(
    '<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached' +
      `/M${dateString(atMs)}/ByteRange[0 ${range}]/Contents<${'0'.repeat(bytes * 2)}>>>`,
  );
  file.object(
    widget,
    '<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature1)/TU(Digital signature)/Rect[0 0 0 0]/F 132' +
      `/P ${reference(page)}/V ${reference(dictionary)}` +
      `${structParent === null ? '' : `/StructParent ${structParent}`}>>`,
  );
  const form = `/AcroForm<</Fields[${reference(widget)}]/SigFlags 3>>`;
  return { dictionary, form };
}

/** Fills in the byte range: the whole file except the hexadecimal string and its brackets. */
export function fillByteRange(
  pdf: Uint8Array,
  dictionaryAt: number,
  catalogAt: number,
): SignaturePlace {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const range = text.indexOf('/ByteRange[0 ', dictionaryAt) + '/ByteRange[0 '.length;
  const from = text.indexOf('/Contents<', range) + '/Contents'.length;
  const to = text.indexOf('>', from) + 1;
  const numbers = [from, to, pdf.length - to];
  const digits = numbers.map((number) => String(number).padEnd(RANGE_DIGITS));
  text.write(digits.join(' '), range, 'latin1');
  return { from, to, catalogAt };
}

import type { SignaturePlace } from '../job.ts';
import type { SignatureAppearance } from '../model/frame.ts';
import type { PdfFile } from './file.ts';
import { dateString, decimal, reference, textString } from './syntax.ts';

/** Digits for each number of the byte range, which is known only when the file is complete. */
const RANGE_DIGITS = 10;

/** The objects of a signature that is still to be made (ISO 32000-1 §12.8). */
interface SignatureObjects {
  readonly dictionary: number;
  /** Entry of the catalog. */
  readonly form: string;
}

/** Place and content of the field of a signature. */
export interface SignatureLook {
  readonly appearance: SignatureAppearance;
  /** Form XObject that draws it. */
  readonly form: number;
  /** Height of its page. */
  readonly pageHeightPt: number;
}

/** The numbers of a signature's objects, and what is known of it before it is made. */
interface SignatureRoom {
  /** The page object that the field lies on. */
  readonly page: number;
  /** Room for the signature. */
  readonly bytes: number;
  readonly atMs: number;
  readonly widget: number;
  /** Its key in the parent tree of a tagged document, or null. */
  readonly structParent: number | null;
  /** null: the field has no extent, so nothing is drawn. */
  readonly look: SignatureLook | null;
}

/** Writes the signature dictionary with room for the signature, and the field that shows it. */
export function writeSignature(
  file: PdfFile,
  { page, bytes, atMs, widget, structParent, look }: SignatureRoom,
): SignatureObjects {
  const range = Array.from({ length: 3 }, () => ' '.repeat(RANGE_DIGITS)).join(' ');
  const dictionary = file.add(
    '<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached' +
      `/M${dateString(atMs)}${look === null ? '' : words(look.appearance)}/ByteRange[0 ${range}]/Contents<${'0'.repeat(bytes * 2)}>>>`,
  );
  file.object(
    widget,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature1)${lookSyntax(look)}/F 132` +
      `/P ${reference(page)}/V ${reference(dictionary)}` +
      `${structParent === null ? '' : `/StructParent ${structParent}`}>>`,
  );
  const form = `/AcroForm<</Fields[${reference(widget)}]/SigFlags 3>>`;
  return { dictionary, form };
}

/** Name of the field, its rectangle, and what is drawn in it. */
function lookSyntax(look: SignatureLook | null): string {
  if (look === null) return '/TU(Digital signature)/Rect[0 0 0 0]';
  const { appearance, form, pageHeightPt } = look;
  const { x, y, widthPt, heightPt, alt } = appearance;
  const top = pageHeightPt - y;
  const corners = [x, top - heightPt, x + widthPt, top].map((one) => decimal(one)).join(' ');
  return `/TU${textString(alt)}/Rect[${corners}]/AP<</N ${reference(form)}>>`;
}

function words({ signer, reason, location }: SignatureAppearance): string {
  const entries = { Name: signer, Reason: reason, Location: location };
  return Object.entries(entries)
    .map(([key, text]) => (text === '' ? '' : `/${key}${textString(text)}`))
    .join('');
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

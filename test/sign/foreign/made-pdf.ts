/** A small PDF that grows by updates, written as other programs write it. */

export interface SignatureOptions {
  readonly subFilter?: string;
  /** Bytes of room for the signature. */
  readonly room?: number;
  /** A content stream that the signature shows on the page. */
  readonly appearance?: string;
  /** The page that is signed. */
  readonly page?: string;
}

/** Makes the CMS for the bytes of a signature's range. */
type Signs = (signed: Buffer) => Buffer;

const LATIN = 'latin1';
const RANGE = '[0 0000000000 0000000000 0000000000]';

/** The file as bytes, with what the next update must know. */
export class MadePdf {
  readonly bytes: Buffer;
  readonly #size: number;
  /** Object numbers of the signature fields. */
  readonly #fields: readonly number[];

  private constructor(bytes: Buffer, size: number, fields: readonly number[]) {
    this.bytes = bytes;
    this.#size = size;
    this.#fields = fields;
  }

  /** One page with a text. `dangling`: its font names an object that is not there. */
  static of(text: string, dangling = false): MadePdf {
    const content = `BT /F1 18 Tf 72 700 Td (${text}) Tj ET`;
    const ghost = dangling ? '/FontDescriptor 90 0 R' : '';
    const objects = new Map([
      [1, '<</Type/Catalog/Pages 2 0 R>>'],
      [2, '<</Type/Pages/Kids[3 0 R]/Count 1>>'],
      [3, `<<${PAGE}>>`],
      [4, `<</Length ${content.length}>>\nstream\n${content}\nendstream`],
      [5, `<</Type/Font/Subtype/Type1/BaseFont/Helvetica${ghost}>>`],
      [6, '<</Title(A letter)/ModDate(D:20260101000000Z)>>'],
    ]);
    const made = new MadePdf(Buffer.from('%PDF-1.7\n%\xff\xff\xff\xff\n', LATIN), 7, []);
    return made.update(objects);
  }

  get size(): number {
    return this.#size;
  }

  /** The file with other bytes and the same numbers. */
  with(bytes: Buffer): MadePdf {
    return new MadePdf(bytes, this.#size, this.#fields);
  }

  /** Appends objects with a cross-reference table for them. */
  update(objects: ReadonlyMap<number, string>, fields = this.#fields): MadePdf {
    const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(this.bytes.toString(LATIN))?.[1];
    const parts = [this.bytes.toString(LATIN)];
    let length = this.bytes.length;
    const rows = new Map<number, number>();
    for (const [number, body] of objects) {
      const text = `${number} 0 obj\n${body}\nendobj\n`;
      rows.set(number, length);
      length += text.length;
      parts.push(text);
    }
    const size = Math.max(this.#size, ...[...objects.keys()].map((number) => number + 1));
    const sections = [...rows].map(
      ([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`,
    );
    const prev = previous === undefined ? '' : `/Prev ${previous}`;
    const free = previous === undefined ? '0 1\n0000000000 65535 f \n' : '';
    parts.push(
      `xref\n${free}${sections.join('')}trailer\n<</Size ${size}/Root 1 0 R/Info 6 0 R`,
      `/ID[<00><0${rows.size % 10}>]${prev}>>\nstartxref\n${length}\n%%EOF\n`,
    );
    return new MadePdf(Buffer.from(parts.join(''), LATIN), size, fields);
  }

  /** The newest text of an object. */
  text(number: number): string {
    const text = this.bytes.toString(LATIN);
    const head = `\n${number} 0 obj\n`;
    const from = text.lastIndexOf(head) + head.length;
    return text.slice(from, text.indexOf('\nendobj', from));
  }

  #catalogWith(form: string): string {
    const catalog = this.text(1).replace(/\/AcroForm<<.*?>>/, '');
    return catalog.replace(/>>$/, `/AcroForm${form}>>`);
  }

  /** Adds a signature with its field; `more`: objects that the same update writes. */
  sign(
    sign: Signs,
    options: SignatureOptions = {},
    more: ReadonlyMap<number, string> = new Map(),
  ): MadePdf {
    const {
      subFilter = 'ETSI.CAdES.detached',
      room = 6_000,
      appearance,
      page = `<<${PAGE}>>`,
    } = options;
    const [field, value, drawing] = [this.#size, this.#size + 1, this.#size + 2];
    const fields = [...this.#fields, field];
    const list = fields.map((number) => `${number} 0 R`).join(' ');
    const type = subFilter === 'ETSI.RFC3161' ? 'DocTimeStamp' : 'Sig';
    const ap = appearance === undefined ? '' : `/AP<</N ${drawing} 0 R>>`;
    const rect = appearance === undefined ? '[0 0 0 0]' : '[50 650 550 750]';
    const form = `<</Fields[${list}]/SigFlags 3>>`;
    const objects = new Map([
      [1, this.#catalogWith(form)],
      [3, page.replace(/>>$/, `/Annots[${list}]>>`)],
      [
        field,
        `<</FT/Sig/T(S${field})/Type/Annot/Subtype/Widget/F 132/Rect${rect}/P 3 0 R${ap}/V ${value} 0 R>>`,
      ],
      [
        value,
        `<</Type/${type}/Filter/Adobe.PPKLite/SubFilter/${subFilter}/ByteRange${RANGE}` +
          `/Contents<${'0'.repeat(room * 2)}>>>`,
      ],
    ]);
    if (appearance !== undefined) {
      objects.set(
        drawing,
        `<</Type/XObject/Subtype/Form/BBox[0 0 500 100]/Length ${appearance.length}>>\n` +
          `stream\n${appearance}\nendstream`,
      );
    }
    for (const [number, body] of more) objects.set(number, body);
    const open = this.update(objects, fields);
    return open.with(fill(open.bytes, sign));
  }
}

export const PAGE =
  '/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>';

/** Writes the byte range and the signature of the last signature dictionary. */
function fill(file: Buffer, sign: Signs): Buffer {
  const at = file.lastIndexOf(RANGE);
  const from = file.indexOf('/Contents<', at) + '/Contents'.length;
  const to = file.indexOf('>', from) + 1;
  const numbers = [from, to, file.length - to].map((one) => String(one).padStart(10, '0'));
  file.write(`[0 ${numbers.join(' ')}]`, at, LATIN);
  const cms = sign(Buffer.concat([file.subarray(0, from), file.subarray(to)]));
  const hex = cms.toString('hex');
  if (hex.length > to - from - 2) throw new Error('the room is too small');
  file.write(hex, from + 1, LATIN);
  return file;
}

/** The place of the last signature of a file, with its brackets. */
export function lastPlace(file: Buffer): { readonly from: number; readonly to: number } {
  const from = file.lastIndexOf('/Contents<') + '/Contents'.length;
  return { from, to: file.indexOf('>', from) + 1 };
}

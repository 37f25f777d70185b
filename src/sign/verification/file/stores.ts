import type { Revision } from './revision.ts';
import {
  asReference,
  asStream,
  asString,
  isDictionary,
  isList,
  isName,
  type PdfDictionary,
  type PdfValue,
  UnreadableFile,
} from './values.ts';

/** What an update did to the document security store (ISO 32000-2 §12.8.4.3). */
export interface StoreUpdate {
  /** Objects of the store, before or after. */
  readonly numbers: ReadonlySet<number>;
  /** It has certificates, OCSP responses, CRLs or time stamps that were not there. */
  readonly isMore: boolean;
}

const LISTS = new Set(['Certs', 'OCSPs', 'CRLs']);
const LISTS_OF_SIGNATURE = new Set(['Cert', 'OCSP', 'CRL']);
const STREAM_KEYS = new Set(['Type', 'Length', 'DL', 'Filter', 'DecodeParms']);
/** The tag of a SEQUENCE, as certificates, responses, CRLs and tokens begin. */
const SEQUENCE = 0x30;

/** Compares the stores; throws `UnreadableFile` if the later one is more or less than a store. */
export function compareStores(before: Revision, after: Revision): StoreUpdate {
  const former = new StoreParts(before, () => true);
  const later = new StoreParts(after, (n) => former.numbers.has(n) || !before.has(n));
  for (const [number, isStream] of later.kinds) {
    const isChanged = !after.sharesPlace(number, before);
    if (isStream && isChanged && before.has(number)) throw fault('data was replaced');
  }
  for (const part of former.data) if (!later.data.has(part)) throw fault('data was removed');
  const numbers = new Set([...former.numbers, ...later.numbers]);
  return { numbers, isMore: later.data.size > former.data.size };
}

/** The parts of a store. */
class StoreParts {
  readonly #revision: Revision;
  readonly #mayHold: (number: number) => boolean;
  /** Numbers of its objects, and whether they are streams. */
  readonly kinds = new Map<number, boolean>();
  readonly data = new Set<string>();

  constructor(revision: Revision, mayHold: (number: number) => boolean) {
    this.#revision = revision;
    this.#mayHold = mayHold;
    const value = revision.catalog.get('DSS');
    if (value !== undefined && value !== null) this.#store(this.#dictionary(value));
  }

  get numbers(): ReadonlySet<number> {
    return new Set(this.kinds.keys());
  }

  #store(store: PdfDictionary): void {
    for (const [key, value] of store) {
      if (LISTS.has(key)) this.#list(value);
      else if (key === 'VRI') {
        for (const one of this.#dictionary(value).values()) this.#related(this.#dictionary(one));
      } else if (key !== 'Type' || !isName(value, 'DSS')) throw fault(`it has /${key}`);
    }
  }

  /** What belongs to one signature. */
  #related(related: PdfDictionary): void {
    for (const [key, value] of related) {
      if (LISTS_OF_SIGNATURE.has(key)) this.#list(value);
      else if (key === 'TS') this.#stream(value);
      else if (key === 'TU' ? asString(value) === null : key !== 'Type' || !isName(value, 'VRI')) {
        throw fault(`it has /${key}`);
      }
    }
  }

  #list(value: PdfValue): void {
    const list = this.#take(value, false);
    if (!isList(list)) throw fault('a list is missing');
    for (const item of list) this.#stream(item);
  }

  #stream(value: PdfValue): void {
    const stream = asStream(this.#take(value, true));
    if (stream === null) throw fault('data is missing');
    for (const key of stream.dictionary.keys()) {
      if (!STREAM_KEYS.has(key)) throw fault(`data has /${key}`);
    }
    const data = this.#revision.data(stream);
    if (!isOneSequence(data)) throw fault('data is not DER');
    this.data.add(data.toString('latin1'));
  }

  #dictionary(value: PdfValue): PdfDictionary {
    const dictionary = this.#take(value, false);
    if (!isDictionary(dictionary)) throw fault('a dictionary is missing');
    return dictionary;
  }

  #take(value: PdfValue, isStream: boolean): PdfValue {
    const reference = asReference(value);
    if (reference === null) return value;
    const { number } = reference;
    if (!this.#mayHold(number)) throw fault('it holds an object of the document');
    this.kinds.set(number, isStream);
    return this.#revision.object(number);
  }
}

/** Whether the bytes are one SEQUENCE with its length, which no content of a page is. */
function isOneSequence(data: Buffer): boolean {
  const [tag, first = 0] = data;
  if (tag !== SEQUENCE) return false;
  if (first < 0x80) return data.length === 2 + first;
  const count = first & 0x7f;
  if (count === 0 || count > 4 || data.length < 2 + count) return false;
  return data.length === 2 + count + data.readUIntBE(2, count);
}

function fault(what: string): UnreadableFile {
  return new UnreadableFile(`the document security store: ${what}`);
}

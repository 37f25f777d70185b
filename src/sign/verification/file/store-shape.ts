import type { Revision } from './revision.ts';
import { asStream, isDictionary, isName, type PdfDictionary, type PdfValue } from './values.ts';

const LISTS = new Set(['Certs', 'OCSPs', 'CRLs']);
const LISTS_OF_ONE = new Set(['Cert', 'OCSP', 'CRL']);
/** Keys of a stream that say how it is stored. */
const STREAM_KEYS = new Set(['Length', 'Filter', 'DecodeParms', 'Type', 'DL']);

/**
 * Whether a dictionary is a document security store (ISO 32000-2, 12.8.4.3): lists of plain streams,
 * and nothing that a reader could show or run.
 */
export function isStore(file: Revision, store: PdfDictionary): boolean {
  return [...store].every(([key, value]) => {
    if (key === 'Type') return isName(value, 'DSS');
    if (LISTS.has(key)) return areStreams(file, value);
    const entries = file.dictionary(value);
    return key === 'VRI' && entries !== null && isVri(file, entries);
  });
}

/** Validation data by signature: its digest, and the data of this one. */
function isVri(file: Revision, entries: PdfDictionary): boolean {
  return [...entries].every(([name, value]) => {
    if (name === 'Type') return isName(value, 'VRI');
    const entry = file.dictionary(value);
    return entry !== null && [...entry].every(([key, one]) => isVriEntry(file, key, one));
  });
}

function isVriEntry(file: Revision, key: string, value: PdfValue): boolean {
  if (key === 'Type') return isName(value, 'VRI');
  if (key === 'TU') return typeof file.resolve(value) === 'object';
  if (key === 'TS') return isPlainStream(file, value);
  return LISTS_OF_ONE.has(key) && areStreams(file, value);
}

function areStreams(file: Revision, value: PdfValue): boolean {
  return file.list(value).every((item) => isPlainStream(file, item));
}

function isPlainStream(file: Revision, value: PdfValue): boolean {
  const stream = asStream(file.resolve(value));
  if (stream === null || isDictionary(stream)) return false;
  const isKnown = [...stream.dictionary.keys()].every((key) => STREAM_KEYS.has(key));
  return (
    isKnown &&
    !['XObject', 'Pattern', 'ObjStm', 'XRef'].some((type) => {
      return isName(stream.dictionary.get('Type'), type);
    })
  );
}

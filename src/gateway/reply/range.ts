/** Bytes [from, to) of a file. */
export interface ByteSpan {
  readonly from: number;
  readonly to: number;
}

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a Range header (RFC 9110 §14.2). Null, without one or for ranges that the service does not
 * support (several, another unit), means the whole file; 'unsatisfiable' means a range outside the
 * file.
 */
export function readRange(header: string, bytes: number): ByteSpan | 'unsatisfiable' | null {
  const parts = SINGLE.exec(header.replaceAll(/\s/g, ''));
  if (parts === null) return null;
  const [, first = '', last = ''] = parts;
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 ? 'unsatisfiable' : { from: Math.max(0, bytes - suffix), to: bytes };
  }
  const from = Number(first);
  const to = last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (last !== '' && Number(last) < from) return null;
  return from >= bytes ? 'unsatisfiable' : { from, to };
}

/**
 * Whether the body is not encoded. RFC 9110 §8.4.1 reserves "identity" for Accept-Encoding, but
 * some clients send it.
 */
export function isIdentity(contentEncoding: string): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/** Media types of rows. Browsers send them across sites only after a CORS preflight. */
export function isRows(contentType: string): boolean {
  return /^(?:application\/(?:x-)?ndjson|application\/jsonl|text\/csv)(?:\s*;|$)/i.test(
    contentType,
  );
}

/** application/pdf with any parameters. */
export function isPdf(contentType: string): boolean {
  return contentType.split(';')[0]?.trim().toLowerCase() === 'application/pdf';
}

/** application/json with any parameters; charset, when given, must be UTF-8 (RFC 8259 §8.1). */
export function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}

/** A name that every client reads as it stands in a quoted string (RFC 6266, appendix D). */
const PLAIN = /^[\w .,()+=@#!~-]+$/;
/** Characters of RFC 5987's attr-char that encodeURIComponent leaves as they are, and must not. */
const OTHER = /['()*]/g;

/**
 * The value of Content-Disposition for a file that is saved (RFC 6266). A name with other characters
 * than ASCII is in `filename*` (RFC 5987); clients that do not know that take `plainName`.
 */
export function attachment(name: string, plainName: string): string {
  if (name === '') return `attachment; filename="${plainName}"`;
  if (PLAIN.test(name)) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name).replaceAll(OTHER, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${plainName}"; filename*=UTF-8''${encoded}`;
}

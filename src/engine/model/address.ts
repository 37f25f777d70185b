const SCHEMES = /^(?:https?|mailto|tel|ftp):/i;
const FOREIGN_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Whether a link may open this address: its scheme is http, https, mailto, tel or ftp, and it holds
 * no control character. Readers run the addresses of other schemes (`javascript:`, `file:`) as
 * actions (ISO 32000-2, 12.6.4.8).
 */
export function isLinkAddress(text: string): boolean {
  return SCHEMES.test(text) && !/\p{Cc}/u.test(text);
}

/** Whether the text names a scheme that links may not open. */
export function hasForeignScheme(text: string): boolean {
  return FOREIGN_SCHEME.test(text) && !SCHEMES.test(text);
}

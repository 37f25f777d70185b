import { cookieOf } from '../http/headers.ts';

/** Name of the cookie that carries the token of a session. */
const SESSION_COOKIE = 'intaglio_session';
/**
 * Its name where browsers use HTTPS: with this prefix they take it from this host over HTTPS only
 * (RFC 6265bis §4.1.3.2), so neither another subdomain nor a page over HTTP can plant one.
 */
const SECURE_COOKIE = `__Host-${SESSION_COOKIE}`;

/** The name under which a browser, or another client, sends its session. */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? SECURE_COOKIE : SESSION_COOKIE;
}

/**
 * A `Cookie` header that came over HTTPS, without the session's plain name: a page over HTTP or of
 * another subdomain can plant a cookie of that name.
 */
export function withoutPlainSession(cookie: string): string {
  if (!cookie.includes(SESSION_COOKIE)) return cookie;
  const pairs = cookie.split(';');
  return pairs.filter((pair) => pair.split('=', 1)[0]?.trim() !== SESSION_COOKIE).join(';');
}

/** The token of the session that a request names; '' for none. */
export function sessionTokenOf(cookie: string): string {
  if (cookie === '') return '';
  return cookieOf(cookie, SECURE_COOKIE) || cookieOf(cookie, SESSION_COOKIE);
}

/** The values of `Set-Cookie` that give a browser its session. */
export function sessionCookies(token: string, seconds: number, isSecure: boolean): string[] {
  return [setCookie(sessionCookieName(isSecure), token, '/', seconds, isSecure)];
}

/** The values of `Set-Cookie` that take a session away, under each of its names. */
export function endedSessionCookies(isSecure: boolean): string[] {
  const plain = setCookie(SESSION_COOKIE, '', '/', 0, isSecure);
  return isSecure ? [setCookie(SECURE_COOKIE, '', '/', 0, true), plain] : [plain];
}

/** A value of `Set-Cookie`. */
export function setCookie(
  name: string,
  value: string,
  path: string,
  seconds: number,
  isSecure: boolean,
): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

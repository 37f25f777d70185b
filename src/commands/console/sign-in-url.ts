/**
 * The address that signs a browser in with a one-time token. The token stands behind the #: browsers
 * send that part to no server, so it reaches no log, and looking at the address does not use it up.
 */
export function signInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/studio#sign-in=${token}`;
}

/**
 * The address that signs a browser in with a one-time token. The token is in the fragment, which
 * browsers never send to a server: it appears in no log, and a link preview does not use it up.
 */
export function signInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/studio#sign-in=${token}`;
}

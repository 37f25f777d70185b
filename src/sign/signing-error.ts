/** A failure to sign. The message is for the log: it holds no address, key or password. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

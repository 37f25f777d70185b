/** A failure to sign. The message is for the log: it holds no address, key or password. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

/** The token refused the PIN, and counted it as a wrong one: nothing may try it again. */
export class PinRefused extends SigningError {}

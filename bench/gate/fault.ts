/** The gate cannot compare; the message says why, and what to do. */
export class GateFault extends Error {
  override readonly name = 'GateFault';
}

/** `bench --template` cannot measure what it was asked to; the message says why, and what to do. */
export class OwnFault extends Error {
  override readonly name = 'OwnFault';
}

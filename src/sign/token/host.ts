import { findToken, TokenError, TokenSession } from './cryptoki.ts';
import type { TokenAnswer, TokenRequest } from './messages.ts';

/**
 * The process that holds a token's session. The module of a token is native code of its vendor: in
 * this process it can crash, hang or keep a lock without harm to the service. The process ends with
 * its parent.
 */
let session: TokenSession | null = null;

process.on('message', (request: TokenRequest) => {
  process.send?.(answer(request));
});
process.on('disconnect', () => process.exit(0));

function answer(request: TokenRequest): TokenAnswer {
  const { id } = request;
  try {
    return { id, ok: true, value: perform(request) };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { id, ok: false, reason: error.message, isFinal: error.isFinal };
  }
}

function perform(request: TokenRequest): string {
  if (request.kind === 'find') {
    findToken(request.place);
    return '';
  }
  if (request.kind === 'open') {
    session = new TokenSession(request.place, request.pin);
    return '';
  }
  if (session === null) throw new TokenError('no session');
  return session.sign(Buffer.from(request.data, 'base64'), request.keyKind).toString('base64');
}

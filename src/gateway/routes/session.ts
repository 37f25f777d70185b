import * as api from '../../api/sessions.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { ROLES, type UserRecord } from '../../store/store.ts';
import { refuseCrossSite } from '../callers/auth.ts';
import { sessionTokenOf } from '../callers/session-cookie.ts';
import { jsonReply, type PendingReply, type PlainReply } from '../reply/reply.ts';
import { json } from '../openapi/operation.ts';
import type { Call, GuardedCall, Route, Services } from '../route.ts';
import { describedRoute, isoTime, undescribedRoute } from '../route.ts';
import { openSession } from './login.ts';

/** GET /v1/session returns the signed-in user. GET /auth/links/:token tells whose link it is, POST uses it. */
export function sessionRoutes(services: Services): readonly Route[] {
  return [
    describedRoute({
      method: 'GET',
      path: '/v1/session',
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ROLES },
      counted: false,
      bodyBytesMax: 0,
      operation: {
        operationId: 'getSession',
        summary: 'Who is signed in',
        replies: {
          200: { description: 'The user.', content: json(api.session, api.SESSION_EXAMPLE) },
        },
        errors: [],
      },
      run: (call) => describe(services, call),
    }),
    undescribedRoute({
      method: 'GET',
      path: '/auth/links/:token',
      run: (call) => look(services, call),
    }),
    undescribedRoute({
      method: 'POST',
      path: '/auth/links/:token',
      run: (call) => redeem(services, call),
    }),
  ];
}

async function describe(services: Services, call: GuardedCall): PendingReply<api.Session> {
  const { store, nowMs, options } = services;
  const token = sessionTokenOf(call.exchange.headers.cookie);
  const session = await store.sessions.find(token, nowMs());
  // The session may have ended after the caller was identified.
  if (session === null) return fail('unauthenticated');
  const { userId, teamId, role, expiresAtMs } = session;
  const user = await store.users.find(userId);
  const displayName = user?.displayName || userId;
  const { publishApprovals } = options;
  return succeed(
    jsonReply(200, {
      userId,
      displayName,
      teamId,
      role,
      expiresAt: isoTime(expiresAtMs),
      publishApprovals,
    }),
  );
}

const LINK_OVER =
  'This link does not work any more: it was used, has expired, or was taken back. Ask for another.';

/**
 * Tells whose link it is, and who is signed in meanwhile. The token is a secret, so whoever has it
 * may know the former; the latter is only for the browser of that session.
 */
async function look(services: Services, { exchange, params }: Call): PendingReply<api.SignInLink> {
  const { store, nowMs } = services;
  const userId = await store.signInLinks.find(params[0] ?? '', nowMs());
  const user = userId === null ? null : await store.users.find(userId);
  if (user === null) return fail('unauthenticated', LINK_OVER);
  const session = await store.sessions.find(sessionTokenOf(exchange.headers.cookie), nowMs());
  const current = session === null ? null : await store.users.find(session.userId);
  return succeed(
    jsonReply(200, { user: named(user), current: current === null ? null : named(current) }),
  );
}

function named({ userId, displayName, teamId }: UserRecord): api.NamedUser {
  return { userId, displayName: displayName || userId, teamId };
}

/**
 * Signing in is a POST, so that a link preview does not use the link up, and must come from the
 * service's own pages, so that no other site can sign its visitor in as somebody else (login CSRF).
 * Another site can still lead its visitor to the Studio with a link of an account of its own, so the
 * Studio shows whose link it is and asks first.
 */
async function redeem(
  services: Services,
  { exchange, params }: Call,
): Promise<Outcome<PlainReply>> {
  const { origin } = new URL(services.baseUrl());
  const refusal = refuseCrossSite(exchange.headers, origin, exchange.isSecure);
  if (refusal !== null) return refusal;
  const userId = await services.store.signInLinks.redeem(params[0] ?? '', services.nowMs());
  if (userId === null) {
    return fail('unauthenticated', LINK_OVER);
  }
  const cookies = await openSession(services, exchange, userId);
  if (!cookies.ok) return cookies;
  return succeed({ status: 204, headers: {}, body: '', cookies: cookies.value });
}

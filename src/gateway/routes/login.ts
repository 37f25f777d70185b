import { emptyBody } from '../../api/schema.ts';
import type { Outcome } from '../../errors.ts';
import { succeed } from '../../errors.ts';
import type { Role, Store, UserRecord } from '../../store/store.ts';
import { ROLES } from '../../store/store.ts';
import {
  endedSessionCookies,
  sessionCookies,
  sessionTokenOf,
  setCookie,
} from '../callers/session-cookie.ts';
import type { Exchange } from '../exchange.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import { prefersHtml } from '../http/accept.ts';
import { cookieOf } from '../http/headers.ts';
import type { Identity, LoginState } from '../callers/oidc.ts';
import { OidcClient } from '../callers/oidc.ts';
import { SignInBounds } from '../callers/sign-in-bounds.ts';
import type { SignInFailure, SignInStep } from '../callers/sign-in-failure.ts';
import { refuseSignIn, SIGN_IN_FAILURES } from '../callers/sign-in-failure.ts';
import { json } from '../openapi/operation.ts';
import type { PlainReply } from '../reply/reply.ts';
import type { Call, GuardedCall, Route, Services } from '../route.ts';
import { describedRoute, recordAccess, undescribedRoute } from '../route.ts';
import { TextSealer } from '../callers/seal.ts';

const LOGIN_COOKIE = 'intaglio_login';
const LOGIN_SECONDS = 600;

interface PendingLogin extends LoginState {
  readonly returnTo: string;
  readonly endsAtMs: number;
}

/** GET /auth/login and /auth/callback with a provider configured; POST /auth/logout always. */
export function loginRoutes(services: Services): readonly Route[] {
  const logout = describedRoute({
    method: 'POST',
    path: '/auth/logout',
    access: { scope: null, keyRefusal: 'insufficient_scope', roles: ROLES },
    counted: false,
    bodyBytesMax: 1_024,
    operation: {
      operationId: 'signOut',
      summary: 'End the session',
      body: json(emptyBody, {}),
      replies: { 204: { description: 'Signed out.' } },
      errors: [],
    },
    run: (call) => endSession(services, call),
  });
  const { oidc, linkSecrets } = services.options;
  if (oidc === null) return [logout];
  const bounds = new SignInBounds(LOGIN_SECONDS * 1000);
  const redirectUri = (): string => `${services.baseUrl()}/auth/callback`;
  const login = new Login(services, {
    client: new OidcClient(oidc, redirectUri, bounds, (fault) =>
      services.log.error({ msg: 'identity provider at fault', ...fault }),
    ),
    bounds,
    sealer: new TextSealer(linkSecrets, 'intaglio login'),
    provisions: oidc.teamClaim !== '' && oidc.roleClaim !== '',
  });
  return [
    undescribedRoute({
      method: 'GET',
      path: '/auth/login',
      run: (call) => login.begin(call),
    }),
    undescribedRoute({
      method: 'GET',
      path: '/auth/callback',
      run: (call) => login.finish(call),
    }),
    logout,
  ];
}

async function endSession(services: Services, call: GuardedCall): Promise<Outcome<PlainReply>> {
  const { exchange } = call;
  await services.store.sessions.remove(sessionTokenOf(exchange.headers.cookie));
  await recordAccess(services, call, 'sessions.close');
  const cookies = endedSessionCookies(isSecure(services, exchange));
  return succeed({ status: 204, headers: {}, body: '', cookies });
}

/** Opens a session for the user; returns the cookies to set. */
export async function openSession(
  services: Services,
  exchange: Exchange,
  userId: string,
): Promise<Outcome<readonly string[]>> {
  const { store, nowMs, options } = services;
  // Prevents session fixation: the browser's old session ends, and the new one has a new token.
  const planted = sessionTokenOf(exchange.headers.cookie);
  if (planted !== '') await store.sessions.remove(planted);
  const session = await store.sessions.add(userId, nowMs() + options.sessionTtlSeconds * 1000);
  if (!session.ok) return SIGN_IN_FAILURES.inactive;
  const { token } = session.value;
  const user = await store.users.find(userId);
  const principal = { id: `user:${userId}`, teamId: user?.teamId ?? '' };
  await recordAccess(services, { exchange, principal }, 'sessions.open');
  return succeed(sessionCookies(token, options.sessionTtlSeconds, isSecure(services, exchange)));
}

interface LoginParts {
  readonly client: OidcClient;
  readonly bounds: SignInBounds;
  readonly sealer: TextSealer;
  /** Team and role come from claims, and users are created at their first login. */
  readonly provisions: boolean;
}

class Login {
  readonly #services: Services;
  readonly #parts: LoginParts;

  constructor(services: Services, parts: LoginParts) {
    this.#services = services;
    this.#parts = parts;
  }

  async begin(call: Call): Promise<Outcome<PlainReply>> {
    const { exchange, query } = call;
    const returnTo = localPath(new URLSearchParams(query).get('return_to')) ?? this.#home();
    if (!this.#admitsCall(exchange)) return this.#refuse(exchange, returnTo, 'too_many');
    const begun = await this.#parts.client.begin();
    if (!begun.ok) return this.#refuse(exchange, returnTo, begun.reason);
    const pending: PendingLogin = {
      ...begun.value.login,
      returnTo,
      endsAtMs: this.#services.nowMs() + LOGIN_SECONDS * 1000,
    };
    const sealed = this.#parts.sealer.seal(JSON.stringify(pending));
    const cookies = [this.#loginCookie(exchange, sealed, LOGIN_SECONDS)];
    return succeed(redirect(begun.value.location, cookies));
  }

  async finish({ exchange, query }: Call): Promise<Outcome<PlainReply>> {
    const pending = this.#pending(cookieOf(exchange.headers.cookie, LOGIN_COOKIE));
    if (pending === null) return this.#refuse(exchange, this.#home(), 'expired');
    if (!this.#admitsCall(exchange)) return this.#refuse(exchange, pending.returnTo, 'too_many');
    // A cookie serves for one way back: with it, anybody could ask the provider about many codes.
    if (!this.#parts.bounds.use(pending.state)) {
      return this.#refuse(exchange, pending.returnTo, 'not_completed');
    }
    const user = await this.#identify(query, pending);
    if (!user.ok) return this.#refuse(exchange, pending.returnTo, user.reason);
    const cookies = await openSession(this.#services, exchange, user.value.userId);
    if (!cookies.ok) return this.#refuse(exchange, pending.returnTo, 'inactive');
    const ended = this.#loginCookie(exchange, '', 0);
    return succeed(redirect(pending.returnTo, [...cookies.value, ended]));
  }

  #admitsCall({ client }: Exchange): boolean {
    return this.#parts.bounds.admits(client, performance.now());
  }

  async #identify(query: string, pending: PendingLogin): Promise<SignInStep<UserRecord>> {
    const identity = await this.#parts.client.finish(query, pending);
    return identity.ok ? this.#admit(identity.value) : identity;
  }

  /**
   * A browser goes back to the sign-in page, at the page of the Studio that was asked for. The
   * reason stands in the fragment, from a fixed list: nothing of the request comes back.
   */
  #refuse(exchange: Exchange, returnTo: string, reason: SignInFailure): Outcome<PlainReply> {
    const { options, log } = this.#services;
    log.info({ msg: 'sign-in failed', ...exchange.ids, reason });
    if (options.studioFolder === null || !prefersHtml(exchange.headers.accept)) {
      return SIGN_IN_FAILURES[reason];
    }
    const page = STUDIO_PATH.test(returnTo) ? returnTo : '/studio';
    const ended = this.#loginCookie(exchange, '', 0);
    return succeed(redirect(`${page}#sign-in-failed=${reason}`, [ended]));
  }

  #home(): string {
    return this.#services.options.studioFolder === null ? '/docs' : '/studio';
  }

  #pending(sealed: string): PendingLogin | null {
    const text = this.#parts.sealer.open(sealed);
    if (text === null) return null;
    // Only this class seals with this purpose, so the text has this shape.
    const pending = JSON.parse(text) as PendingLogin;
    return pending.endsAtMs > this.#services.nowMs() ? pending : null;
  }

  #loginCookie(exchange: Exchange, value: string, seconds: number): string {
    const secure = isSecure(this.#services, exchange);
    return setCookie(LOGIN_COOKIE, value, '/auth', seconds, secure);
  }

  /** The user of an identity, known from the identity sync or created from the claims. */
  async #admit(identity: Identity): Promise<SignInStep<UserRecord>> {
    const { store } = this.#services;
    const known = await store.users.find(identity.subject);
    const admitted = await this.#admitAs(known, identity);
    // Whom the provider no longer admits is signed out everywhere.
    if (!admitted.ok && known !== null) await store.sessions.endAll(known.userId);
    return admitted;
  }

  async #admitAs(known: UserRecord | null, identity: Identity): Promise<SignInStep<UserRecord>> {
    const { store } = this.#services;
    if (known !== null && !known.active) return refuseSignIn('inactive');
    if (!this.#parts.provisions)
      return known === null ? refuseSignIn('unknown_user') : succeed(known);
    const role = ROLES.toSorted(byRank).find((name) => identity.role.includes(name));
    if (role === undefined || identity.team === '') return refuseSignIn('no_role');
    return provision(store, known, identity, role);
  }
}

/** Sorts roles, most powerful first, because a user has only one. */
function byRank(one: Role, other: Role): number {
  const rank: Record<Role, number> = { Admin: 0, Editor: 1, Viewer: 2 };
  return rank[one] - rank[other];
}

async function provision(
  store: Store,
  known: UserRecord | null,
  identity: Identity,
  role: Role,
): Promise<SignInStep<UserRecord>> {
  const { subject: userId, team: teamId, name, email } = identity;
  // Nobody is kept out by a name that people cannot read: the user's id is shown instead.
  const displayName = nameFault(name) === null ? name : '';
  const wanted: UserRecord = { userId, teamId, role, displayName, email, active: true };
  if (known !== null && known.teamId === teamId && known.role === role) return succeed(known);
  if (known === null) {
    const added = await store.users.add(wanted);
    if (added.ok) return added;
    // Another login of this user may have added it since.
    const other = await store.users.find(userId);
    if (other?.active === true && other.teamId === teamId && other.role === role) {
      return succeed(other);
    }
    return refuseSignIn('not_admitted');
  }
  // A sync may have deactivated the user since it was read: then nobody is moved.
  const isMoved = await store.users.moveActive(wanted);
  return isMoved ? succeed(wanted) : refuseSignIn('not_admitted');
}

function redirect(location: string, cookies: readonly string[]): PlainReply {
  const headers = { Location: location, 'Referrer-Policy': 'no-referrer' };
  return { status: 302, headers, body: '', cookies };
}

function isSecure(services: Services, exchange: Exchange): boolean {
  return exchange.isSecure || services.baseUrl().startsWith('https:');
}

/** A page of the Studio, which asks for a sign-in. */
const STUDIO_PATH = /^\/studio(?:[/?]|$)/;

/** A path of this service, and a query that filters what is shown there. */
const LOCAL_PATH = /^\/(?![/\\])[\w./~%-]{0,200}(?:\?[\w./~%&=+*-]{0,500})?$/;

/** Accepts a path of this service; null for the address of another site (open redirect). */
function localPath(path: string | null): string | null {
  return path !== null && LOCAL_PATH.test(path) ? path : null;
}

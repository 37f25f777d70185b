import * as client from 'openid-client';
import { succeed } from '../../errors.ts';
import type { OidcOptions } from '../types.ts';
import { boundedFetch, ResponseTooLarge } from './bounded-fetch.ts';
import type { SignInBounds } from './sign-in-bounds.ts';
import type { SignInStep } from './sign-in-failure.ts';
import { refuseSignIn } from './sign-in-failure.ts';

const PROVIDER_TIMEOUT_SECONDS = 10;
/** Limit of each response of the provider: metadata, keys, tokens, claims. */
const RESPONSE_BYTES_MAX = 256 * 1024;
/** Metadata and keys are read again after this time, because endpoints move and keys change. */
const METADATA_MS = 3_600_000;
const SCOPES = 'openid profile email';

/** State kept from the redirect to the provider until the user comes back. */
export interface LoginState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A user as the provider describes them; '' for missing claims. */
export interface Identity {
  readonly subject: string;
  readonly team: string;
  readonly role: readonly string[];
  readonly name: string;
  readonly email: string;
}

/** Logins at an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class OidcClient {
  readonly #options: OidcOptions;
  readonly #redirectUri: () => string;
  readonly #bounds: SignInBounds;
  readonly #report: (fault: ProviderFault) => void;
  #configuration: Promise<client.Configuration> | null = null;
  /** Time of the monotonic clock at which the configuration was asked for. */
  #configuredAtMs = 0;
  /** The secret that the configuration was made with. */
  #clientSecret = '';

  /** `report` gets what is wrong with the provider, or with this service's account there. */
  constructor(
    options: OidcOptions,
    redirectUri: () => string,
    bounds: SignInBounds,
    report: (fault: ProviderFault) => void,
  ) {
    this.#options = options;
    this.#redirectUri = redirectUri;
    this.#bounds = bounds;
    this.#report = report;
  }

  /** Begins a login; returns the address to redirect the browser to. */
  async begin(): Promise<SignInStep<{ location: string; login: LoginState }>> {
    const login: LoginState = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    return this.#ask(async (configuration) => {
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: this.#redirectUri(),
        scope: SCOPES,
        state: login.state,
        nonce: login.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(login.verifier),
        code_challenge_method: 'S256',
      });
      return succeed({ location: url.href, login });
    });
  }

  /** Exchanges the code in the provider's redirect for the claims about the user. */
  async finish(query: string, login: LoginState): Promise<SignInStep<Identity>> {
    const step = await this.#bounds.ask(() => this.#exchange(query, login));
    return step ?? refuseSignIn('provider_unavailable');
  }

  async #exchange(query: string, login: LoginState): Promise<SignInStep<Identity>> {
    return this.#ask(async (configuration) => {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri()}?${query}`),
        {
          expectedState: login.state,
          expectedNonce: login.nonce,
          pkceCodeVerifier: login.verifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      if (claims === undefined) return refuseSignIn('not_completed');
      // The token was issued to another client (OpenID Connect Core 3.1.3.7, 5).
      const { azp } = claims;
      if (azp !== undefined && azp !== this.#options.clientId) return refuseSignIn('not_completed');
      const { teamClaim } = this.#options;
      const complete = teamClaim === '' || claims[teamClaim] !== undefined;
      const more =
        complete || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return succeed(this.#identity({ ...more, ...claims }));
    });
  }

  #identity(claims: Readonly<Record<string, unknown>>): Identity {
    const { teamClaim, roleClaim } = this.#options;
    const roles = claims[roleClaim];
    return {
      subject: textOf(claims['sub']),
      team: textOf(claims[teamClaim]),
      role: Array.isArray(roles) ? roles.map(textOf) : [textOf(roles)],
      name: textOf(claims['name']),
      email: textOf(claims['email']),
    };
  }

  async #ask<T>(
    question: (configuration: client.Configuration) => Promise<SignInStep<T>>,
  ): Promise<SignInStep<T>> {
    try {
      return await question(await this.#discover());
    } catch (error) {
      // The provider refused the user, for instance because they pressed "cancel".
      if (error instanceof client.AuthorizationResponseError) return refuseSignIn('not_completed');
      const fault = faultOf(error);
      if (fault !== null) {
        this.#report(fault);
        // Its endpoints may have moved.
        this.#configuration = null;
        return refuseSignIn('provider_unavailable');
      }
      // The provider's response is invalid: a replayed code, a forged state or a wrong token.
      if (error instanceof client.ResponseBodyError || error instanceof client.ClientError) {
        return refuseSignIn('not_completed');
      }
      throw error;
    }
  }

  /**
   * Fetches the provider's metadata once an hour, and again after a failure or when the secret has
   * changed.
   */
  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId } = this.#options;
    const clientSecret = this.#options.clientSecret();
    const isOld = performance.now() - this.#configuredAtMs > METADATA_MS;
    if (isOld || clientSecret !== this.#clientSecret) this.#configuration = null;
    this.#clientSecret = clientSecret;
    if (this.#configuration === null) {
      this.#configuredAtMs = performance.now();
      this.#configuration = discover(new URL(issuer), clientId, clientSecret);
    }
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      throw error;
    }
  }
}

function discover(url: URL, clientId: string, clientSecret: string): Promise<client.Configuration> {
  // The ID token comes from the token endpoint, where OpenID Connect Core 3.1.3.7 (6) allows a client
  // to rely on TLS instead of the signature. Here a provider may run over plain HTTP inside the
  // institution's network, and a proxy may end TLS: the signature is always checked.
  const execute = [client.enableNonRepudiationChecks];
  if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
  return client.discovery(url, clientId, clientSecret, undefined, {
    execute,
    timeout: PROVIDER_TIMEOUT_SECONDS,
    [client.customFetch]: boundedFetch(RESPONSE_BYTES_MAX),
  });
}

/** A fault of the provider, or of this service's account there, for the log. */
export interface ProviderFault {
  readonly fault: 'unreachable' | 'slow' | 'too large' | 'not an answer' | 'client refused';
  /** HTTP status of the provider's response, when there was one. */
  readonly status?: number;
}

/**
 * Asks the provider for its metadata, and sends a code that it never gave: a provider that knows this
 * service refuses the code, any other the service (RFC 6749, 5.2). null: all is well.
 */
export async function probeProvider(
  issuer: string,
  clientId: string,
  clientSecret: string,
): Promise<ProviderFault | null> {
  const fields = { code: PROBE_CODE, redirect_uri: 'http://localhost/auth/callback' };
  try {
    const configuration = await discover(new URL(issuer), clientId, clientSecret);
    await client.genericGrantRequest(configuration, 'authorization_code', fields);
    return null;
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== null) return fault;
    if (error instanceof client.ResponseBodyError) return null;
    if (error instanceof client.ClientError) return { fault: 'not an answer' };
    throw error;
  }
}

const PROBE_CODE = 'check-of-settings';

/** Faults that the library finds before it reads what the response says. */
const NO_ANSWER = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);
const SLOW = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);
/** The provider refuses this service, not the user (RFC 6749, 5.2). */
const CLIENT_REFUSED = new Set(['invalid_client', 'unauthorized_client']);

/** null: the provider works, and the sign-in is not valid. */
function faultOf(error: unknown): ProviderFault | null {
  if (!(error instanceof Error)) return null;
  if (causes(error).some((cause) => cause instanceof ResponseTooLarge))
    return { fault: 'too large' };
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return { fault: 'client refused', status: error.status };
  }
  if (error instanceof client.ResponseBodyError) {
    const { status } = error;
    if (CLIENT_REFUSED.has(error.error)) return { fault: 'client refused', status };
    return status >= 500 ? { fault: 'not an answer', status } : null;
  }
  if (error instanceof client.ClientError) {
    const { code = '', cause } = error;
    if (SLOW.has(code)) return { fault: 'slow' };
    if (!NO_ANSWER.has(code)) return null;
    return { fault: 'not an answer', ...(cause instanceof Response && { status: cause.status }) };
  }
  return isNetworkError(error) ? { fault: 'unreachable' } : null;
}

/** The error, and what the library found it in. */
function causes(error: Error): readonly unknown[] {
  const chain: unknown[] = [error];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) chain.push(cause);
  return chain;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * fetch reports an unreachable host as a TypeError whose cause is the error of the connection, and
 * a slow one as a TimeoutError. A TypeError that is a bug has no cause.
 */
function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}

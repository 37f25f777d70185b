import * as client from 'openid-client';
import { succeed } from '../../errors.ts';
import type { OidcOptions } from '../types.ts';
import type { SignInStep } from './sign-in-failure.ts';
import { refuseSignIn } from './sign-in-failure.ts';

const PROVIDER_TIMEOUT_SECONDS = 10;
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
  #configuration: Promise<client.Configuration> | null = null;
  /** The secret that the configuration was made with. */
  #clientSecret = '';

  constructor(options: OidcOptions, redirectUri: () => string) {
    this.#options = options;
    this.#redirectUri = redirectUri;
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
      if (error instanceof client.AuthorizationResponseError) {
        return refuseSignIn('not_completed');
      }
      // The provider's response is invalid: a replayed code, a forged state or a wrong token.
      if (error instanceof client.ResponseBodyError || error instanceof client.ClientError) {
        return refuseSignIn('not_completed');
      }
      if (isNetworkError(error)) return refuseSignIn('provider_unavailable');
      throw error;
    }
  }

  /**
   * Fetches the provider's metadata once, and again after a failure or when the secret has changed.
   */
  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId } = this.#options;
    const clientSecret = this.#options.clientSecret();
    if (clientSecret !== this.#clientSecret) this.#configuration = null;
    this.#clientSecret = clientSecret;
    const url = new URL(issuer);
    // An http URL means that the provider runs over plain HTTP inside the institution's network.
    const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    this.#configuration ??= client.discovery(url, clientId, clientSecret, undefined, {
      execute,
      timeout: PROVIDER_TIMEOUT_SECONDS,
    });
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      throw error;
    }
  }
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

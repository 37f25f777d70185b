/** How the client reaches the service. */
export interface ClientOptions {
  /** Address of the service, such as `https://documents.bank.example`. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Requests at a time, and so connections; further ones wait. While the service refuses requests
   * because it is busy, the client sends fewer at a time. 16 when omitted.
   */
  readonly concurrencyMax?: number | undefined;
  /** A try that hears nothing for this long counts as not answered. 60,000 when omitted. */
  readonly silenceMsMax?: number | undefined;
  /**
   * How often a request is sent, at most. Refusals by the key's rate limit are counted apart, up to the
   * same number. 10 when omitted; 1: nothing is repeated.
   */
  readonly triesMax?: number | undefined;
  /**
   * No try begins later than this after the call. Waits for windows of the key's rate limit do not
   * count, but none of them is longer. A call for which the service asks more ends at once. 120,000 when
   * omitted; 0: nothing is repeated.
   */
  readonly retryMsMax?: number | undefined;
  /**
   * While nothing has answered this client yet, calls give up after this time, so that a wrong address
   * is reported sooner than a service that restarts. When omitted, `retryMsMax` alone counts.
   */
  readonly unansweredMsMax?: number | undefined;
  /**
   * Address of a proxy, such as `http://user:password@proxy.bank.example:3128`. Programs that read it
   * from the environment give `process.env.HTTPS_PROXY`. None when omitted.
   */
  readonly proxy?: string | undefined;
  /** Hosts that are reached without the proxy, separated by commas, as in `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  /** Certificates: an authority of your own, or a certificate of the client (mutual TLS). */
  readonly tls?: TlsOptions | undefined;
  /** Sends the requests in place of the client's own connections, such as a test's. */
  readonly fetch?: typeof fetch | undefined;
  /** An `Agent` or `Pool` of undici, which then sends the requests. */
  readonly dispatcher?: Dispatcher | undefined;
  /** The system's time when omitted. */
  readonly clock?: Clock | undefined;
  /** Called when a try gets no answer and another one follows, once until the service answers. */
  readonly onOutage?: ((outage: Outage) => void) | undefined;
  /** Called at the first answer after an outage. */
  readonly onOutageEnd?: (() => void) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /**
   * Ends the call, its waits too, with `CancelledError`; `AbortSignal.timeout(ms)` is a time limit of
   * the whole call.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that give the file of a stored document. */
export interface FileOptions extends CallOptions {
  /**
   * The SHA-256 of the document in hexadecimal, as `store` and `document` return it: another file ends
   * in `DigestError`. When omitted, the file is compared with the digest that the answer tells, which
   * proxies may drop.
   */
  readonly sha256?: string | undefined;
  /** Refuses a file with `DigestError` when there is no digest to compare it with. False when omitted. */
  readonly requireDigest?: boolean | undefined;
}

/** Certificates and keys as `node:tls` takes them: PEM, or PFX with its passphrase. */
export interface TlsOptions {
  /** Authorities that are trusted in place of those that Node knows. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** The client's own certificate with its chain, and its key. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** Certificate and key in one file (PKCS #12), in place of `cert` and `key`. */
  readonly pfx?: Uint8Array | undefined;
  readonly passphrase?: string | undefined;
}

/** What the client uses of a dispatcher of undici. */
export interface Dispatcher {
  request(options: {
    readonly origin: string;
    readonly path: string;
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: string | Uint8Array | null;
    readonly signal: AbortSignal;
    readonly headersTimeout: number;
    readonly bodyTimeout: number;
  }): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: AsyncIterable<Uint8Array>;
  }>;
}

/** Time as the client sees it; a test brings its own. */
export interface Clock {
  /** Milliseconds since any moment; never goes back. */
  readonly nowMs: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Why a try got no answer. */
export interface Outage {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** Code of the error, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;
  /** The reason in words. */
  readonly why: string;
}

/** How many calls the key may make in a window of time. */
export interface KeyRate {
  readonly calls: number;
  readonly windowMs: number;
  /** Calls that may still begin in the window that runs now. */
  readonly left: number;
  /** When it ends; where none runs, the length of the one that the next call opens. */
  readonly endsInMs: number;
}

/** Requests that were refused and could be sent again, by what stood in the way. */
export interface Refusals {
  /** The key, or its team, had made as many calls as it may: 429. */
  readonly overLimit: number;
  /** The service was busy, or a proxy before it had no answer: 502, 503, 504. */
  readonly busy: number;
}

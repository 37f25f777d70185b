import { createRequire } from 'node:module';

/**
 * uWebSockets.js under either of two aliases: `uws-20-69` needs glibc 2.38, `uws-20-51` runs from
 * 2.27 on. The types name only what the gateway uses and both versions have.
 */
const ALIASES = ['uws-20-69', 'uws-20-51'] as const;

/** Limit of a request's headers; uWebSockets.js answers 431 to larger ones. */
const HEADER_BYTES_MAX = 16_384;

export type UwsBytes = string | ArrayBuffer | Uint8Array;

/** Valid only inside the handler that it is passed to. */
export interface UwsRequest {
  getUrl(): string;
  getQuery(): string | undefined;
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  getCaseSensitiveMethod(): string;
  /** Names in lower case, in the order sent, repeats included. */
  forEach(visit: (name: string, value: string) => void): void;
}

/** Valid until the response has ended or was aborted; later calls throw. */
export interface UwsResponse {
  writeStatus(status: UwsBytes): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body?: UwsBytes, closeConnection?: boolean): UwsResponse;
  endWithoutBody(reportedContentLength?: number, closeConnection?: boolean): UwsResponse;
  /** Writes a piece of a chunked body. False: backpressure; the socket buffers the piece. */
  write(chunk: UwsBytes): boolean;
  /**
   * Sends what the socket takes now. Returns whether it took the whole chunk, and whether the
   * response is complete.
   */
  tryEnd(chunk: UwsBytes, totalBytes: number): [boolean, boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  /** `chunk` is detached when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  cork(write: () => void): UwsResponse;
  close(): UwsResponse;
  /** Stops reading from the socket and its idle timeout. */
  pause(): void;
  resume(): void;
  /** The peer's address: 4 or 16 bytes; empty on a Unix socket. */
  getRemoteAddress(): ArrayBuffer;
}

/** A native listen socket. */
export interface UwsListenSocket {
  readonly __listenSocket: never;
}

export interface UwsApp {
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp;
  /** Called with 1 for each connection accepted and with -1 for each one closed. */
  filter(handler: (res: UwsResponse, change: number) => void): UwsApp;
  /**
   * With `options` LIBUS_LISTEN_EXCLUSIVE_PORT, the result is false when another process listens
   * there.
   */
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: UwsListenSocket | false) => void,
  ): UwsApp;
  /** Removes whatever is at `path` and listens there. */
  listen_unix(done: (socket: UwsListenSocket | false) => void, path: string): UwsApp;
  getDescriptor(): UwsDescriptor;
  /** Adds a child; accepted connections are handed to the children in turn. */
  addChildAppDescriptor(descriptor: UwsDescriptor): void;
  removeChildAppDescriptor(descriptor: UwsDescriptor): void;
  /** Stops listening and ends every connection at once. */
  close(): UwsApp;
}

/** A handle of a native app. */
export interface UwsDescriptor {
  readonly __descriptor: never;
}

export interface Uws {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  App(): UwsApp;
  /** Throws when the files do not hold a certificate and its private key. */
  SSLApp(options: {
    readonly cert_file_name: string;
    readonly key_file_name: string;
    /** Suites of TLS 1.2, in the syntax of OpenSSL. */
    readonly ssl_ciphers: string;
  }): UwsApp;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
}

/**
 * Loads the newer of the two if this machine can, otherwise the older. Throws an Error that says
 * why neither loads.
 */
export function loadUws(): Uws {
  const require = createRequire(import.meta.url);
  // The binary reads this when it loads. Its default of 4 KB is too small for browsers with
  // cookies.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(HEADER_BYTES_MAX);
  const reasons: string[] = [];
  for (const alias of ALIASES) {
    try {
      // The package's declarations say more than this type, which was compared with both versions.
      const uws = require(alias) as Partial<Uws>;
      if (isComplete(uws)) return uws;
      reasons.push(`${alias}: package-lock.json has no binary with a digest for this platform`);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      reasons.push(`${alias}: ${text.replaceAll(/\s+/g, ' ')}`);
    }
  }
  throw new Error(
    'uWebSockets.js cannot be loaded. It needs Node 22 (24 and 26 with glibc 2.38) on x64 Linux ' +
      `with glibc 2.27 or newer; Alpine (musl) does not work. ${reasons.join(' | ')}`,
  );
}

/**
 * False for the empty package that package.json puts in the place of binaries whose digest could
 * not be pinned (`overrides`).
 */
function isComplete(uws: Partial<Uws>): uws is Uws {
  return typeof uws.App === 'function';
}

import { CIPHER_SUITES } from './cipher-suites.ts';
import type { Request } from './request.ts';
import { readRequest } from './request.ts';
import type { Uws, UwsApp, UwsListenSocket, UwsResponse } from './uws.ts';
import { loadUws } from './uws.ts';

/** Called for each request inside the parser; it must open the body before it returns. */
export type OnRequest = (request: Request, res: UwsResponse) => void;

/** Files of the certificate chain and its private key, both in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The server cannot listen on the address. */
export class ListenError extends Error {
  /** The reason, if it is known; otherwise ''. */
  readonly reason: string;

  constructor(address: string, reason = '') {
    super(`cannot listen on ${address}${reason === '' ? '' : `: ${reason}`}`);
    this.name = 'ListenError';
    this.reason = reason;
  }
}

/** An app that answers requests, and the number of its connections. */
interface Answering {
  readonly app: UwsApp;
  connections: number;
}

/**
 * Accepts connections at one address and hands their requests to one handler.
 *
 * With TLS, one app listens and hands each accepted connection to a child app, which holds the
 * certificate. A new certificate means a new child for new connections. The listening socket stays
 * open, so that no connection in its backlog is lost, and the old child stays until its last
 * connection ends. TLS 1.2 is the oldest version that uWebSockets.js speaks.
 */
export class HttpServer {
  readonly #uws: Uws = loadUws();
  readonly #listening: UwsApp;
  readonly #connectionsMax: number;
  readonly #onRequest: OnRequest;
  readonly #tls: TlsFiles | null;
  #answering: Answering;
  /** Children of former certificates that still have connections. */
  readonly #retired = new Set<Answering>();
  #socket: UwsListenSocket | null = null;
  #refused = 0;

  /** Connections beyond `connectionsMax` are closed as soon as they are accepted. */
  constructor(connectionsMax: number, onRequest: OnRequest, tls: TlsFiles | null = null) {
    this.#connectionsMax = connectionsMax;
    this.#onRequest = onRequest;
    this.#tls = tls;
    this.#answering = this.#answer();
    this.#listening = tls === null ? this.#answering.app : this.#open();
    if (tls !== null) this.#listening.addChildAppDescriptor(this.#answering.app.getDescriptor());
  }

  /** Number of open connections. */
  get connections(): number {
    let count = this.#answering.connections;
    for (const { connections } of this.#retired) count += connections;
    return count;
  }

  /** Number of connections closed because too many were open. */
  get refusedConnections(): number {
    return this.#refused;
  }

  get isListening(): boolean {
    return this.#socket !== null;
  }

  /** Starts listening and returns the port. Rejects with ListenError. */
  async listen(host: string, port: number): Promise<number> {
    const socket = await new Promise<UwsListenSocket | false>((resolve) => {
      this.#listening.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw new ListenError(`${host} port ${port}`);
    this.#socket = socket;
    return this.#uws.us_socket_local_port(socket);
  }

  /**
   * Listens on a Unix socket with these permissions. uWebSockets.js first removes whatever is at
   * `path`, so call `clearSocket` before.
   */
  async listenUnix(path: string, mode: number): Promise<void> {
    // The call creates the socket, which must never be accessible to others.
    const before = process.umask(~mode & 0o777);
    let listening: Promise<UwsListenSocket | false>;
    try {
      listening = new Promise((resolve) => this.#listening.listen_unix(resolve, path));
    } finally {
      process.umask(before);
    }
    const socket = await listening;
    if (socket === false) throw new ListenError(`unix:${path}`);
    this.#socket = socket;
  }

  /**
   * Uses the certificate that the files hold now for new connections; open ones keep theirs. Throws
   * when the files do not hold a certificate and its key; the old one then stays in use.
   */
  renewCertificate(): void {
    const former = this.#answering;
    const next = this.#answer();
    this.#listening.addChildAppDescriptor(next.app.getDescriptor());
    this.#listening.removeChildAppDescriptor(former.app.getDescriptor());
    this.#answering = next;
    this.#retired.add(former);
    // The former child ends later, because an accepted connection may be on its way to it.
    setTimeout(() => this.#endIfIdle(former), RETIRED_MS_MIN).unref();
  }

  /** Stops accepting connections; open ones stay. */
  stopListening(): void {
    if (this.#socket !== null) this.#uws.us_listen_socket_close(this.#socket);
    this.#socket = null;
  }

  /** Ends every connection. */
  close(): void {
    this.stopListening();
    for (const { app } of this.#retired) app.close();
    this.#retired.clear();
    this.#answering.app.close();
    if (this.#tls !== null) this.#listening.close();
  }

  #open(): UwsApp {
    if (this.#tls === null) return this.#uws.App();
    const { certFile, keyFile } = this.#tls;
    return this.#uws.SSLApp({
      cert_file_name: certFile,
      key_file_name: keyFile,
      ssl_ciphers: CIPHER_SUITES,
    });
  }

  #answer(): Answering {
    const app = this.#open();
    const answering: Answering = { app, connections: 0 };
    app.filter((res, change) => this.#count(answering, res, change));
    app.any('/*', (res, req) => this.#onRequest(readRequest(req), res));
    return answering;
  }

  #count(answering: Answering, res: UwsResponse, change: number): void {
    answering.connections += change;
    if (change < 0) {
      if (this.#retired.has(answering)) setImmediate(() => this.#endIfIdle(answering));
      return;
    }
    if (this.connections <= this.#connectionsMax) return;
    this.#refused += 1;
    res.close();
  }

  #endIfIdle(answering: Answering): void {
    if (answering.connections > 0 || !this.#retired.delete(answering)) return;
    answering.app.close();
  }
}

/** Minimum time that a child app is kept after its certificate was replaced. */
const RETIRED_MS_MIN = 1_000;

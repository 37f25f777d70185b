import type { Request } from './request.ts';
import { readRequest } from './request.ts';
import type { Uws, UwsApp, UwsListenSocket, UwsResponse } from './uws.ts';
import { loadUws } from './uws.ts';

/** Called for each request inside the parser: what is wanted of a body is asked for before it returns. */
export type OnRequest = (request: Request, res: UwsResponse) => void;

/** The address cannot be listened on. */
export class ListenError extends Error {
  constructor(host: string, port: number) {
    super(`cannot listen on ${host} port ${port}`);
    this.name = 'ListenError';
  }
}

/** Accepts connections at one address and hands their requests to one handler. */
export class HttpServer {
  readonly #uws: Uws = loadUws();
  readonly #app: UwsApp;
  readonly #connectionsMax: number;
  #socket: UwsListenSocket | null = null;
  #connections = 0;
  #refused = 0;

  /** `connectionsMax`: a connection beyond it is closed as soon as it is accepted. */
  constructor(connectionsMax: number, onRequest: OnRequest) {
    this.#connectionsMax = connectionsMax;
    this.#app = this.#uws.App();
    this.#app.filter((res, change) => this.#count(res, change));
    this.#app.any('/*', (res, req) => onRequest(readRequest(req), res));
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections;
  }

  /** Connections closed because there were too many. */
  get refusedConnections(): number {
    return this.#refused;
  }

  get isListening(): boolean {
    return this.#socket !== null;
  }

  /** The port. Rejects with ListenError when the address cannot be listened on. */
  async listen(host: string, port: number): Promise<number> {
    const socket = await new Promise<UwsListenSocket | false>((resolve) => {
      this.#app.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw new ListenError(host, port);
    this.#socket = socket;
    return this.#uws.us_socket_local_port(socket);
  }

  /** Accepts no more connections; those that are open go on. */
  stopListening(): void {
    if (this.#socket !== null) this.#uws.us_listen_socket_close(this.#socket);
    this.#socket = null;
  }

  /** Ends every connection. */
  close(): void {
    this.stopListening();
    this.#app.close();
  }

  #count(res: UwsResponse, change: number): void {
    this.#connections += change;
    if (change < 0 || this.#connections <= this.#connectionsMax) return;
    this.#refused += 1;
    res.close();
  }
}

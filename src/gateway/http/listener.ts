import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import type { Answer } from './answer.ts';
import type { ConnectionHost } from './connection.ts';
import { Connection } from './connection.ts';
import type { RequestHead } from './head.ts';

/** Connections that wait to be accepted; the kernel's own bound may be lower. */
const BACKLOG = 4_096;
const SWEEP_MS = 1_000;

/** Called for every request, before its body has come. */
export type OnRequest = (head: RequestHead, answer: Answer) => void;

/** Accepts connections at one address, and gives their requests to one handler. */
export class Listener implements ConnectionHost {
  seconds = 0;
  readonly request: OnRequest;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #onFault: (error: Error) => void;
  #faultedAt = -1;
  #timer: NodeJS.Timeout | null = null;
  /** Connections with short answers to write at the end of this turn of the event loop. */
  #unflushed: Connection[] = [];

  /** `onFault`: a connection could not be accepted, say for want of file descriptors. */
  constructor(onRequest: OnRequest, onFault: (error: Error) => void) {
    this.request = onRequest;
    this.#onFault = onFault;
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#connections.add(new Connection(socket, this));
    });
  }

  /** The port. Rejects when the address cannot be listened on. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port, backlog: BACKLOG, exclusive: true });
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#fault(error));
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS);
    // An address by host and port, not a pipe.
    return (this.#server.address() as AddressInfo).port;
  }

  ended(connection: Connection): void {
    this.#connections.delete(connection);
  }

  flushSoon(connection: Connection): void {
    if (this.#unflushed.length === 0) setImmediate(() => this.#flush());
    this.#unflushed.push(connection);
  }

  /** Accepts no more; connections go on. */
  stopListening(): void {
    this.#server.close();
  }

  /** Ends every connection. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.stopListening();
    for (const connection of this.#connections) connection.destroy();
  }

  /** At most once a second: under want of descriptors every caller in the line fails. */
  #fault(error: Error): void {
    if (this.#faultedAt === this.seconds) return;
    this.#faultedAt = this.seconds;
    this.#onFault(error);
  }

  #flush(): void {
    const connections = this.#unflushed;
    this.#unflushed = [];
    for (const connection of connections) connection.flush();
  }

  #sweep(): void {
    this.seconds += SWEEP_MS / 1_000;
    for (const connection of this.#connections) connection.sweep();
  }
}

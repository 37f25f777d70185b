import type { Connection } from './connection.ts';

/** Takes a piece of a body; the bytes are a view of what was received, and to be copied. */
export type TakeBody = (data: Uint8Array, isLast: boolean) => void;

/**
 * The answer to one request, and where its body arrives. What is written goes out as soon as the
 * answers to earlier requests of the connection are out. Lost when the caller goes away.
 */
export class Answer {
  /** The connection ends with this answer. */
  closes: boolean;
  /** Nothing of it is to come any more: finished, or lost. */
  isOver = false;
  /**
   * Called once when the caller goes away before the answer is finished: when the socket has closed
   * and lets go of what it was given, or before any of the answer was written.
   */
  onLost: () => void = () => undefined;
  readonly #connection: Connection;
  #takeBody: TakeBody | null = null;
  #whenTurn: (() => void) | null = null;

  constructor(connection: Connection, closes: boolean) {
    this.#connection = connection;
    this.closes = closes;
  }

  /** Asks for the body, before the request handler returns; nobody asks: it is dropped. */
  receive(take: TakeBody): void {
    this.#takeBody = take;
  }

  get wantsBody(): boolean {
    return this.#takeBody !== null;
  }

  /** A piece of the body has come. */
  take(data: Uint8Array, isLast: boolean): void {
    if (!this.isOver) this.#takeBody?.(data, isLast);
  }

  /** Calls `write` when it is this answer's turn: at once, unless an earlier one is not out. */
  whenTurn(write: () => void): void {
    if (this.isOver) return;
    if (this.#connection.isFirst(this)) write();
    else this.#whenTurn = write;
  }

  /** The answers before this one are out. */
  begin(): void {
    const write = this.#whenTurn;
    this.#whenTurn = null;
    write?.();
  }

  /** In its turn. Text of one byte a character. */
  writeText(text: string): void {
    if (!this.isOver) this.#connection.writeText(text);
  }

  /**
   * In its turn. True: the kernel has taken everything, and the bytes are free. False: they are
   * in use until `whenTaken` is called.
   */
  writeBytes(head: string, bytes: Uint8Array, whenTaken: () => void): boolean {
    if (this.isOver) return true;
    let waits = false;
    this.#connection.writeBytes(head, bytes, () => {
      if (waits) whenTaken();
    });
    waits = !this.#connection.isDrained;
    return !waits;
  }

  /** Everything is handed over. */
  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#connection.finished(this.closes);
  }

  /** The connection has gone. */
  lose(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onLost();
  }

  /** Ends the connection at once. */
  cut(): void {
    if (!this.isOver) this.#connection.destroy();
  }
}

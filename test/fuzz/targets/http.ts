import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Answer } from '../../../src/gateway/http/answer.ts';
import type { ConnectionHost } from '../../../src/gateway/http/connection.ts';
import { Connection } from '../../../src/gateway/http/connection.ts';
import type { RequestHead } from '../../../src/gateway/http/head.ts';
import { Random } from '../random.ts';
import type { Target } from './target.ts';

const INPUT_MAX = 48 * 1024;
const PIECES_MAX = 150;
const UNDER_WAY_MAX = 32;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A request as far as it may not depend on how its bytes were cut. */
interface Seen {
  readonly method: string;
  readonly target: string;
  readonly fault: string;
  /** null: it did not come to its end, or was not waited for. */
  body: string | null;
}

interface Exchange {
  readonly answer: Answer;
  readonly seen: Seen;
  /** Answered before its body has come. */
  readonly isHasty: boolean;
  body: string;
  isWhole: boolean;
  isOut: boolean;
  lost: number;
}

/** A socket without a network: takes what is written at once, or when it is let. */
class FakeSocket extends Duplex {
  text = '';
  readonly #random: Random;
  #release: (() => void) | null = null;

  constructor(random: Random) {
    super({ allowHalfOpen: false });
    this.#random = random;
  }

  override _read(): void {
    // What comes is pushed.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#transfer([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#transfer(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  /** Lets go what was held back. */
  release(): boolean {
    const release = this.#release;
    this.#release = null;
    release?.();
    return release !== null;
  }

  /** Bytes are read when they are let go: what was overwritten meanwhile shows. */
  #transfer(chunks: readonly Buffer[], done: (error?: Error) => void): void {
    const transfer = (): void => {
      if (this.destroyed) {
        done(new Error('gone'));
        return;
      }
      for (const chunk of chunks) this.text += chunk.toString('latin1');
      done();
    };
    if (this.#random.chance(2)) transfer();
    else this.#release = transfer;
  }
}

/** One connection that gets some bytes, and a host that answers at random moments. */
class Trial implements ConnectionHost {
  readonly seconds = 0;
  readonly exchanges: Exchange[] = [];
  readonly socket: FakeSocket;
  readonly connection: Connection;
  readonly #random: Random;
  #ready: Exchange[] = [];
  #isUnflushed = false;
  #underWay = 0;
  #ended = 0;
  #fault: Error | null = null;

  constructor(random: Random) {
    this.#random = random;
    this.socket = new FakeSocket(random);
    this.socket.on('error', (error) => (this.#fault = error));
    // Has all that a connection uses of a socket.
    this.connection = new Connection(this.socket as unknown as Socket, this);
  }

  request(head: RequestHead, answer: Answer): void {
    const { method, path, query, fault, headers } = head;
    const hasBody = headers.chunked || headers.contentLength > 0;
    const exchange: Exchange = {
      answer,
      seen: { method, target: `${path}?${query}`, fault, body: null },
      isHasty: path.length % 4 === 3,
      body: '',
      isWhole: fault !== '' || !hasBody,
      isOut: false,
      lost: 0,
    };
    this.exchanges.push(exchange);
    this.#underWay += 1;
    if (this.#underWay > UNDER_WAY_MAX) throw new Error('too many requests at once');
    if (fault !== '') answer.closes = true;
    answer.onLost = () => {
      exchange.lost += 1;
      this.#underWay -= 1;
    };
    if (!exchange.isWhole) answer.receive((data, isLast) => this.#take(exchange, data, isLast));
    if (!exchange.isWhole && !exchange.isHasty) return;
    exchange.seen.body = exchange.isHasty ? null : '';
    this.#makeReady(exchange);
  }

  ended(): void {
    this.#ended += 1;
  }

  flushSoon(): void {
    this.#isUnflushed = true;
  }

  /** Gives it the pieces, lets it do all it can, and then ends it. */
  async run(pieces: readonly Buffer[], leavesAfter: number): Promise<readonly Seen[]> {
    let given = 0;
    for (let quiet = 0; quiet < 3;) {
      const piece = pieces[given];
      if (given === leavesAfter) this.socket.destroy();
      if (piece !== undefined && !this.#random.chance(3)) {
        given += 1;
        if (!this.socket.destroyed && !this.socket.readableEnded) this.socket.push(piece);
      }
      const didMore = this.#doSome();
      quiet = didMore || piece !== undefined ? 0 : quiet + 1;
      if (quiet > 0 || this.#random.chance(4)) await turn();
    }
    this.#checkAnswers();
    this.socket.destroy();
    await turn();
    this.#checkEnd();
    return this.exchanges.map(({ seen }) => seen);
  }

  #take(exchange: Exchange, data: Uint8Array, isLast: boolean): void {
    if (exchange.isWhole) throw new Error('more of a body after its end');
    exchange.body += Buffer.from(data).toString('latin1');
    exchange.isWhole = isLast;
    if (!isLast || exchange.isHasty) return;
    exchange.seen.body = exchange.body;
    this.#makeReady(exchange);
  }

  #makeReady(exchange: Exchange): void {
    if (this.#random.chance(2)) this.#ready.push(exchange);
    else this.#answer(exchange);
  }

  /** True: there was something to do. */
  #doSome(): boolean {
    let did = false;
    for (let i = this.#random.below(3); i >= 0 && this.#ready.length > 0; i--) {
      const at = this.#random.below(this.#ready.length);
      for (const exchange of this.#ready.splice(at, 1)) this.#answer(exchange);
      did = true;
    }
    if (this.#isUnflushed) {
      did = true;
      this.#isUnflushed = false;
      this.connection.flush();
    }
    if (this.socket.release()) did = true;
    this.connection.sweep();
    return did;
  }

  /** The answer is its request's number, as text or as bytes that are overwritten afterwards. */
  #answer(exchange: Exchange): void {
    const { answer } = exchange;
    const text = `#${this.exchanges.indexOf(exchange)}.`;
    const finish = (): void => {
      exchange.isOut = true;
      this.#underWay -= 1;
      answer.finish();
    };
    answer.whenTurn(() => {
      if (exchange.isOut || exchange.lost > 0) throw new Error('its turn came twice, or too late');
      if (this.#random.chance(2)) {
        answer.writeText(text);
        finish();
        return;
      }
      const bytes = Buffer.from(text.slice(1));
      const whenTaken = (): void => {
        bytes.fill('!');
        finish();
      };
      if (answer.writeBytes('#', bytes, whenTaken)) whenTaken();
    });
  }

  #checkAnswers(): void {
    if (this.#fault !== null) throw this.#fault;
    const numbers = this.socket.text.replaceAll(CONTINUE, '').match(/#\d+\.|[^]/g) ?? [];
    numbers.forEach((number, i) => {
      if (number !== `#${i}.`) throw new Error(`answer ${i} is ${JSON.stringify(number)}`);
    });
    const { length } = numbers;
    if (length > this.exchanges.length) throw new Error('more answers than requests');
    if (this.socket.destroyed) return;
    const due = this.exchanges.findIndex(({ isWhole, isHasty }) => !isWhole && !isHasty);
    const expected = due === -1 ? this.exchanges.length : due;
    if (length !== expected) throw new Error(`${length} of ${expected} are answered`);
  }

  #checkEnd(): void {
    if (this.#ended !== 1) throw new Error(`ended ${this.#ended} times`);
    for (const { isOut, lost } of this.exchanges) {
      if (Number(isOut) + lost !== 1) throw new Error(`out: ${isOut}, lost ${lost} times`);
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function cut(input: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  const sizeMax = random.chance(2) ? 1 + 2 * Math.ceil(input.length / PIECES_MAX) : input.length;
  for (let at = 0; at < input.length;) {
    const isLast = pieces.length === PIECES_MAX;
    const size = isLast ? input.length : 1 + random.below(sizeMax);
    // Its own memory, as what a socket gives.
    pieces.push(Buffer.from(input.subarray(at, at + size)));
    at += size;
  }
  return pieces;
}

/**
 * Bytes on a connection: requests have to be the same however the bytes are cut into pieces and
 * whenever answers are ready; every answer goes out once and in its turn, or is lost once.
 */
export const httpTarget: Target = {
  seeds: async () => [
    'GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nGET /bc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloPOST /ab HTTP/1.1\r\nHost: x\r\n' +
      'Content-Length: 3\r\n\r\nabcGET /abc HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n' +
      '5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://x/a HTTP/1.0\r\nX-Api-Key: k\r\nCookie: a=b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100),
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na'.repeat(50),
    '\x16\x03\x01\x00\xa5\x01\x00',
  ],
  dictionary: [
    ['\r\n', '\r\n\r\n', '\n', '\r', ':', ' ', '\t', '\0', ',', ';', '0\r\n\r\n', 'HTTP/1.1'],
    ['Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n'],
    ['Connection: close\r\n', 'Expect: 100-continue\r\n', 'Host: x\r\n', 'HTTP/1.0', '\x80'],
    ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '3\r\nabc\r\n', 'f', 'ffffffff', 'POST /abc '],
  ].flat(),
  async run(input) {
    const bytes = input.subarray(0, INPUT_MAX);
    const random = new Random(crc32(bytes));
    const whole = await new Trial(random).run([Buffer.from(bytes)], Infinity);
    const pieces = cut(bytes, random);
    const inPieces = await new Trial(random).run(pieces, Infinity);
    if (!isDeepStrictEqual(inPieces, whole)) {
      throw new Error(`${JSON.stringify(inPieces)} and whole ${JSON.stringify(whole)}`);
    }
    const left = await new Trial(random).run(pieces, random.below(pieces.length));
    if (left.length > whole.length) throw new Error('more requests than came');
    const kinds = whole.map(({ method, fault, body }) => {
      const size = body === null ? '-' : Math.min(3, body.length);
      return `${method.slice(0, 4)} ${fault.slice(0, 30)} ${size}`;
    });
    return `${Math.min(4, whole.length)} ${[...new Set(kinds)].join()}`;
  },
};

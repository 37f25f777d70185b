import type { ServerResponse } from 'node:http';

/** An answer to a request for a record, and what both clients make of it. */
interface OddJson {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** The body is followed by blanks without an end. */
  readonly isEndless?: true;
  readonly error: 'BadAnswerError' | 'ServiceError';
}

const PAGE = '<!doctype html><title>Sign in</title>';

/** Answers of a proxy or of a faulty server in place of a record. */
export const ODD_JSON: readonly OddJson[] = [
  { status: 200, body: PAGE, error: 'BadAnswerError' },
  { status: 200, body: '', error: 'BadAnswerError' },
  { status: 200, body: 'null', error: 'BadAnswerError' },
  { status: 200, body: '"text"', error: 'BadAnswerError' },
  { status: 200, body: Buffer.from([0x22, 0xff, 0x22]), error: 'BadAnswerError' },
  { status: 200, body: '['.repeat(100_000), error: 'BadAnswerError' },
  { status: 200, body: '{', isEndless: true, error: 'BadAnswerError' },
  { status: 500, body: '{', isEndless: true, error: 'ServiceError' },
  // To this server, at /elsewhere.
  { status: 302, body: '', error: 'ServiceError' },
  { status: 307, body: '', error: 'ServiceError' },
];

/** More than a client reads of a body, and less than it takes to fill a memory. */
export const READ_BYTES_MAX = 128 * 1024 ** 2;

const PIECE = Buffer.alloc(1024 ** 2, ' ');

/** Gives odd answer `number`; `onSent` gets the bytes of each endless body when its client leaves. */
export function answerWithOddJson(
  response: ServerResponse,
  number: number,
  onSent: (bytes: number) => void,
): void {
  const { status, body, isEndless } = ODD_JSON[number] ?? { status: 404, body: '' };
  response.writeHead(status, status < 400 && status >= 300 ? { location: '/elsewhere' } : {});
  if (isEndless !== true) {
    response.end(body);
    return;
  }
  response.write(body);
  sendForEver(response, onSent);
}

/** Sends blanks until the client leaves, or has read far more than it should. */
export function sendForEver(response: ServerResponse, onSent: (bytes: number) => void): void {
  let sent = 0;
  const send = (): void => {
    while (!response.closed && sent < 2 * READ_BYTES_MAX) {
      sent += PIECE.byteLength;
      if (!response.write(PIECE)) return;
    }
    response.end();
  };
  response.on('drain', send).on('close', () => onSent(sent));
  send();
}

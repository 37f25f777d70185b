import t from 'tap';
import { noPool, startTestService } from '../../lab/service/gateway.ts';
import { talk } from '../../test/fixtures/talk.ts';

/**
 * Outcome of a request followed by another one, in the same segment or a later one. refused: at
 * most one response, an error, and the connection closes. waits: no response until the idle
 * timeout. served: both get a response.
 */
type Outcome = 'refused' | 'waits' | 'served';

interface Framing {
  readonly name: string;
  readonly bytes: string;
  readonly outcome: Outcome;
  /** The route may refuse it instead of the parser; so for every body behind CHUNKED. */
  readonly hasSoundHead?: true;
  /** The outcome with the parser before uWebSockets.js, and why it differs now. */
  readonly before?: Outcome;
  readonly why?: string;
}

const ENDLESS = 'For uWebSockets.js the line has not ended, so it reads nothing behind it.';
const LAST = 'A chunked request is the last one of its connection.';

// No request has a key: a sound one gets 401, and its body is not read.
const POST = 'POST /v1/generate HTTP/1.1\r\nHost: x\r\n';
const GET = 'GET /v1/documents/0 HTTP/1.1\r\nHost: x\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const FIVE = '5\r\nhello\r\n0\r\n\r\n';
const NEXT = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

const FRAMINGS: readonly Framing[] = [
  {
    name: 'length and chunks',
    bytes: `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'chunks and length',
    bytes: `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'two lengths',
    bytes: `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    outcome: 'refused',
  },
  {
    name: 'the same length twice',
    bytes: `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a list of lengths',
    bytes: `${POST}Content-Length: 5, 5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a length with a plus sign',
    bytes: `${POST}Content-Length: +5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a negative length',
    bytes: `${POST}Content-Length: -5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a hexadecimal length',
    bytes: `${POST}Content-Length: 0x5\r\n\r\nhello`,
    outcome: 'refused',
  },
  { name: 'an empty length', bytes: `${POST}Content-Length: \r\n\r\n`, outcome: 'refused' },
  {
    name: 'a length with a letter',
    bytes: `${POST}Content-Length: 5a\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a length with a space inside',
    bytes: `${POST}Content-Length: 5 5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a length of 20 digits',
    bytes: `${POST}Content-Length: 00000000000000000005\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'an unknown coding',
    bytes: `${POST}Transfer-Encoding: xchunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'two codings',
    bytes: `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'chunked is not the last coding',
    bytes: `${POST}Transfer-Encoding: chunked, identity\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'the coding identity',
    bytes: `${POST}Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a coding twice',
    bytes: `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'a vertical tab before the coding',
    bytes: `${POST}Transfer-Encoding: \vchunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'a coding in quotes',
    bytes: `${POST}Transfer-Encoding: "chunked"\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'an empty coding',
    bytes: `${POST}Transfer-Encoding: \r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'a coding in capitals',
    bytes: `${POST}Transfer-Encoding: CHUNKED\r\n\r\n${FIVE}`,
    outcome: 'refused',
    hasSoundHead: true,
    before: 'served',
    why: LAST,
  },
  {
    name: 'a space before the colon of a length',
    bytes: `${POST}Content-Length : 5\r\n\r\nhello`,
    outcome: 'refused',
  },
  {
    name: 'a tab before the colon of a coding',
    bytes: `${POST}Transfer-Encoding\t: chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'a line without a name before the length',
    bytes: `${POST}: v\r\nContent-Length: ${NEXT.length}\r\n\r\n${NEXT}`,
    outcome: 'refused',
  },
  { name: 'a line without a colon', bytes: `${GET}foo\r\n\r\n`, outcome: 'refused' },
  { name: 'a name with brackets', bytes: `${GET}A(b): v\r\n\r\n`, outcome: 'refused' },
  { name: 'a folded line', bytes: `${GET}A: a\r\n b\r\n\r\n`, outcome: 'refused' },
  {
    name: 'a folded coding',
    bytes: `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
  },
  {
    name: 'a space before the first header',
    bytes: `GET /v1/documents/0 HTTP/1.1\r\n Host: x\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'lines that end with LF alone',
    bytes: 'GET /v1/documents/0 HTTP/1.1\nHost: x\n\n',
    outcome: 'refused',
  },
  {
    name: 'one line that ends with LF alone',
    bytes: `${GET}A: a\nB: b\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'one line that ends with CR alone',
    bytes: `${GET}A: a\rB: b\r\n\r\n`,
    outcome: 'waits',
    before: 'refused',
    why: ENDLESS,
  },
  { name: 'a NUL in a value', bytes: `${GET}A: a\0b\r\n\r\n`, outcome: 'refused' },
  { name: 'a NUL in a name', bytes: `${GET}A\0: b\r\n\r\n`, outcome: 'refused' },
  { name: 'two hosts', bytes: `${GET}Host: y\r\n\r\n`, outcome: 'refused' },
  { name: 'no host', bytes: 'GET /v1/documents/0 HTTP/1.1\r\n\r\n', outcome: 'refused' },
  { name: 'an empty host', bytes: 'GET /a HTTP/1.1\r\nHost: \r\n\r\n', outcome: 'refused' },
  { name: 'two keys', bytes: `${GET}X-Api-Key: a\r\nX-Api-Key: b\r\n\r\n`, outcome: 'refused' },
  {
    name: 'two content types',
    bytes: `${POST}Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0\r\n\r\n`,
    outcome: 'refused',
  },
  { name: 'two origins', bytes: `${GET}Origin: a\r\nOrigin: b\r\n\r\n`, outcome: 'refused' },
  { name: 'headers of 20 KB', bytes: `${GET}A: ${'a'.repeat(20_000)}\r\n\r\n`, outcome: 'refused' },
  {
    name: 'two spaces in the request line',
    bytes: 'GET  /v1/documents/0 HTTP/1.1\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  {
    name: 'tabs in the request line',
    bytes: 'GET\t/v1/documents/0\tHTTP/1.1\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  {
    name: 'a method that is not a token',
    bytes: 'GE(T /v1/documents/0 HTTP/1.1\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  {
    name: 'a method with a colon',
    bytes: 'GET: /v1/documents/0 HTTP/1.1\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  { name: 'CONNECT', bytes: 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', outcome: 'refused' },
  {
    name: 'HTTP/0.9',
    bytes: 'GET /v1/documents/0\r\n\r\n',
    outcome: 'waits',
    before: 'refused',
    why: ENDLESS,
  },
  {
    name: 'HTTP/1.0',
    bytes: 'GET /v1/documents/0 HTTP/1.0\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  {
    name: 'HTTP/1.2',
    bytes: 'GET /v1/documents/0 HTTP/1.2\r\nHost: x\r\n\r\n',
    outcome: 'refused',
  },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', outcome: 'refused' },
  {
    name: 'a TLS handshake',
    bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    outcome: 'refused',
  },
  {
    name: 'an absolute target',
    bytes: 'GET http://x/v1/documents/0 HTTP/1.1\r\nHost: x\r\n\r\n',
    outcome: 'refused',
    before: 'served',
    why: 'uWebSockets.js takes targets that begin with a slash.',
  },
  { name: 'a chunk of no size', bytes: `${CHUNKED}\r\nhello\r\n0\r\n\r\n`, outcome: 'refused' },
  {
    name: 'a chunk size with a plus sign',
    bytes: `${CHUNKED}+5\r\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk size with 0x',
    bytes: `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk size with a space behind it',
    bytes: `${CHUNKED}5 \r\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk size with a space before it',
    bytes: `${CHUNKED} 5\r\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk size beyond 64 bits',
    bytes: `${CHUNKED}10000000000000005\r\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk size that ends with LF alone',
    bytes: `${CHUNKED}5\nhello\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk longer than its size',
    bytes: `${CHUNKED}5\r\nhelloworld\r\n0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk whose data does not end with a line end',
    bytes: `${CHUNKED}5\r\nhelloXX0\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a chunk extension',
    bytes: `${CHUNKED}5;a=b\r\nhello\r\n0\r\n\r\n`,
    outcome: 'waits',
    before: 'served',
    why: 'uWebSockets.js 20.51 reads no extensions: it waits for the end of the size.',
  },
  {
    name: 'a chunk extension that ends with LF alone',
    bytes: `${CHUNKED}5;a\nhello\r\n0\r\n\r\n`,
    outcome: 'waits',
    before: 'refused',
    why: ENDLESS,
  },
  {
    name: 'a trailer',
    bytes: `${CHUNKED}5\r\nhello\r\n0\r\nA: b\r\n\r\n`,
    outcome: 'refused',
    before: 'served',
    why: LAST,
  },
  {
    name: 'a request as the trailer',
    bytes: `${CHUNKED}5\r\nhello\r\n0\r\n${NEXT}`,
    outcome: 'refused',
    before: 'served',
    why: LAST,
  },
  {
    name: 'a trailer that reads like a request',
    bytes: `${CHUNKED}5\r\nhello\r\n0\r\nGET: /t HTTP/1.1\r\nHost: x\r\n\r\n`,
    outcome: 'refused',
  },
  {
    name: 'a sound chunked body',
    bytes: `${CHUNKED}A\r\nhellohello\r\n0\r\n\r\n`,
    outcome: 'refused',
    before: 'served',
    why: LAST,
  },
  {
    name: 'a GET with a chunked body',
    bytes: `${GET}Transfer-Encoding: chunked\r\n\r\n${FIVE}`,
    outcome: 'refused',
    hasSoundHead: true,
    before: 'served',
    why: LAST,
  },
  {
    name: 'a refused request whose body is a request',
    bytes: `${POST}Content-Length: ${NEXT.length}\r\n\r\n${NEXT}`,
    outcome: 'served',
  },
  {
    name: 'a GET whose body is a request',
    bytes: `${GET}Content-Length: ${NEXT.length}\r\n\r\n${NEXT}`,
    outcome: 'served',
  },
  { name: 'a sound request', bytes: `${GET}\r\n`, outcome: 'served' },
];

const isForHead = (status: number): boolean => [400, 431, 505].includes(status);
const atOnce = (): Promise<void> => Promise.resolve();

t.test('an ambiguous request cannot hide another one', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const port = Number(new URL(service.url).port);
  // After these requests, the gateway has read what was sent before and has answered it if it will
  // at all.
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await (await fetch(`${service.url}/healthz`)).text();
  };
  for (const {
    name,
    bytes,
    outcome,
    before,
    hasSoundHead = bytes.startsWith(CHUNKED),
  } of FRAMINGS) {
    const enough = ({ statuses }: { readonly statuses: readonly number[] }): boolean =>
      outcome === 'waits' || (outcome === 'served' && statuses.length === 2);
    for (const parts of [[bytes + NEXT], [bytes, NEXT]]) {
      const between = outcome === 'waits' || parts.length > 1 ? turns : atOnce;
      const { statuses } = await talk(port, parts, { enough, between });
      const told = `${name}, in ${parts.length} parts: ${statuses.join(' ')}`;
      if (outcome === 'served') {
        t.strictSame(statuses, [401, 200], told);
      } else {
        t.ok(statuses.length <= 1 && statuses.every((status) => status >= 400), told);
        t.ok(hasSoundHead || statuses.every(isForHead), `${told}, for its head`);
      }
    }
    t.notOk(outcome === 'served' && before !== undefined, `${name}: not looser than before`);
  }
});

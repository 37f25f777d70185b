import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * A server in a separate process that refuses every request and prints its URL. It finds where a
 * request ends and ignores the rest, so no service can leave more CPU to others under such a flood.
 */
const ID = '00000000-0000-0000-0000-000000000000';
const BODY = JSON.stringify({ error: 'Refused.', code: 'overloaded', requestId: ID });
const RESPONSE =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\n' +
  `Retry-After: 2\r\nX-Request-Id: ${ID}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const HEAD_BYTES_MAX = 1_024;

function refuseAll(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let responses = '';
    let at = 0;
    for (;;) {
      const text = bytes.toString('latin1', at, at + HEAD_BYTES_MAX);
      const end = text.indexOf(HEAD_END);
      const length = Number(LENGTH.exec(text)?.[1] ?? 0);
      const next = at + end + HEAD_END.length + length;
      if (end === -1 || next > bytes.length) break;
      responses += RESPONSE;
      at = next;
    }
    rest = bytes.subarray(at);
    if (responses !== '') socket.write(responses, 'latin1');
  });
}

const server = createServer({ noDelay: true }, refuseAll);
server.listen(0, '127.0.0.1', () => {
  // The server listens on a TCP port, so address() is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});

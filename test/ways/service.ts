import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { run } from '../../src/cli.ts';

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a request sends beside its address. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Runs a command in this process. Only one at a time. */
export async function command(...args: readonly string[]): Promise<Ended> {
  const out: Uint8Array[] = [];
  const err: string[] = [];
  const code = await run([...args], {
    out: (text) => out.push(Buffer.from(text)),
    err: (text) => err.push(text),
  });
  return { code, out: Buffer.concat(out).toString(), err: err.join('') };
}

/** A service that answers each request with a file, and keeps the data that was sent. */
export async function startRecorder(t: Test): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/generate') {
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.end('%PDF-1.7\n%%EOF\n');
      } else {
        response.writeHead(403, { 'content-type': 'application/json' });
        response.end('{"code":"insufficient_scope"}');
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Letters of windows-874, and `?` for others. */
export function windows874(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => {
    const code = letter.charCodeAt(0);
    if (code < 0x80) return code;
    return code >= 0x0e01 && code <= 0x0e5b ? code - 0x0e01 + 0xa1 : 0x3f;
  });
}

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives away (32768 by default), to listeners and to callers. */
const PORTS = { first: 15_000, count: 17_000 } as const;

/**
 * A port that is free. Until its server listens, and while it is restarted, no other program gets
 * the port from the system; another test draws the same one at random once in 17,000 times.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

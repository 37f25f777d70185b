/**
 * Makes the walk meet a slow browser and a slow network, as on a busy machine:
 * `INTAGLIO_TEST_SLOW_STUDIO=6,800,1` throttles the script of each page to a sixth of its speed and
 * delays each response by 0 to 800 ms, drawn from the seed 1. The seed does not repeat a run
 * exactly, because the order of the requests varies.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { Random } from '../../lab/fuzz-random.ts';

interface Slowness {
  /** 1: full speed. */
  readonly cpuRate: number;
  readonly delayMsMax: number;
  readonly seed: number;
}

const given = process.env['INTAGLIO_TEST_SLOW_STUDIO'];
const slowness = given === undefined ? null : readSlowness(given);

function readSlowness(text: string): Slowness {
  const [cpuRate = 1, delayMsMax = 0, seed = 1] = text.split(',').map(Number);
  return { cpuRate, delayMsMax, seed };
}

/** Gives the address that browsers open: `url` itself, or a proxy that delays its responses. */
export async function slowed(t: Test, url: string): Promise<string> {
  if (slowness === null) return url;
  t.comment(`slow: ${JSON.stringify(slowness)}`);
  const { hostname, port } = new URL(url);
  const random = new Random(slowness.seed);
  const { delayMsMax } = slowness;
  const proxy = createServer((client) => {
    const service = connect(Number(port), hostname);
    let isResponseDue = false;
    client.on('data', () => (isResponseDue = true));
    // Only the first bytes of a response wait, so that a large one is not delayed many times.
    const delay = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const waitMs = isResponseDue ? random.below(delayMsMax + 1) : 0;
        isResponseDue = false;
        setTimeout(() => done(null, chunk), waitMs);
      },
    });
    // Either side may end a connection at any time.
    pipeline(client, service, () => undefined);
    pipeline(service, delay, client, () => undefined);
  });
  proxy.listen(0, hostname);
  await once(proxy, 'listening');
  t.teardown(() => proxy.close());
  return `http://${hostname}:${(proxy.address() as AddressInfo).port}`;
}

/** Throttles the page's script. */
export async function throttle(page: Page): Promise<void> {
  if (slowness === null) return;
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowness.cpuRate });
}

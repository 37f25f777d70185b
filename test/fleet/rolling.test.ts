import { setTimeout as pause } from 'node:timers/promises';
import tap, { type Test } from 'tap';

import { serve, type Served } from '../../lab/service/command-line.ts';
import { generate, isReady, startPair, until, type Pair } from '../instances/pair.ts';
import { freePort } from '../../lab/servers/port.ts';
import { type Balancer, startBalancer } from './haproxy.ts';

/** Two instances behind HAProxy: restarted in turn under load, and one of them killed. */

const CALLERS = 6;
/** HAProxy checks once a second and needs three failures to take an instance out. */
const DRAIN_MS = 10_000;
const READY_MS_MAX = 180_000;
const TRIES_MAX = 50;
const PAUSE_MS = 100;

interface Fleet extends Pair {
  readonly balancer: Balancer;
  readonly ports: readonly [number, number];
}

/** Calls by their outcome. */
interface Seen {
  readonly documentIds: string[];
  /** The reasons why calls were not served at the first try. */
  readonly failures: string[];
  /** Calls that were never served, although they were retried. */
  lost: number;
}

const settingsOf = (port: number): Readonly<Record<string, string>> => ({
  INTAGLIO_PORT: String(port),
  INTAGLIO_DRAIN_MS: String(DRAIN_MS),
});

async function startFleet(t: Test): Promise<Fleet | { readonly reason: string }> {
  const ports = [await freePort(), await freePort()] as const;
  const started = await startPair(t, { one: settingsOf(ports[0]), two: settingsOf(ports[1]) });
  if (started.pair === null) return started;
  const balancer = await startBalancer(t, ports);
  if (balancer !== null) return { ...started.pair, balancer, ports };
  const reason = 'haproxy is not installed';
  if (process.env['INTAGLIO_FORBID_SKIPS'] === '1') throw new Error(reason);
  return { reason };
}

/**
 * Sends calls of several callers until `isOver`; a failed call is retried with its idempotency key.
 */
async function callUntil(url: string, apiKey: string, isOver: () => boolean): Promise<Seen> {
  const seen: Seen = { documentIds: [], failures: [], lost: 0 };
  const caller = async (name: number): Promise<void> => {
    for (let count = 0; !isOver(); count += 1) {
      const headers = { 'idempotency-key': `call-${name}-${count}` };
      let documentId: string | null = null;
      for (let tries = 0; documentId === null && tries < TRIES_MAX; tries += 1) {
        if (tries > 0) await pause(PAUSE_MS);
        const met = await attempt(url, apiKey, headers);
        if ('documentId' in met) ({ documentId } = met);
        else if (tries === 0) seen.failures.push(met.failure);
      }
      if (documentId === null) seen.lost += 1;
      else seen.documentIds.push(documentId);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, name) => caller(name)));
  return seen;
}

async function attempt(
  url: string,
  apiKey: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly documentId: string } | { readonly failure: string }> {
  try {
    const reply = await generate(url, apiKey, { headers });
    const text = await reply.text();
    if (reply.status === 201) return JSON.parse(text) as { documentId: string };
    return { failure: `${reply.status} ${text.slice(0, 100)}` };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { failure: String(error.cause) };
  }
}

async function restarted(t: Test, fleet: Fleet, served: Served, port: number): Promise<Served> {
  served.child.kill('SIGTERM');
  t.equal(await served.exit, 0, 'it ends by itself');
  return started(t, fleet, port);
}

async function started(t: Test, fleet: Fleet, port: number): Promise<Served> {
  const again = await serve(t, { ...fleet.env, ...settingsOf(port) });
  await until(() => isReady(again.url), READY_MS_MAX);
  await fleet.balancer.allUp();
  return again;
}

async function allThere(t: Test, fleet: Fleet, documentIds: readonly string[]): Promise<void> {
  t.equal(new Set(documentIds).size, documentIds.length, 'each call made a different document');
  for (const documentId of documentIds) {
    const found = await fleet.store.documents.find('bank', documentId);
    if (!found.found) t.fail(`acknowledged and not there: ${documentId}`);
  }
}

const fleet = await startFleet(tap);
if ('reason' in fleet) {
  await tap.test('a fleet', { skip: fleet.reason }, () => undefined);
} else {
  const { apiKey } = await fleet.addKey();
  await fleet.balancer.allUp();
  let { one, two } = fleet;

  await tap.test('each instance is restarted under load, and no request fails', async (t) => {
    let over = false;
    const calling = callUntil(fleet.balancer.url, apiKey, () => over);
    two = await restarted(tap, fleet, two, fleet.ports[1]);
    one = await restarted(tap, fleet, one, fleet.ports[0]);
    over = true;
    const { documentIds, failures, lost } = await calling;
    t.strictSame(failures, []);
    t.equal(lost, 0);
    t.ok(documentIds.length > CALLERS, `${documentIds.length} documents`);
    await allThere(t, fleet, documentIds);
  });

  await tap.test('metrics and readiness stay inside', async (t) => {
    for (const path of [
      '/metrics',
      '/readyz',
      '/METRICS',
      '/%6Detrics',
      '/readyz/',
      '/metrics?a',
    ]) {
      t.equal((await fetch(fleet.balancer.url + path)).status, 404, path);
    }
    t.equal((await fetch(`${fleet.balancer.url}/healthz`)).status, 200);
  });

  await tap.test('an instance is killed under load: only its calls in flight fail', async (t) => {
    let over = false;
    const calling = callUntil(fleet.balancer.url, apiKey, () => over);
    await pause(1_000);
    two.child.kill('SIGKILL');
    await two.exit;
    await pause(3_000);
    two = await started(tap, fleet, fleet.ports[1]);
    over = true;
    const { documentIds, failures, lost } = await calling;
    t.ok(failures.length <= CALLERS, `failed at first: ${failures.join(', ')}`);
    t.equal(lost, 0, 'every retried call succeeds');
    await allThere(t, fleet, documentIds);
  });
}

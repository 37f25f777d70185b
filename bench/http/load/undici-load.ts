import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { percentile } from '../../../lab/stats.ts';

/**
 * The second load generator for machines without wrk: a closed loop around undici's client. Its
 * arguments: URL, file of bodies, key, callers, milliseconds. It prints what second-load.lua does.
 */
const [url = '', file = '', key = '', callersText = '', durationText = ''] = process.argv.slice(2);
const callers = Number(callersText);
const bodies = readFileSync(file, 'utf8').trimEnd().split('\n');
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: callers, pipelining: 1 });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
const timesMs: number[] = [];
let refused = 0;
let bytes = 0;
let next = 0;

async function send(): Promise<void> {
  const body = bodies[next++ % bodies.length] ?? '';
  const startMs = performance.now();
  const response = await pool.request({ path: pathname, method: 'POST', headers, body });
  const { byteLength } = await response.body.arrayBuffer();
  timesMs.push(performance.now() - startMs);
  bytes += byteLength;
  if (response.statusCode > 399) refused += 1;
}

const beginMs = performance.now();
const endMs = beginMs + Number(durationText);
await Promise.all(
  Array.from({ length: callers }, async () => {
    while (performance.now() < endMs) await send();
  }),
);
const durationMs = performance.now() - beginMs;
await pool.close();
const sorted = timesMs.toSorted((a, b) => a - b);
const figures = {
  durationMs,
  answers: timesMs.length,
  refused,
  // Always 0: a request that fails rejects, which ends this process.
  broken: 0,
  bytes,
  p50Ms: percentile(sorted, 0.5),
  p95Ms: percentile(sorted, 0.95),
  p99Ms: percentile(sorted, 0.99),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

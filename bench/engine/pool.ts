import { parseArgs } from 'node:util';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import { PoolLoad } from './pool-load.ts';

/**
 * Documents per second through the pool, without HTTP: `node bench/engine/pool.ts --threads 2
 * --shape A --ms 3000` prints one line of JSON.
 */
const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '1' },
    shape: { type: 'string', default: 'A' },
    ms: { type: 'string', default: '3000' },
    rows: { type: 'string' },
  },
});
const LANES_PER_THREAD = 4;
const threads = Number(values.threads);
const durationMs = Number(values.ms);

const pool = new PoolLoad({
  shape: SHAPE_NAMES.find((known) => known === values.shape) ?? 'A',
  threads,
  lanes: threads * LANES_PER_THREAD,
  rows: values.rows === undefined ? undefined : Number(values.rows),
});
await pool.ready();
// The warm-up is as long as the measurement, because V8 optimizes hot functions late.
await pool.run(durationMs);
process.stdout.write(`${JSON.stringify(await pool.run(durationMs))}\n`);
await pool.close();

import { PoolLoad } from './pool-load.ts';

/**
 * Receipts through a pool, in turns: `node bench/engine/pool-turns.ts THREADS LANES`, started with a
 * message channel. It says `ready`; to each message, a number of milliseconds, it answers with a
 * `PoolLine`; when the channel closes it ends.
 */
const [threads, lanes] = process.argv.slice(2).map(Number);
const pool = new PoolLoad({
  shape: 'A',
  threads: threads ?? 1,
  lanes: lanes ?? 1,
  rows: undefined,
});
await pool.ready();

process.on('message', (ms: number) => void turn(ms));
process.on('disconnect', () => void pool.close());
process.send?.('ready');

async function turn(ms: number): Promise<void> {
  process.send?.(await pool.run(ms));
}

import { PoolLoad } from './pool-load.ts';

/**
 * Receipts through a pool, in turns: `node bench/engine/pool-turns.ts THREADS LANES`, started with a
 * message channel. It sends `ready`. Each message is a number of milliseconds; the reply is a
 * `PoolLine`. It exits when the channel closes.
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

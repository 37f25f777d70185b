import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { FuzzOrder, FuzzReport } from './fuzz.ts';
import { Costliest, costOf } from './costliest.ts';
import { CORPUS, INPUT_OFFSET } from './fuzz.ts';
import { mutate } from './mutate.ts';
import { Random } from '../../lab/fuzz-random.ts';
import { TARGETS } from './targets.ts';
import type { Target } from './targets/target.ts';

/** The fuzzing thread. The current input is in shared memory, so that the watcher can keep it. */

/** A slow machine makes so many runs, even if its time is over. */
const RUNS_MIN = 50;
const KNOWN_MAX = 2000;
const KNOWN_BYTES_MAX = 4 * 1024 * 1024;
const MEMORY_PROBE_RUNS = 500;
/** The number of inputs to mutate when searching for costly ones. */
const COSTLIEST_MAX = 40;
const REPORTED_MAX = 5;

setFlagsFromString('--expose-gc');
// Setting the flag adds the function only to contexts created later.
const collect = runInNewContext('gc') as () => void;

/**
 * Live memory in MB: the lowest of several measurements, because another thread sweeps array
 * buffers, later than their owners.
 */
async function usedMb(): Promise<number> {
  let leastMb = Infinity;
  for (let look = 0; look < 5; look++) {
    collect();
    await setTimeout(10);
    const { heapUsed, external } = process.memoryUsage();
    leastMb = Math.min(leastMb, (heapUsed + external) / 1024 / 1024);
  }
  return leastMb;
}

/** Reads the kept inputs of a target. */
function keptInputs(name: string): Buffer[] {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => !file.startsWith('.'))
    .toSorted()
    .map((file) => readFileSync(join(folder, file)));
}

/** Runs inputs and records their behaviour and cost. */
class Runner {
  readonly behaviours = new Set<string>();
  readonly costliest: Costliest;
  runs = 0;
  /** CPU time of the slowest input, the least of two runs. */
  slowestMs = 0;
  slowest: FuzzReport['slowest'] = { input: Buffer.alloc(0), behaviour: '' };
  readonly #target: Target;
  readonly #seek: FuzzOrder['seek'];
  readonly #status: Float64Array;
  readonly #slot: Uint8Array;
  #behaviour = '';
  #isNew = false;

  constructor(target: Target, { seek, shared }: FuzzOrder) {
    this.#target = target;
    this.#seek = seek;
    this.#status = new Float64Array(shared, 0, 2);
    this.#slot = new Uint8Array(shared, INPUT_OFFSET);
    this.costliest = new Costliest(seek === 'cost' ? COSTLIEST_MAX : 0);
  }

  /**
   * Runs an input; returns whether its behaviour is new (always false when searching for costly
   * ones).
   */
  async run(input: Buffer): Promise<boolean> {
    const firstMs = await this.runTimed(input);
    const isNew = this.#isNew && this.#seek === 'behaviour';
    const isCostly = this.costliest.takes(costOf(input, firstMs));
    if (firstMs <= this.slowestMs && !isCostly) return isNew;
    // Twice, because the first run may include a garbage collection, or run code that is not yet
    // compiled.
    const ms = Math.min(firstMs, await this.runTimed(input));
    if (ms > this.slowestMs) {
      this.slowestMs = ms;
      this.slowest = { input, behaviour: this.#behaviour };
    }
    const costly = costOf(input, ms);
    if (this.costliest.takes(costly)) this.costliest.add(costly);
    return isNew;
  }

  /** CPU time of one run in ms. */
  async runTimed(input: Buffer): Promise<number> {
    this.#slot.set(input.subarray(0, this.#slot.length));
    this.#status[1] = input.length;
    this.#status[0] = Date.now();
    const before = process.threadCpuUsage();
    this.#behaviour = await this.#target.run(input);
    const { user, system } = process.threadCpuUsage(before);
    this.#status[0] = 0;
    this.runs += 1;
    this.#isNew = !this.behaviours.has(this.#behaviour) && this.behaviours.size < KNOWN_MAX;
    if (this.#isNew) this.behaviours.add(this.#behaviour);
    return (user + system) / 1000;
  }
}

async function fuzz(name: string, target: Target, order: FuzzOrder): Promise<FuzzReport> {
  const random = new Random(order.seed);
  const dictionary = target.dictionary.map((token) => Buffer.from(token));
  const seeds = (await target.seeds()).map((seed) => Buffer.from(seed));
  const known = [...seeds, ...keptInputs(name)];
  const runner = new Runner(target, order);
  const { costliest } = runner;

  // Warms up: code that is not yet compiled costs more than any input.
  if (order.seek === 'cost') for (const input of known) await runner.runTimed(input);
  for (const input of known) await runner.run(input);
  const endsAt = Date.now() + order.ms;
  let memoryAtStartMb = 0;
  let knownBytes = 0;
  const runsMax = runner.runs + order.runsMax;
  while ((Date.now() < endsAt || runner.runs < RUNS_MIN) && runner.runs < runsMax) {
    const costly = costliest.list.map(({ input }) => input);
    const pool = costly.length > 0 && !random.chance(8) ? costly : known;
    const own = random.chance(2)
      ? target.mutate?.(random.pick(pool, Buffer.alloc(1)), random)
      : null;
    const input = own ?? mutate(pool, dictionary, random);
    if (target.mend !== undefined && !random.chance(3)) target.mend(input);
    if ((await runner.run(input)) && knownBytes + input.length <= KNOWN_BYTES_MAX) {
      known.push(input);
      knownBytes += input.length;
    }
    if (memoryAtStartMb === 0 && runner.runs >= MEMORY_PROBE_RUNS) {
      memoryAtStartMb = await usedMb();
    }
  }
  known.length = 0;
  const { runs, behaviours, slowestMs, slowest } = runner;
  const grownMb = memoryAtStartMb === 0 ? 0 : (await usedMb()) - memoryAtStartMb;
  const reported = costliest.list.slice(0, REPORTED_MAX);
  return {
    name,
    runs,
    behaviours: behaviours.size,
    slowestMs,
    slowest,
    grownMb,
    costliest: reported,
  };
}

// fuzz.ts passes an order.
const order = workerData as FuzzOrder;
const target = TARGETS[order.target];
if (target === undefined) throw new Error(`no target ${order.target}`);
const report = await fuzz(order.target, target, order);
parentPort?.postMessage(report);

import { isUtf8 } from 'node:buffer';
import { workerData } from 'node:worker_threads';
import { createPooledEngine } from '#engine';
import type {
  CheckedRows,
  CheckResult,
  EngineSettings,
  Job,
  PrintedRows,
  RenderedRows,
  RenderJob,
  RenderResult,
} from '#engine';
import type { Failure } from '../errors.ts';
import { assertNever, fail } from '../errors.ts';
import { describingFault } from '../runtime/json-syntax/fault.ts';
import { runAtOnce } from '../runtime/time-slice.ts';
import { warmUp } from './warm-up.ts';

/**
 * The module that the pool's entry loads in each thread: an engine with the pool's settings, which
 * runs one job after the other.
 */

// Absent where no pool started the thread (tests, benches).
const setup = workerData as {
  readonly settings?: Partial<EngineSettings>;
  readonly laidOut?: Uint32Array;
  readonly yields?: Int32Array;
  readonly isSpare?: boolean;
} | null;
/** Nonzero while requests wait for a thread. */
const waitingRequests = setup?.yields ?? new Int32Array(1);

const laidOut = setup?.laidOut ?? new Uint32Array(1);
const engine = createPooledEngine(setup?.settings ?? {}, {
  laidOut,
  mustYield: () => Atomics.load(waitingRequests, 0) !== 0,
});
engine.prepareFonts();

if (setup?.isSpare !== true) {
  await warmUp((job) => engine.render(job));
  // Nobody asked for that document: it does not count.
  Atomics.sub(laidOut, 0, 1);
}

type Answer =
  RenderResult | CheckResult | CheckedRows | RenderedRows | PrintedRows | Failure | void;

export default async function run(job: Job): Promise<Answer> {
  switch (job.kind) {
    case 'render':
      return placed(job, await engine.render(job));
    case 'check':
      return engine.check(job);
    case 'print_rows':
      return engine.printRows(job);
    case 'check_rows':
      return engine.checkRows(job);
    case 'render_rows':
      return engine.renderRows(job);
    case 'warm':
      return (await engine.compile(job.template)) ?? undefined;
    default:
      return assertNever(job);
  }
}

/**
 * Says where the body of a job is not JSON, if that is why it was refused. Only this thread can: a
 * long body has been moved to it.
 */
function placed({ body }: RenderJob, result: RenderResult): RenderResult {
  if (result.ok || result.code !== 'bad_request' || !isUtf8(body)) return result;
  const fault = runAtOnce(describingFault(body));
  return fault === null ? result : fail('bad_request', fault);
}

/** Hashes of the drafts that this thread keeps compiled, the last used first. */
export function drafts(countMax: number): readonly string[] {
  return engine.keptDrafts(countMax);
}

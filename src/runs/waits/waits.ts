import { LRUCache } from 'lru-cache';
import type { Log } from '../../log/log.ts';
import type { RunReason, RunRecord } from '../../store/runs/types.ts';
import { FileKeyMissing, KeysMissing, type Store } from '../../store/store.ts';

/** Time after which this instance tries a waiting run again. */
const PAUSE_MS = 2_000;
/** Minimum time between two log lines about a run with the same reason. */
const LOG_MS = 60_000;
const RUNS_MAX = 10_000;

/** Log messages, by the name of the reason. */
const MESSAGES: Readonly<Record<string, string>> = {
  signer: 'a run waits for its signer',
  key: 'a run waits for the key of its rows',
  protection: 'a run waits for qpdf',
};

/** Thrown when this instance cannot work on a run until an operator has fixed something. */
export class RunWaits extends Error {
  override readonly name: string = 'RunWaits';
  readonly reason: RunReason;

  constructor(reason: RunReason) {
    super(`${reason.expected}: ${reason.actual}`);
    this.reason = reason;
  }
}

/** The reason why a run waits after this error. Null if the error is of another kind. */
export function waitOf(error: unknown): RunReason | null {
  if (error instanceof RunWaits) return error.reason;
  const isKey = error instanceof FileKeyMissing;
  if (!isKey && !(error instanceof KeysMissing)) return null;
  const expected = isKey ? `key ${error.keyId}` : 'a key';
  return { name: 'key', expected, actual: 'missing on an instance' };
}

/** The latest wait of a run on this instance. */
interface Wait {
  readonly actual: string;
  readonly untilMs: number;
  readonly loggedAtMs: number;
}

/**
 * Runs that this instance cannot work on. The reason is logged and, unless another instance works
 * on the run, written into the run. The run is tried again after a pause. When any instance stores
 * a step of the run, the reason is removed.
 */
export class Waits {
  readonly #store: Pick<Store, 'runs'>;
  readonly #log: Log;
  readonly #owner: string;
  readonly #waits = new LRUCache<string, Wait>({ max: RUNS_MAX });

  constructor(store: Pick<Store, 'runs'>, log: Log, owner: string) {
    this.#store = store;
    this.#log = log;
    this.#owner = owner;
  }

  /** Whether the pause of the run is still going on. */
  isPausing({ runId }: RunRecord): boolean {
    return performance.now() < (this.#waits.get(runId)?.untilMs ?? 0);
  }

  /** Reports why the run waits. Returns false: no step was made. */
  async note(run: RunRecord, reason: RunReason): Promise<false> {
    const { runId, reasons } = run;
    const { actual } = reason;
    const nowMs = performance.now();
    const before = this.#waits.get(runId);
    const isSaid = before?.actual === actual && nowMs - before.loggedAtMs < LOG_MS;
    if (!isSaid) this.#log.warn({ msg: MESSAGES[reason.name], runId, reason: told(reason) });
    const loggedAtMs = isSaid ? before.loggedAtMs : nowMs;
    // The pauses of a signer are kept by RowSigner, and end when it signs for another run.
    const untilMs = reason.name === 'signer' ? 0 : nowMs + PAUSE_MS;
    this.#waits.set(runId, { actual, untilMs, loggedAtMs });
    const isShown = reasons.length === 1 && reasons[0]?.actual === actual;
    if (!isShown) await this.#store.runs.noteReasons(run, [reason], this.#owner);
    return false;
  }

  /** Call when a step of the run was stored. Returns whether the run was waiting before. */
  async clear(run: RunRecord): Promise<boolean> {
    const hasWaited = this.#waits.delete(run.runId) || run.reasons.length > 0;
    if (run.reasons.length > 0) await this.#store.runs.noteReasons(run, [], null);
    return hasWaited;
  }
}

function told({ name, expected, actual }: RunReason): string {
  return name === 'signer' ? actual : `${expected}: ${actual}`;
}

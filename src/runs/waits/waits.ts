import { LRUCache } from 'lru-cache';
import type { Log } from '../../log/log.ts';
import type { RunReason, RunRecord } from '../../store/runs/types.ts';
import { FileKeyMissing, KeysMissing, type Store } from '../../store/store.ts';

/** How long this instance leaves a run alone that it cannot work at. */
const PAUSE_MS = 2_000;
/** Time between two lines of the log with the same reason. */
const LOG_MS = 60_000;
const RUNS_MAX = 10_000;

/** Lines of the log, by the name of the reason. */
const MESSAGES: Readonly<Record<string, string>> = {
  signer: 'a run waits for its signer',
  key: 'a run waits for the key of its rows',
  protection: 'a run waits for qpdf',
};

/** Thrown when this instance cannot work at a run until an operator has mended something. */
export class RunWaits extends Error {
  override readonly name: string = 'RunWaits';
  readonly reason: RunReason;

  constructor(reason: RunReason) {
    super(`${reason.expected}: ${reason.actual}`);
    this.reason = reason;
  }
}

/** What a run waits for after this error; null: the error is another one. */
export function waitOf(error: unknown): RunReason | null {
  if (error instanceof RunWaits) return error.reason;
  const isKey = error instanceof FileKeyMissing;
  if (!isKey && !(error instanceof KeysMissing)) return null;
  const expected = isKey ? `key ${error.keyId}` : 'a key';
  return { name: 'key', expected, actual: 'missing on an instance' };
}

/** The last time that a run had to wait here. */
interface Wait {
  readonly actual: string;
  readonly untilMs: number;
  readonly loggedAtMs: number;
}

/**
 * Runs that this instance cannot work at. The run says why, unless another instance works at it, and
 * the log says it in any case. It is tried again after a pause; a step that is stored, here or
 * elsewhere, removes the reason.
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

  /** Whether the run had to wait a moment ago. */
  isPausing({ runId }: RunRecord): boolean {
    return performance.now() < (this.#waits.get(runId)?.untilMs ?? 0);
  }

  /** Says why the run waits. False: nothing was done for it. */
  async note(run: RunRecord, reason: RunReason): Promise<false> {
    const { runId, reasons } = run;
    const { actual } = reason;
    const nowMs = performance.now();
    const before = this.#waits.get(runId);
    const isSaid = before?.actual === actual && nowMs - before.loggedAtMs < LOG_MS;
    if (!isSaid) this.#log.warn({ msg: MESSAGES[reason.name], runId, reason: told(reason) });
    const loggedAtMs = isSaid ? before.loggedAtMs : nowMs;
    // A signer has pauses of its own, which end when it signs for another run.
    const untilMs = reason.name === 'signer' ? 0 : nowMs + PAUSE_MS;
    this.#waits.set(runId, { actual, untilMs, loggedAtMs });
    const isShown = reasons.length === 1 && reasons[0]?.actual === actual;
    if (!isShown) await this.#store.runs.noteReasons(run, [reason], this.#owner);
    return false;
  }

  /** A step of the run was stored. Returns whether it waited before. */
  async clear(run: RunRecord): Promise<boolean> {
    const hasWaited = this.#waits.delete(run.runId) || run.reasons.length > 0;
    if (run.reasons.length > 0) await this.#store.runs.noteReasons(run, [], null);
    return hasWaited;
  }
}

function told({ name, expected, actual }: RunReason): string {
  return name === 'signer' ? actual : `${expected}: ${actual}`;
}

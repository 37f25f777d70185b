import type { EngineSettings } from '#engine';
import type { NodeTime, StageTime } from './stopwatch.ts';

/** The messages between `bench --template` and a process that it measures. */
export interface RoundRequest {
  readonly documents: number;
}

/** The first message of a process: its first document, from the start of the process on. */
export interface FirstDocument {
  readonly kind: 'first';
  readonly wallMs: number;
  /** CPU of loading the engine, and of the first document with compiling its template. */
  readonly loadCpuMs: number;
  readonly cpuMs: number;
}

/** Documents drawn one after the other; times are sums over all of them. */
export interface Round {
  readonly kind: 'round';
  readonly documents: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
  /** Of the thread that renders. */
  readonly threadMs: number;
  readonly wallMs: number;
  readonly bytes: number;
  readonly pages: number;
  readonly rssMb: number;
  /** Empty unless the process has a stopwatch. */
  readonly nodes: readonly NodeTime[];
  readonly stages: readonly StageTime[];
}

export type Reply = FirstDocument | Round | { readonly kind: 'failed'; readonly message: string };

/** The order for one process; `folder` holds the template and the rows. */
export interface SubjectArguments {
  readonly folder: string;
  readonly settings: Partial<EngineSettings>;
  readonly hasStopwatch: boolean;
}

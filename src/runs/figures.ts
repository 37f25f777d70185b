/** Counts what this process has done for runs since it started. */
export interface RunFigures {
  readonly checked: number;
  readonly stored: number;
  readonly failed: number;
  /** Characters of stored rows that no font has. */
  readonly missingCharacters: number;
  /** Chunks that were rendered here but not stored, because the lease was lost. */
  readonly lost: number;
  /** Chunks and parts in progress. */
  readonly underWay: number;
  /** Runs that this process completed. */
  readonly done: number;
  readonly stopped: number;
}

import type { ShapeName } from '../shapes/sheet.ts';

/**
 * What the bench and a measured process say to each other over Node's message channel. One request,
 * one reply, in turn; the first message is the process's `Hello`.
 */
export interface RunRequest {
  readonly kind: 'run';
  readonly shape: ShapeName;
  /** Documents first, first + 1, … first + count − 1 are drawn. */
  readonly first: number;
  readonly count: number;
  readonly cold: boolean;
  /** Rows of shape B. */
  readonly rows: number | null;
  /** Draw with a template this process has not seen: compiling it is part of the figure. */
  readonly freshTemplate: boolean;
  /** Write the last PDF here. */
  readonly keep: string | null;
  /** Write a CPU profile of the measured part here. */
  readonly profile: string | null;
}

export interface Hello {
  readonly ready: true;
  readonly version: string;
}

export type RunReply =
  | {
      readonly ok: true;
      /** User and system time of the process and its children for all documents. */
      readonly cpuMs: number;
      readonly wallMs: number;
      /** Sum over all documents. */
      readonly bytes: number;
      readonly rssMb: number;
    }
  | { readonly ok: false; readonly error: string };

import type { ShapeName } from '../../lab/shapes/sheet.ts';

/**
 * The messages between the bench and a measured process over Node's channel. The process sends its
 * `Hello` first; then each request gets one reply before the next request.
 */
export interface RunRequest {
  readonly kind: 'run';
  readonly shape: ShapeName;
  /** The documents numbered first to first + count − 1 are drawn. */
  readonly first: number;
  readonly count: number;
  readonly cold: boolean;
  /** Rows of shape B. */
  readonly rows: number | null;
  /** Use a template this process has not seen, so that the figure includes compiling it. */
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

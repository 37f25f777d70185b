/** Which runs of a team are listed. */
export interface RunFilter {
  readonly teamId: string;
  /** Only runs of this template, of any version. */
  readonly templateId?: string | undefined;
  /** Made at or after this time. */
  readonly sinceMs?: number | undefined;
  /** Made before this time. */
  readonly untilMs?: number | undefined;
  /** Older than this run. */
  readonly after?: string | undefined;
  readonly countMax: number;
}

import { LIMITS } from '../limits.ts';
import { integer } from './setting.ts';

const MB = 1_048_576;

/** Settings of what runs may take. */
export const RUNS = {
  runMbMax: integer(
    'INTAGLIO_RUN_MB_MAX',
    'MB',
    LIMITS.runMbMax,
    [1, 1_048_576],
    'Rows of a run, decompressed; over it: 413 payload_too_large.',
  ),
  teamRunMbMax: integer(
    'INTAGLIO_TEAM_RUN_MB_MAX',
    'MB',
    LIMITS.teamRunMbMax,
    [1, 16_777_216],
    'Uploaded rows that runs of a team still need, decompressed; over it: 429 rate_limited.',
  ),
  teamRunPartsMax: integer(
    'INTAGLIO_TEAM_RUN_PARTS_MAX',
    'parts',
    LIMITS.teamRunPartsMax,
    [1, 10_000_000],
    'Such parts of a team, each of which is a file; over it: 429 rate_limited.',
  ),
  teamRunsActiveMax: integer(
    'INTAGLIO_TEAM_RUNS_ACTIVE_MAX',
    'runs',
    LIMITS.teamRunsActiveMax,
    [1, 10_000],
    'Runs of a team that are checked, rendered or paused; over it: 429 rate_limited at the start.',
  ),
} as const;

type RunSettings = { readonly [Name in keyof typeof RUNS]: number };

/** The bounds that the settings give, in bytes where they are sizes. */
export function runBounds(config: RunSettings) {
  return {
    runBytesMax: config.runMbMax * MB,
    teamBytesMax: config.teamRunMbMax * MB,
    teamPartsMax: config.teamRunPartsMax,
    teamActiveMax: config.teamRunsActiveMax,
  };
}

import { choice, DAY_SECONDS, derivedInteger, integer } from './setting.ts';

/** Settings of how requests are served. The gateway gets all of them with its options. */
export const REQUESTS = {
  templateCacheMb: integer(
    'INTAGLIO_TEMPLATE_CACHE_MB',
    'MB',
    64,
    [1, 65_536],
    'Compiled templates kept per renderer.',
  ),
  bodyBytesMax: integer(
    'INTAGLIO_BODY_BYTES_MAX',
    'bytes',
    1_048_576,
    [1, 64 * 1_048_576],
    'Largest request body; over it: 413 payload_too_large.',
  ),
  bodyMemoryMb: integer(
    'INTAGLIO_BODY_MEMORY_MB',
    'MB',
    256,
    [64, 65_536],
    'Request bodies in memory together, at least two of the largest; over it: 503 overloaded.',
  ),
  rateLimitPerMinute: integer(
    'INTAGLIO_RATE_LIMIT_PER_MINUTE',
    'calls',
    120,
    [1, 100_000_000],
    'Generate calls, new runs and starts per key and minute, unless the key has its own limit.',
  ),
  runCallsPerMinute: integer(
    'INTAGLIO_RUN_CALLS_PER_MINUTE',
    'calls',
    1_200,
    [1, 100_000_000],
    'Other calls of runs per key or user and minute: parts, progress, results.',
  ),
  retentionSeconds: integer(
    'INTAGLIO_RETENTION_SECONDS',
    's',
    30 * DAY_SECONDS,
    [1, 36_500 * DAY_SECONDS],
    'Life of a stored document.',
  ),
  linkTtlSeconds: integer(
    'INTAGLIO_LINK_TTL_SECONDS',
    's',
    900,
    [1, 7 * DAY_SECONDS],
    'Life of a link to a file.',
  ),
  sessionTtlSeconds: integer(
    'INTAGLIO_SESSION_TTL_SECONDS',
    's',
    12 * 3600,
    [1, 365 * DAY_SECONDS],
    "Life of a user's session.",
  ),
  auditAccess: choice(
    'INTAGLIO_AUDIT_ACCESS',
    '1',
    ['0', '1'],
    '1: sign-ins, sign-outs and downloads leave audit records, too.',
  ),
  logRequests: choice(
    'INTAGLIO_LOG_REQUESTS',
    '0',
    ['0', '1'],
    '1: a line of the log for each request: caller, route, status, duration (docs/operations.md).',
  ),
  syncDeactivatePercentMax: derivedInteger(
    'INTAGLIO_SYNC_DEACTIVATE_PERCENT_MAX',
    '%',
    'no limit',
    [0, 100],
    'Share of the active users, or teams, that a full identity sync may deactivate without naming a number.',
  ),
} as const;

/** The values of these settings. */
export type RequestSettings = {
  readonly [Name in keyof typeof REQUESTS]: ReturnType<(typeof REQUESTS)[Name]['absent']>;
};

/** The part of all settings that serves requests: without secrets, such as the database's. */
export function requestSettings(config: RequestSettings): RequestSettings {
  const entries = Object.keys(REQUESTS).map((name) => [
    name,
    config[name as keyof RequestSettings],
  ]);
  // The names are those of the type.
  return Object.fromEntries(entries) as RequestSettings;
}

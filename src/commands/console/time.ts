import { UsageError } from './failure.ts';

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Reads an ISO 8601 time as ms since the epoch, or refuses the argument. Without a zone it is UTC, as
 * the records print theirs: Date.parse takes it for the machine's own when it has hours, and lets
 * 30 February be a day of March.
 */
export function toTime(text: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  const isDay = !Number.isNaN(ms) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (isDay) return ms;
  throw new UsageError(
    `"${text}" is no ISO 8601 time such as 2026-11-21 or 2026-11-21T08:30:00+07:00`,
  );
}

const DAYS = /^([1-9]\d{0,4})d$/;
const DAY_MS = 86_400_000;

/** Reads `90d` or an ISO 8601 time that is still to come, as ms since the epoch. */
export function toExpiry(text: string, nowMs: number): number {
  const days = DAYS.exec(text)?.[1];
  if (days !== undefined) return nowMs + Number(days) * DAY_MS;
  if (!TIME.test(text)) {
    throw new UsageError(
      `"${text}" is not allowed; allowed: days such as 90d, or an ISO 8601 time`,
    );
  }
  const ms = toTime(text);
  if (ms > nowMs) return ms;
  throw new UsageError(`"${text}" has passed; an expiry must lie in the future`);
}

import { ValueError } from './failure.ts';

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses an ISO 8601 time to ms since the epoch; throws ValueError. Without a zone it is UTC, as
 * the records print it. Date.parse alone would assume the zone of the machine, and take 30 February
 * for a day of March.
 */
export function toTime(text: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  const isDay = !Number.isNaN(ms) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (isDay) return ms;
  throw new ValueError(
    `"${text}" is not an ISO 8601 time such as 2026-11-21 or 2026-11-21T08:30:00+07:00`,
  );
}

const DAYS = /^([1-9]\d{0,4})d$/;
const DAY_MS = 86_400_000;

/** Parses `90d` or a future ISO 8601 time to ms since the epoch. */
export function toExpiry(text: string, nowMs: number): number {
  const days = DAYS.exec(text)?.[1];
  if (days !== undefined) return nowMs + Number(days) * DAY_MS;
  if (!TIME.test(text)) {
    const near = DAYS.test(`${text}d`) ? `; for ${text} days: ${text}d` : '';
    throw new ValueError(
      `"${text}" is not allowed; allowed: days such as 90d, or an ISO 8601 time${near}`,
    );
  }
  const ms = toTime(text);
  if (ms > nowMs) return ms;
  throw new ValueError(`"${text}" has passed; an expiry must lie in the future`);
}

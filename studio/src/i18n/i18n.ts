import { serviceNowMs } from '../api/service-time.ts';
import { language } from '../app/state.ts';
import { en } from './en.ts';
import { fill } from './fill.ts';
import { th } from './th.ts';

export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;

const TEXTS: Readonly<Record<'en' | 'th', Texts>> = { en, th };

/** A text in the user's language, with its parameters. */
export function t(
  key: TextKey,
  parameters: Readonly<Record<string, string | number | boolean>> = {},
): string {
  return fill(TEXTS[language.value][key], parameters);
}

function locale(): string {
  return language.value === 'th' ? 'th-TH-u-ca-buddhist' : 'en-GB';
}

export function formatTime(iso: string, withSeconds = false): string {
  if (iso === '') return '';
  return new Intl.DateTimeFormat(locale(), {
    dateStyle: 'medium',
    timeStyle: withSeconds ? 'medium' : 'short',
  }).format(new Date(iso));
}

/** A period to the second; what both times share is said once: `29 Nov 2026, 14:47:41 – 14:52:03`. */
export function formatPeriod(from: string, to: string): string {
  const format = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' });
  return format.formatRange(new Date(from), new Date(to));
}

/** A time of the day, to the second. */
export function formatClock(ms: number): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'medium' }).format(ms);
}

export function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'long' }).format(new Date(iso));
}

/** A date with a short month, for columns. */
export function formatDay(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(iso));
}

export function formatNumber(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${formatNumber(bytes)} B`;
  if (bytes < 1_048_576) return `${formatNumber(bytes / 1_024, 1)} kB`;
  return `${formatNumber(bytes / 1_048_576, 1)} MB`;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** A relative time such as “5 minutes ago”; more than a week ago, a date. */
export function formatAgo(iso: string, nowMs = serviceNowMs()): string {
  const ms = Date.parse(iso) - nowMs;
  if (Math.abs(ms) > 7 * 86_400_000) return formatTime(iso);
  const relative = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  for (const [unit, length] of UNITS) {
    if (Math.abs(ms) >= length) return relative.format(Math.round(ms / length), unit);
  }
  return relative.format(0, 'minute');
}

/** Shows `user:anong` as anong; keys and commands keep their prefix. */
export function formatPrincipal(principal: string): string {
  return principal.startsWith('user:') ? principal.slice('user:'.length) : principal;
}

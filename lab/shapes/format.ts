import type { Random } from '../random.ts';

/**
 * Formats the documents' amounts and dates. It shares no code with the service's formatters, so
 * that the bench finds a wrong digit there.
 */
const MONTHS = [
  'มกราคม',
  'กุมภาพันธ์',
  'มีนาคม',
  'เมษายน',
  'พฤษภาคม',
  'มิถุนายน',
  'กรกฎาคม',
  'สิงหาคม',
  'กันยายน',
  'ตุลาคม',
  'พฤศจิกายน',
  'ธันวาคม',
] as const;

/** Satang to `1,234.50`. */
export function formatMoney(satang: number): string {
  const whole = String(Math.floor(satang / 100));
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}.${String(satang % 100).padStart(2, '0')}`;
}

/** Satang to the decimal string a caller sends: `1234.50`. */
export function decimalMoney(satang: number): string {
  return `${Math.floor(satang / 100)}.${String(satang % 100).padStart(2, '0')}`;
}

/** `2026-11-21` to `21 พฤศจิกายน 2569`. */
export function formatThaiDate(iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${Number(year) + 543}`;
}

/** `2026-11-21` to `21/11/2569`. */
export function formatShortDate(iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  return `${day}/${month}/${Number(year) + 543}`;
}

/** A calendar day of 2024 to 2026. */
export function pickDate(random: Random): string {
  const month = String(1 + random.below(12)).padStart(2, '0');
  const day = String(1 + random.below(28)).padStart(2, '0');
  return `${2024 + random.below(3)}-${month}-${day}`;
}

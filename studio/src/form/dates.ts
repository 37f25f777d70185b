/** Years that the Buddhist era is ahead of the Gregorian calendar. */
const ERA_YEARS = 543;
/** Earlier years are years of the Gregorian calendar: 2026 instead of 2569. */
const ERA_YEAR_MIN = 2_400;

/** Converts `2026-01-31` to `31/1/2569`, and anything else to ''. */
export function toBuddhist(iso: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(iso) ?? [];
  return year === '' ? '' : `${Number(day)}/${Number(month)}/${Number(year) + ERA_YEARS}`;
}

/** Converts `31/1/2569` to `2026-01-31`; null when the calendar has no such day. */
export function fromBuddhist(text: string): string | null {
  const digits = text.replaceAll(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
  const [, day, month, year] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\s*$/.exec(digits) ?? [];
  if (day === undefined || month === undefined || year === undefined) return null;
  if (Number(year) < ERA_YEAR_MIN) return null;
  const gregorian = String(Number(year) - ERA_YEARS).padStart(4, '0');
  const iso = `${gregorian}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : null;
}

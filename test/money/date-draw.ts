import type { Chance } from './chance.ts';
import type { SheetItem } from './sheet.ts';

/** A day of the Gregorian calendar, also before it was introduced. */
interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Languages whose letters the fonts of the product have. */
export const DATE_LANGUAGES =
  'en th de fr es it pt nl sv da nb fi pl cs hu ro tr ru uk el vi id ms hr sk et lv lt'.split(' ');

const PATTERNS = [
  'd MMMM yyyy',
  'dd/MM/yyyy',
  'd/M/yy',
  'yyyy-MM-dd',
  'd MMM yyyy',
  'd MMM yy',
  'MMMM yyyy',
  'EEEE d MMMM yyyy',
  'E d MMM y',
  "d 'of' MMMM, y",
  "dd.MM.y 'o''clock'",
  'EEEE',
  'M/yyyy',
];

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function drawDay(chance: Chance): Day {
  const year = chance.oneIn(3) ? chance.whole(1, 9999) : chance.whole(1950, 2080);
  const month = chance.whole(1, 12);
  const days = month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 31);
  return { year, month, day: chance.oneIn(5) ? days : chance.whole(1, days) };
}

/** Draws a date, its format, and a place for it. */
export function drawDate(chance: Chance, language: string): SheetItem {
  const day = drawDay(chance);
  const sent = `${pad(day.year, 4)}-${pad(day.month, 2)}-${pad(day.day, 2)}`;
  const format: Record<string, unknown> = {};
  const pattern = chance.oneIn(6) ? null : chance.pick(PATTERNS);
  const calendar = chance.pick([null, 'gregory', 'buddhist'] as const);
  const other = chance.oneIn(4) ? chance.pick(DATE_LANGUAGES) : null;
  const thaiDigits = chance.oneIn(6);
  if (pattern !== null) format['pattern'] = pattern;
  if (calendar !== null) format['calendar'] = calendar;
  if (other !== null) format['language'] = other;
  if (thaiDigits) format['digits'] = 'thai';
  const isPlain = pattern === null && calendar === null;
  const texts = isPlain
    ? [sent]
    : writeDay(day, pattern ?? 'd MMMM yyyy', calendar === 'buddhist', other ?? language);
  const isCell = chance.oneIn(6) && !isPlain;
  const isInField = !isCell && chance.oneIn(2);
  return {
    type: isCell ? 'cell' : 'date',
    fieldFormat: isInField ? format : null,
    value: sent,
    keys: isInField || Object.keys(format).length === 0 ? {} : { format },
    around: ['', ''],
    widthPt: 300,
    due: thaiDigits ? texts.map((text) => inThaiDigits(text)) : texts,
    isWord: false,
  };
}

function inThaiDigits(text: string): string {
  return text.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)));
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** All right ways to write a day: some names have two forms, and ICU says which there are. */
function writeDay(day: Day, pattern: string, isBuddhist: boolean, language: string): string[] {
  const year = day.year + (isBuddhist ? 543 : 0);
  let texts = [''];
  for (const [token] of pattern.matchAll(/'(?:[^']|'')*'|d+|M+|y+|E+|[^dMyE']+/g)) {
    const forms = tokenForms(token, day, year, language, /d/.test(pattern));
    texts = texts.flatMap((text) => forms.map((form) => text + form));
  }
  return texts;
}

function tokenForms(
  token: string,
  day: Day,
  year: number,
  language: string,
  withDay: boolean,
): readonly string[] {
  switch (token) {
    case 'd':
    case 'dd':
      return [pad(day.day, token.length)];
    case 'M':
    case 'MM':
      return [pad(day.month, token.length)];
    case 'MMM':
    case 'MMMM':
      return monthForms(day, token === 'MMM' ? 'short' : 'long', language, withDay);
    case 'y':
      return [String(year)];
    case 'yy':
      return [pad(year % 100, 2)];
    case 'yyyy':
      return [pad(year, 4)];
    case 'E':
    case 'EEEE':
      return weekdayForms(day, token === 'E' ? 'short' : 'long', language);
    default:
      return [token.startsWith("'") ? token.slice(1, -1).replaceAll("''", "'") : token];
  }
}

/** Thai abbreviations of weekdays: ICU changed them in CLDR 48, the product keeps the usual ones. */
const THAI_WEEKDAYS = ['อา.', 'จ.', 'อ.', 'พ.', 'พฤ.', 'ศ.', 'ส.'];

/** Short months of Lithuanian as CLDR has them; Intl prints a number in every skeleton. */
const LITHUANIAN_MONTHS =
  'saus. vas. kov. bal. geg. birž. liep. rugp. rugs. spal. lapkr. gruod.'.split(' ');

const namedForms = new Map<string, readonly string[]>();

/** Month names as ICU writes them: beside a day the form for dates, alone either form. */
function monthForms(
  day: Day,
  length: 'short' | 'long',
  language: string,
  withDay: boolean,
): readonly string[] {
  if (language === 'lt' && length === 'short') return [LITHUANIAN_MONTHS[day.month - 1] ?? ''];
  const key = `${language} ${length} ${day.month} ${withDay}`;
  const known = namedForms.get(key);
  if (known !== undefined) return known;
  const at = Date.UTC(2023, day.month - 1, 15);
  const inDate = partOf('month', at, language, { month: length, day: 'numeric' });
  const inYear = partOf('month', at, language, { month: length, day: 'numeric', year: 'numeric' });
  const alone = partOf('month', at, language, { month: length });
  const forms = withDay ? [inDate, inYear] : [inDate, inYear, alone];
  const named = [...new Set(forms)].filter((form) => !/^\d+$/.test(form));
  namedForms.set(key, named.length > 0 ? named : [alone]);
  return namedForms.get(key) ?? [];
}

function weekdayForms(day: Day, length: 'short' | 'long', language: string): readonly string[] {
  const index = weekdayOf(day);
  if (language === 'th' && length === 'short') return [THAI_WEEKDAYS[index] ?? ''];
  const key = `${language} ${length} weekday ${index}`;
  const known = namedForms.get(key);
  if (known !== undefined) return known;
  // 1 January 2023 was a Sunday.
  const at = Date.UTC(2023, 0, 1 + index);
  const options = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const forms = [
    partOf('weekday', at, language, { weekday: length, ...options }),
    partOf('weekday', at, language, { weekday: length }),
  ];
  namedForms.set(key, [...new Set(forms)]);
  return namedForms.get(key) ?? [];
}

/** Sakamoto's rule: 0 is Sunday. */
function weekdayOf({ year, month, day }: Day): number {
  const offset = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0;
  const y = month < 3 ? year - 1 : year;
  const sum = y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + offset + day;
  return ((sum % 7) + 7) % 7;
}

function partOf(
  type: 'month' | 'weekday',
  at: number,
  language: string,
  options: Intl.DateTimeFormatOptions,
): string {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = formatters.get(key);
  if (format === undefined) {
    const fixed = { timeZone: 'UTC', calendar: 'gregory' } as const;
    format = new Intl.DateTimeFormat(language, { ...options, ...fixed });
    formatters.set(key, format);
  }
  return format.formatToParts(at).find((part) => part.type === type)?.value ?? '';
}

/** Making one takes longer than using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

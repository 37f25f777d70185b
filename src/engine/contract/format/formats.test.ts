import fc from 'fast-check';
import t from 'tap';
import { compareDecimals, isDecimal } from './decimal.ts';
import {
  compileCellFormatter,
  compileDateFormat,
  compileNumberFormat,
  formatRepertoire,
} from './formats.ts';
import type { FieldFormat } from '../types.ts';

const bahtText = compileNumberFormat({ style: 'bahttext' }, 'en');
const decimals = fc.stringMatching(/^-?\d{1,25}(\.\d{1,14})?$/);

t.test('number formats', async (t) => {
  const cases: readonly [FieldFormat, string, string][] = [
    [{}, '007.10', '007.10'],
    [{}, '-0', '0'],
    [{}, '-0.00', '0.00'],
    [{}, '-0.01', '-0.01'],
    [{ decimals: 2 }, '1250.5', '1250.50'],
    [{ decimals: 2 }, '1.005', '1.01'],
    [{ decimals: 2 }, '-1.005', '-1.01'],
    [{ decimals: 2 }, '1.00499999999999999999999', '1.00'],
    [{ decimals: 2 }, '-0.004', '0.00'],
    [{ decimals: 0 }, '0.5', '1'],
    [{ decimals: 0 }, '2.5', '3'],
    [{ decimals: 0 }, '-2.5', '-3'],
    [{ decimals: 1 }, '9.95', '10.0'],
    [{ decimals: 2 }, '999.995', '1000.00'],
    [{ decimals: 2 }, '007', '7.00'],
    [{ decimals: 20 }, '1', '1.00000000000000000000'],
    [{ thousandsSeparator: true }, '1234567', '1,234,567'],
    [{ thousandsSeparator: true }, '123456', '123,456'],
    [{ thousandsSeparator: true }, '123', '123'],
    [{ thousandsSeparator: true, decimals: 2 }, '999999.995', '1,000,000.00'],
    [
      { thousandsSeparator: true },
      '12345678901234567890123456789012345678.90',
      '12,345,678,901,234,567,890,123,456,789,012,345,678.90',
    ],
    [{ decimals: 2, thousandsSeparator: true, prefix: '฿' }, '-1250.5', '-฿1,250.50'],
    [{ prefix: '(', suffix: ')' }, '5', '(5)'],
    [{ suffix: ' %' }, '-5', '-5 %'],
    [{ digits: 'thai', decimals: 2, thousandsSeparator: true }, '1234567.89', '๑,๒๓๔,๕๖๗.๘๙'],
  ];
  for (const [format, decimal, display] of cases) {
    const name = `${JSON.stringify(format)} ${decimal}`;
    t.equal(compileNumberFormat(format, 'th')(decimal), display, name);
  }
  t.equal(compileNumberFormat(undefined, 'th')('1.50'), '1.50');
  t.equal(compileNumberFormat({ thousandsSeparator: true }, 'de')('1234567.5'), '1.234.567,5');
  t.equal(compileNumberFormat({ thousandsSeparator: true }, 'en-IN')('1234567.5'), '12,34,567.5');
  t.equal(compileNumberFormat({ thousandsSeparator: true }, '')('1234.5'), '1,234.5');
});

t.test('rounding is exact: never further off than half of the last place', async () => {
  fc.assert(
    fc.property(decimals, fc.integer({ min: 0, max: 12 }), (decimal, places) => {
      const rounded = compileNumberFormat({ decimals: places }, 'en')(decimal);
      if (!isDecimal(rounded)) return false;
      const scale = 30;
      const scaled = (text: string): bigint => {
        const [integer = '', fraction = ''] = text.replace('-', '').split('.');
        const magnitude = BigInt(integer + fraction.padEnd(scale, '0'));
        return text.startsWith('-') ? -magnitude : magnitude;
      };
      const difference = scaled(rounded) - scaled(decimal);
      const distance = difference < 0n ? -difference : difference;
      const half = 5n * 10n ** BigInt(scale - places - 1);
      if (distance > half) return false;
      // Half goes away from zero.
      const isAway = difference > 0n === scaled(decimal) > 0n;
      return distance < half || isAway;
    }),
    { numRuns: 2000 },
  );
});

t.test('separators change nothing but the look', async () => {
  fc.assert(
    fc.property(decimals, (decimal) => {
      const plain = compileNumberFormat({ decimals: 3 }, 'th')(decimal);
      const grouped = compileNumberFormat({ decimals: 3, thousandsSeparator: true }, 'th')(decimal);
      return grouped.replaceAll(',', '') === plain && /^-?\d{1,3}(,\d{3})*\.\d{3}$/.test(grouped);
    }),
    { numRuns: 1000 },
  );
});

function printScaled([value, places]: readonly [number, number]): string {
  const digits = String(Math.abs(value)).padStart(places + 1, '0');
  const split = digits.length - places;
  const fraction = places === 0 ? '' : `.${digits.slice(split)}`;
  return `${value < 0 ? '-' : ''}00${digits.slice(0, split)}${fraction}`;
}

t.test('decimals compare as numbers', async () => {
  const small = fc.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 4 }));
  fc.assert(
    fc.property(small, small, (a, b) => {
      const order = Math.sign(a[0] * 10 ** (4 - a[1]) - b[0] * 10 ** (4 - b[1]));
      return compareDecimals(printScaled(a), printScaled(b)) === (order === 0 ? 0 : order);
    }),
    { numRuns: 2000 },
  );
});

t.test('baht in words', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '0': 'ศูนย์บาทถ้วน',
    '-0.00': 'ศูนย์บาทถ้วน',
    '1': 'หนึ่งบาทถ้วน',
    '10': 'สิบบาทถ้วน',
    '11': 'สิบเอ็ดบาทถ้วน',
    '12': 'สิบสองบาทถ้วน',
    '20': 'ยี่สิบบาทถ้วน',
    '21': 'ยี่สิบเอ็ดบาทถ้วน',
    '100': 'หนึ่งร้อยบาทถ้วน',
    '101': 'หนึ่งร้อยเอ็ดบาทถ้วน',
    '111': 'หนึ่งร้อยสิบเอ็ดบาทถ้วน',
    '1001': 'หนึ่งพันเอ็ดบาทถ้วน',
    '121121': 'หนึ่งแสนสองหมื่นหนึ่งพันหนึ่งร้อยยี่สิบเอ็ดบาทถ้วน',
    '1000000': 'หนึ่งล้านบาทถ้วน',
    '1000001': 'หนึ่งล้านเอ็ดบาทถ้วน',
    '11000011': 'สิบเอ็ดล้านสิบเอ็ดบาทถ้วน',
    '1000000000000': 'หนึ่งล้านล้านบาทถ้วน',
    '1000001000000': 'หนึ่งล้านเอ็ดล้านบาทถ้วน',
    '1250.50': 'หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์',
    '0.25': 'ยี่สิบห้าสตางค์',
    '0.01': 'หนึ่งสตางค์',
    '0.11': 'สิบเอ็ดสตางค์',
    '5.01': 'ห้าบาทหนึ่งสตางค์',
    '0.005': 'หนึ่งสตางค์',
    '0.004': 'ศูนย์บาทถ้วน',
    '99.995': 'หนึ่งร้อยบาทถ้วน',
    '-21.75': 'ลบยี่สิบเอ็ดบาทเจ็ดสิบห้าสตางค์',
    '007': 'เจ็ดบาทถ้วน',
  };
  for (const [decimal, words] of Object.entries(cases)) t.equal(bahtText(decimal), words, decimal);
  t.equal(
    compileNumberFormat({ style: 'bahttext', prefix: '(', suffix: ')' }, 'th')('1'),
    '(หนึ่งบาทถ้วน)',
  );
  t.ok(bahtText('9'.repeat(40)).length < 1000);
});

t.test('date formats', async (t) => {
  const cases: readonly [FieldFormat | undefined, string, string, string][] = [
    [undefined, 'th', '2026-11-21', '2026-11-21'],
    [{ digits: 'thai' }, 'th', '2026-11-21', '๒๐๒๖-๑๑-๒๑'],
    [{ calendar: 'buddhist' }, 'th', '2026-11-21', '21 พฤศจิกายน 2569'],
    [{ pattern: 'd MMMM yyyy' }, 'th', '2026-01-05', '5 มกราคม 2026'],
    [{ pattern: 'dd/MM/yy', calendar: 'buddhist' }, 'th', '2026-01-05', '05/01/69'],
    [{ pattern: 'd MMM y' }, 'th', '2026-02-05', '5 ก.พ. 2026'],
    [
      { pattern: "EEEE'ที่' d MMMM 'พ.ศ.' yyyy", calendar: 'buddhist', digits: 'thai' },
      'th',
      '2026-11-21',
      'วันเสาร์ที่ ๒๑ พฤศจิกายน พ.ศ. ๒๕๖๙',
    ],
    [{ pattern: 'E, d MMM yyyy' }, 'en', '2026-11-21', 'Sat, 21 Nov 2026'],
    [{ pattern: 'EEEE d MMMM y' }, 'en-GB', '2024-02-29', 'Thursday 29 February 2024'],
    [{ pattern: "d 'o''clock' ''y" }, 'en', '2024-02-09', "9 o'clock '2024"],
    [{ pattern: 'd MMMM y' }, 'ru', '2026-05-09', '9 мая 2026'],
    [{ pattern: 'EEEE, d. MMMM y' }, 'de', '2026-03-01', 'Sonntag, 1. März 2026'],
    [{ pattern: 'yyyy年M月d日' }, 'ja', '2026-03-01', '2026年3月1日'],
    [{ pattern: 'yyyy y' }, 'en', '0009-01-01', '0009 9'],
    [{ pattern: 'MM M' }, 'en', '2026-03-01', '03 3'],
  ];
  for (const [format, language, iso, display] of cases) {
    t.equal(compileDateFormat(format, language)(iso), display, JSON.stringify(format));
  }
});

t.test('weekdays and names agree with the platform from 1600 to 9999', async () => {
  const print = compileDateFormat({ pattern: 'EEEE d MMMM y' }, 'en');
  const known = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
  const days = fc.integer({
    min: Date.UTC(1600, 0, 1) / 864e5,
    max: Date.UTC(9999, 11, 31) / 864e5,
  });
  fc.assert(
    fc.property(days, (day) => {
      const at = new Date(day * 864e5);
      return print(at.toISOString().slice(0, 10)) === known.format(at).replace(',', '');
    }),
    { numRuns: 500 },
  );
});

t.test('Thai names agree with the platform', async (t) => {
  const print = compileDateFormat({ pattern: 'EEEE d MMMM MMM y', calendar: 'buddhist' }, 'th');
  for (let month = 1; month <= 12; month++) {
    const at = new Date(Date.UTC(2026, month - 1, month));
    const part = (options: Intl.DateTimeFormatOptions): string =>
      at.toLocaleDateString('th', { ...options, timeZone: 'UTC' });
    const expected = [
      part({ weekday: 'long' }),
      month,
      part({ month: 'long' }),
      part({ month: 'short' }),
      2569,
    ];
    t.equal(print(at.toISOString().slice(0, 10)), expected.join(' '));
  }
});

t.test('Thai weekdays are abbreviated as calendars print them', async (t) => {
  const print = compileDateFormat({ pattern: 'E' }, 'th');
  const week = Array.from({ length: 7 }, (_, day) => print(`2026-11-0${day + 1}`));
  t.same(week, ['อา.', 'จ.', 'อ.', 'พ.', 'พฤ.', 'ศ.', 'ส.']);
});

t.test('MMM and MMMM are the names of CLDR, also where dates have figures instead', async (t) => {
  // CLDR 48, months/format/abbreviated and wide, of May and December.
  const months: Readonly<Record<string, readonly [string, string, string, string]>> = {
    ja: ['5月', '5月', '12月', '12月'],
    zh: ['5月', '五月', '12月', '十二月'],
    'zh-Hant': ['5月', '5月', '12月', '12月'],
    yue: ['5月', '5月', '12月', '12月'],
    ko: ['5월', '5월', '12월', '12월'],
    bg: ['май', 'май', 'дек', 'декември'],
    cs: ['kvě', 'května', 'pro', 'prosince'],
    et: ['mai', 'mai', 'dets', 'detsember'],
    fa: ['مه', 'مهٔ', 'دسامبر', 'دسامبر'],
    fi: ['touko', 'toukokuuta', 'joulu', 'joulukuuta'],
    gd: ['Cèit', 'dhen Chèitean', 'Dùbh', 'dhen Dùbhlachd'],
    lt: ['geg.', 'gegužės', 'gruod.', 'gruodžio'],
    ru: ['мая', 'мая', 'дек.', 'декабря'],
    sk: ['máj', 'mája', 'dec', 'decembra'],
    vi: ['thg 5', 'tháng 5', 'thg 12', 'tháng 12'],
  };
  for (const [language, expected] of Object.entries(months)) {
    const short = compileDateFormat({ pattern: 'MMM' }, language);
    const long = compileDateFormat({ pattern: 'MMMM' }, language);
    const [may, december] = ['2026-05-01', '2026-12-01'];
    t.same([short(may), long(may), short(december), long(december)], expected, language);
  }
});

t.test('E and EEEE are the names that a date has', async (t) => {
  // CLDR 48, days/format/abbreviated and wide, of a Monday.
  const monday = { de: ['Mo.', 'Montag'], lv: ['pirmd.', 'pirmdiena'], fi: ['ma', 'maanantaina'] };
  for (const [language, [short, long]] of Object.entries(monday)) {
    t.equal(compileDateFormat({ pattern: 'E' }, language)('2026-11-23'), short);
    t.equal(compileDateFormat({ pattern: 'EEEE' }, language)('2026-11-23'), long);
  }
});

t.test('cells: text that is not a number or date stays as it is', async (t) => {
  const money = compileCellFormatter({ decimals: 2, thousandsSeparator: true }, 'th');
  t.equal(money('1250.5'), '1,250.50');
  for (const cell of ['', 'รวม', '-', '1e5', '12,34.5', '(1.00)']) t.equal(money(cell), cell);
  const day = compileCellFormatter({ pattern: 'd MMM y', calendar: 'buddhist' }, 'th');
  t.equal(day('2026-11-21'), '21 พ.ย. 2569');
  for (const cell of ['', '2026-02-30', 'วันนี้']) t.equal(day(cell), cell);
  const account = compileCellFormatter({ mask: 'xxx-x-xxxxx-x' }, 'th');
  t.equal(account('1234567890'), '123-4-56789-0');
  t.equal(account('12345'), '12345');
  const hidden = compileCellFormatter({ mask: 'XXX-X-Xxxxx-x' }, 'th');
  t.equal(hidden('1234567890'), 'XXX-X-X6789-0');
  t.equal(hidden('12345 กข'), 'XXXXX XX', 'never shown where it should be hidden');
  t.equal(compileCellFormatter({ mask: "'เลขที่ x 'x•*" }, 'th')('123'), 'เลขที่ x 1•*');
});

t.test('cells: what a sum counts is printed like the amounts beside it', async (t) => {
  const money = compileCellFormatter({ decimals: 2, thousandsSeparator: true }, 'en');
  const printed = ['1,234.5', '1234.5', '-1,234.5', ' 7 ', '1,000,000'].map(money);
  t.same(printed, ['1,234.50', '1,234.50', '-1,234.50', '7.00', '1,000,000.00']);
  const german = compileCellFormatter({ decimals: 2, thousandsSeparator: true }, 'de');
  t.equal(german('1,234.5'), '1.234,50');
  const words = compileCellFormatter({ words: true, currency: 'THB' }, 'th');
  t.equal(words('1,000'), words('1000'));
});

t.test('cells and sums of any length are printed in their format', async (t) => {
  const money = compileCellFormatter({ decimals: 2, thousandsSeparator: true }, 'en');
  t.equal(money(`1${'0'.repeat(42)}`), `1${',000'.repeat(14)}.00`);
  t.equal(money(`-1${',000'.repeat(14)}.5`), `-1${',000'.repeat(14)}.50`);
  t.equal(money(`1.${'0'.repeat(39)}1`), '1.00');
  t.equal(money(`${'9'.repeat(60)}.${'9'.repeat(58)}`), `1${',000'.repeat(20)}.00`);
  const words = compileCellFormatter({ words: true, currency: 'THB' }, 'en');
  t.equal(words(`1.${'0'.repeat(39)}1`), words('1'));
  t.equal(words(`1${'0'.repeat(43)}`), `1${'0'.repeat(43)}`, 'no word is that large');
});

t.test('the repertoire holds every character that a format prints', async () => {
  const formats: readonly ['number' | 'date', FieldFormat, string][] = [
    ['number', { decimals: 2, thousandsSeparator: true, prefix: '฿', suffix: ' บ.' }, 'th'],
    ['number', { digits: 'thai', thousandsSeparator: true }, 'fr'],
    ['number', { style: 'bahttext' }, 'th'],
    ['date', { pattern: "EEEE E 'ที่' d MMMM MMM y", calendar: 'buddhist' }, 'th'],
    ['date', { pattern: 'EEEE, d MMM y', digits: 'thai' }, 'en'],
    ['date', { calendar: 'buddhist' }, 'th'],
    ['date', {}, 'th'],
  ];
  for (const [type, format, language] of formats) {
    const signs = new Set(formatRepertoire(format, type, language).join(''));
    const print =
      type === 'date' ? compileDateFormat(format, language) : compileNumberFormat(format, language);
    const day = fc.integer({ min: 0, max: 40_000 }).map((d) => new Date(d * 864e5).toISOString());
    const value = type === 'date' ? day.map((iso) => iso.slice(0, 10)) : decimals;
    fc.assert(
      fc.property(value, (text) => Array.from(print(text)).every((sign) => signs.has(sign))),
      { numRuns: 300 },
    );
  }
});

import fc from 'fast-check';
import t from 'tap';
import { DayCell } from './date-field.ts';
import { parseIsoDay } from './format/calendar.ts';
import { compileDateFormat } from './format/formats.ts';
import type { FieldFormat } from './types.ts';

const formats: fc.Arbitrary<FieldFormat> = fc.record(
  {
    calendar: fc.constantFrom('gregory', 'buddhist'),
    pattern: fc.constantFrom('dd/MM/yyyy', 'd MMM yy', 'EEEE d MMMM y', "'day' d"),
    digits: fc.constantFrom('latin', 'thai'),
    case: fc.constantFrom('upper'),
  },
  { requiredKeys: [] },
);
const digits = (length: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^\\d{${length}}$`));
/** Real days of years that share places, days that no calendar has, and texts that are none. */
const days = fc.oneof(
  fc
    .date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2199-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((day) => day.toISOString().slice(0, 10)),
  fc
    .tuple(digits(4), fc.constantFrom('00', '01', '02', '04', '12', '13'), digits(2))
    .map((parts) => parts.join('-')),
  fc.stringMatching(/^[-0-9 /]{8,11}$/),
);

t.test('a day of an entry prints as its format prints it', async () => {
  fc.assert(
    fc.property(
      formats,
      fc.constantFrom('en', 'th', 'de'),
      fc.array(days, { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      (format, language, texts, isWide) => {
        const cell = new DayCell({ name: 'day', type: 'date', required: true, format }, language);
        const print = compileDateFormat(format, language);
        for (const text of [...texts, ...texts]) {
          const source = Buffer.from(`:"${text}",`, 'latin1');
          const codes = isWide ? Uint16Array.from(source) : source;
          const row = ['', ''];
          const end = cell.read(codes, 1, row, 0, 1);
          const isDay = parseIsoDay(text) !== null;
          if (end !== (isDay ? text.length + 3 : -1)) return false;
          if (isDay && (row[0] !== print(text) || row[1] !== text)) return false;
        }
        return true;
      },
    ),
    { numRuns: 1_000 },
  );
});

t.test('a day that the text ends in is none', async (t) => {
  const cell = new DayCell({ name: 'day', type: 'date', required: true }, 'en');
  for (const text of ['"2026-01-31', '2026-01-31"', '"2026-01-310"', '"', '', '"2026-01-3"']) {
    t.equal(cell.read(Buffer.from(text), 0, [], 0, 1), -1, text);
  }
});

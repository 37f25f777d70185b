import fc from 'fast-check';
import t from 'tap';
import type { FieldFormat } from '../types.ts';
import { isDecimal } from './decimal.ts';
import { FigureReader } from './figures.ts';
import { compileNumberFormat } from './formats.ts';

const LANGUAGES = ['en', 'th', 'de', 'fr', 'de-CH', 'es', 'hi', 'en-IN', 'pl', 'sv', 'my', ''];
const formats: fc.Arbitrary<FieldFormat> = fc.record(
  {
    decimals: fc.integer({ min: 0, max: 6 }),
    thousandsSeparator: fc.boolean(),
    digits: fc.constantFrom('latin', 'latin', 'latin', 'thai'),
    prefix: fc.constantFrom('', '', '', '฿'),
    suffix: fc.constantFrom('', '', '', ' %'),
    case: fc.constantFrom('upper'),
    words: fc.constantFrom(false, false, true),
    language: fc.constantFrom('en', 'th', 'de', 'hi'),
  },
  { requiredKeys: [] },
);
const plainFormats: fc.Arbitrary<FieldFormat> = fc.record(
  { decimals: fc.integer({ min: 0, max: 4 }), thousandsSeparator: fc.boolean() },
  { requiredKeys: [] },
);
const usualNumbers = fc.stringMatching(/^-?(0|[1-9]\d{0,8})(\.\d{1,3})?$/);
const numbers = fc.oneof(
  usualNumbers,
  fc.stringMatching(/^-?\d{1,12}(\.\d{1,6})?$/),
  fc.stringMatching(/^-?0{0,2}\.?0{0,4}$/),
  fc.stringMatching(/^[-+0-9.eE ]{0,8}$/),
);
/** Characters that may follow a number: in JSON, or in a string. */
const tails = fc.constantFrom(',', '}', ']', '"', ' ', '\n', '');

/** The codes of a text: 8-bit as from a body in ASCII, or 16-bit as from any other body. */
function codesOf(text: string, isWide: boolean): Uint8Array | Uint16Array {
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return isWide ? Uint16Array.from(codes) : Uint8Array.from(codes);
}

t.test('a number that is read prints in its format, and is kept as it was sent', async () => {
  fc.assert(
    fc.property(
      fc.oneof(plainFormats, formats),
      fc.constantFrom(...LANGUAGES),
      fc.array(fc.tuple(numbers, tails), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (format, language, parts, isWide) => {
        const isEnglish = (format.language ?? language) === 'en';
        if (format.words === true && !isEnglish) return true;
        const reader = FigureReader.of(format, language);
        if (reader === null) return true;
        const print = compileNumberFormat(format, language);
        for (const [number, tail] of parts) {
          const end = reader.read(codesOf(`:${number}${tail}`, isWide), 1);
          if (end < 0) continue;
          // A sign or a space may follow the number; the reader of the whole value refuses it.
          const found = number.slice(0, end - 1);
          if (!isDecimal(found) || /^[\d.eE]/.test(number.slice(end - 1))) return false;
          if (reader.printed !== print(found) || reader.sent !== found) return false;
        }
        return true;
      },
    ),
    { numRuns: 5_000 },
  );
});

t.test('usual numbers are read', async () => {
  fc.assert(
    fc.property(
      plainFormats,
      fc.constantFrom('en', 'th', 'de', 'fr', ''),
      usualNumbers,
      tails,
      (format, language, number, tail) => {
        const places = number.split('.')[1]?.length ?? 0;
        const reader = FigureReader.of(format, language);
        if ((format.decimals ?? 0) > 3) return reader === null;
        const isRounded = format.decimals !== undefined && places > format.decimals;
        const end = reader?.read(codesOf(`${number}${tail}`, true), 0);
        return end === (isRounded ? -1 : number.length);
      },
    ),
    { numRuns: 2_000 },
  );
});

t.test('a number ends where its digits end', async (t) => {
  const reader = FigureReader.of({ decimals: 2, thousandsSeparator: true }, 'en');
  const read = (text: string): readonly [number, string, string] | null => {
    const end = reader?.read(codesOf(text, false), 0) ?? -1;
    return end < 0 ? null : [end, reader?.printed ?? '', reader?.sent ?? ''];
  };
  t.same(read('1234567.5,'), [9, '1,234,567.50', '1234567.5']);
  t.same(read('999999999}'), [9, '999,999,999.00', '999999999']);
  t.same(read('-0.00"'), [5, '0.00', '-0.00']);
  t.same(read('-0.01"'), [5, '-0.01', '-0.01']);
  t.same(read('1000x'), [4, '1,000.00', '1000']);
  const unusual = ['', '-', '.5', '5.', '01', '-00', '1e3', '1.5E2', '1.2.3', '1.005', '+1', ' 1'];
  for (const text of [...unusual, '1234567890', '1.5000']) t.equal(read(text), null, text);
});

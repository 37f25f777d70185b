import fc from 'fast-check';
import t from 'tap';
import { CURRENCIES } from './currencies.ts';
import type { WordsOptions } from './amount-words.ts';
import { compileWords } from './amount-words.ts';

function spell(decimal: string, language: 'en' | 'th', currency: string | null = null): string {
  return compileWords({ language, currency, decimals: null })(decimal);
}

t.test('amounts of money in English', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['1250.50', 'THB', 'One thousand two hundred fifty baht and 50/100'],
    ['23540.00', 'THB', 'Twenty-three thousand five hundred forty baht only'],
    ['0', 'THB', 'Zero baht only'],
    ['0.05', 'THB', 'Zero baht and 05/100'],
    ['0.004', 'THB', 'Zero baht only'],
    ['-0.004', 'THB', 'Zero baht only'],
    ['0.999', 'THB', 'One baht only'],
    ['1', 'USD', 'One US dollar only'],
    ['001.5', 'USD', 'One US dollar and 50/100'],
    ['-1000001', 'USD', 'Minus one million one US dollars only'],
    ['1000.4', 'JPY', 'One thousand yen only'],
    ['999.9996', 'KWD', 'One thousand Kuwaiti dinars only'],
    ['12.5', 'KWD', 'Twelve Kuwaiti dinars and 500/1000'],
    ['110', 'EUR', 'One hundred ten euros only'],
  ];
  for (const [decimal, currency, words] of cases) {
    t.equal(spell(decimal, 'en', currency), words, `${decimal} ${currency}`);
  }
});

t.test('amounts of money in Thai', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['1250.50', 'THB', 'หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์'],
    ['0', 'THB', 'ศูนย์บาทถ้วน'],
    ['0.25', 'THB', 'ยี่สิบห้าสตางค์'],
    ['-11', 'USD', 'ลบสิบเอ็ดดอลลาร์สหรัฐถ้วน'],
    ['2.01', 'USD', 'สองดอลลาร์สหรัฐหนึ่งเซนต์'],
    ['1000.4', 'JPY', 'หนึ่งพันเยนถ้วน'],
  ];
  for (const [decimal, currency, words] of cases) {
    t.equal(spell(decimal, 'th', currency), words, `${decimal} ${currency}`);
  }
});

t.test('plain numbers, rounded only when asked', async (t) => {
  t.equal(spell('48', 'en'), 'Forty-eight');
  t.equal(spell('11.50', 'en'), 'Eleven point five zero');
  t.equal(spell('-11.5', 'th'), 'ลบสิบเอ็ดจุดห้า');
  t.equal(spell('48', 'th'), 'สี่สิบแปด');
  const whole: WordsOptions = { language: 'en', currency: null, decimals: 0 };
  t.equal(compileWords(whole)('11.5'), 'Twelve');
});

t.test('every number of 40 digits has words, also after rounding up', async (t) => {
  const nines = '9'.repeat(40);
  t.match(spell(nines, 'en', 'THB'), /^Nine duodecillion nine hundred ninety-nine undecillion /);
  t.equal(spell(`${'9'.repeat(37)}.999`, 'en', 'THB'), 'Ten undecillion baht only');
  t.ok(spell(nines, 'th', 'THB').length < 1_000);
});

const VALUES = new Map<string, bigint>([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value): [string, bigint] => [word, BigInt(value)]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index): [string, bigint] => [word, BigInt(index + 2) * 10n]),
]);
const SCALES =
  'thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion undecillion duodecillion'.split(
    ' ',
  );

/** Reads English words back by adding and multiplying. */
function readBack(words: string): bigint {
  let sum = 0n;
  let group = 0n;
  for (const word of words.toLowerCase().split(/[ -]/)) {
    const scale = SCALES.indexOf(word);
    if (scale >= 0) {
      sum += group * 1_000n ** BigInt(scale + 1);
      group = 0n;
    } else if (word === 'hundred') group *= 100n;
    else group += VALUES.get(word) ?? 0n;
  }
  return sum + group;
}

t.test('English words read back to the same number', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n - 1n }), (value) => {
      return readBack(spell(value.toString(), 'en')) === value;
    }),
  );
});

t.test('each currency has both names, and a part where it has decimals', async (t) => {
  for (const [code, money] of Object.entries(CURRENCIES)) {
    t.ok(money.thai !== '' && money.english.every((name) => name !== ''), code);
    t.equal(money.thaiPart === '', money.decimals === 0, code);
  }
});

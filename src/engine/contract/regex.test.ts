import fc from 'fast-check';
import t from 'tap';
import { LIMITS } from '../../limits.ts';
import { cpuMsOf } from '../../../test/fixtures/images.ts';
import { compilePattern, PatternError } from './regex.ts';
import { isWithin } from '../../../test/hostile/machine.ts';

t.test('matches what the same RegExp matches', async () => {
  const patterns = [
    '^[A-Z]{2}\\d{3,5}$',
    '^(ab|a)(bc|c)?$',
    'a*b+c?',
    '^(?:a{2,3}|b{0,2}c)*$',
    '[^a-c]x|^$',
    '(a|b|)c',
    '^.{2,4}$',
    '\\p{Script=Thai}+a',
    '^\\s*\\S+\\s*$',
    '(?<year>a|b)+?c{1}',
    '^(a*)*b$',
    '[\\]\\-a]\\.',
    '\\u0061\\x62|\\u{63}',
    'a{0}b{0,1}',
    '^ก็+$',
    '😀{2}',
    '^(){3}a((){2}b|){2}(c{0}){5}$',
    '^(?:|a|)*(){0,2}b$',
  ];
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      'c',
      'x',
      'A',
      'Z',
      '1',
      '2',
      '.',
      '-',
      ' ',
      '\n',
      'ก',
      '็',
      '😀',
    ),
    maxLength: 9,
  });
  for (const pattern of patterns) {
    const { test } = compilePattern(pattern);
    const known = new RegExp(pattern, 'u');
    fc.assert(
      fc.property(text, (value) => test(value) === known.test(value)),
      { numRuns: 400 },
    );
  }
});

t.test('refuses patterns that are broken or cannot be matched in linear time', async (t) => {
  const refused = [
    ...'(?=a) (?!a) (?<=a) (?<!a) \\1 (a)\\1 \\k<a> \\b \\Bx (?i:a) a** a{2}{3} ^* $+'.split(' '),
    ...'( ) [ ] { } * + ? a{3,2} [b-a] \\ \\q \\cA \\p{Nothing} (?<a'.split(' '),
    'a{1000}{1000}',
    '(a{1000}){1000}',
    'a{9999}',
    'a'.repeat(LIMITS.patternLengthMax + 1),
    '('.repeat(60) + ')'.repeat(60),
  ];
  for (const pattern of refused) {
    let fault: unknown;
    try {
      compilePattern(pattern);
    } catch (error) {
      fault = error;
    }
    t.ok(fault instanceof PatternError, pattern.slice(0, 40));
  }
});

t.test('no pattern and no text takes long', async (t) => {
  const patterns = [
    '^(a+)+$',
    '(a*)*$',
    '(a|a)*b',
    '^(a|aa)+$',
    'a*a*a*a*a*a*a*b',
    '(.*)(.*)(.*)x',
    `(${'a?'.repeat(150)}){3}b`,
    '(a{0,20}){0,20}b',
  ];
  const text = 'a'.repeat(LIMITS.patternTextCodePointsMax - 1);
  for (const pattern of patterns) {
    const { test } = compilePattern(pattern);
    const ms = cpuMsOf(() => test(`${text}!`));
    t.ok(isWithin(ms, 500), `${pattern.slice(0, 30)} took ${ms.toFixed(0)} ms`);
  }
});

t.test('repeating a part that takes no character costs nothing', async (t) => {
  const patterns = [
    '((((){9999}){9999}){9999}){9999}',
    '((((a{0}){9999}){9999}){9999}){9999}',
    '((((){9999,}){9999}){9999}){9999}',
    `(${'()'.repeat(4_000)}a){499}`,
  ];
  for (const pattern of patterns) {
    let steps = 0;
    const ms = cpuMsOf(() => (steps = compilePattern(pattern).steps));
    t.ok(steps > 0 && steps < 1_000, `${pattern.slice(0, 40)}: ${steps} steps`);
    t.ok(isWithin(ms, 200), `${pattern.slice(0, 40)} took ${ms.toFixed(0)} ms`);
  }
  t.equal(compilePattern('((){9999}){9999}').steps, 1);
});

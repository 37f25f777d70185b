import { execFileSync } from 'node:child_process';
import t from 'tap';
import { preparePassword } from './saslprep.ts';

t.test('examples of RFC 4013, section 3', async (t) => {
  for (const [given, expected] of [
    ['I\u00adX', 'IX'],
    ['user', 'user'],
    ['USER', 'USER'],
    ['\u00aa', 'a'],
    ['\u2168', 'IX'],
  ] as const) {
    t.equal(preparePassword(given), expected);
  }
  t.equal(preparePassword('\u0007'), null);
  t.equal(preparePassword('\u0627\u0031'), null);
});

t.test('forms that look alike become one', async (t) => {
  const composed = preparePassword('café');
  t.equal(preparePassword('cafe\u0301'), composed);
  t.equal(preparePassword('น้\u0e33'), preparePassword('น้\u0e4d\u0e32'));
  t.equal(preparePassword('ｐａｓｓ１２'), 'pass12');
  t.equal(preparePassword('a\u00a0b\u3000c'), 'a b c');
  t.equal(preparePassword('a\u200db\ufeffc'), 'abc');
  t.equal(preparePassword('ก๐๑ 😀'), 'ก๐๑ 😀');
  t.equal(preparePassword('\u05d0\u05d1'), '\u05d0\u05d1');
});

t.test('prohibited characters, mixed directions and lone surrogates have no form', async (t) => {
  for (const text of ['\ue000', '\ufdd0', '\u{1ffff}', '\u202e', '\u2028', '\u2ff0', '\u{e0041}']) {
    t.equal(preparePassword(`a${text}`), null, encodeURIComponent(text.toWellFormed()));
  }
  for (const text of ['\u05d0a\u05d1', 'a\u05d0', '\u05d01', '\ud800']) {
    t.equal(preparePassword(text), null, encodeURIComponent(text.toWellFormed()));
  }
});

/** RFC 3454 by the tables of Python, which are those of the RFC, for each character by itself. */
const PYTHON = `
import stringprep as p, unicodedata as u, sys
for c in [*range(0x3400), *range(0xe000, 0xe010), *range(0xf900, 0x10000)]:
    ch = chr(c)
    if p.in_table_a1(ch): continue
    if p.in_table_b1(ch): s = ''
    else: s = u.ucd_3_2_0.normalize('NFKC', ' ' if p.in_table_c12(ch) else ch)
    bad = any(f(x) for x in s for f in (p.in_table_c12, p.in_table_c21_c22, p.in_table_c3,
        p.in_table_c4, p.in_table_c5, p.in_table_c6, p.in_table_c7, p.in_table_c8, p.in_table_c9))
    if any(p.in_table_d1(x) for x in s):
        if any(p.in_table_d2(x) for x in s) or not (p.in_table_d1(s[0]) and p.in_table_d1(s[-1])):
            bad = True
    if bad or s != ch: print('%x %s' % (c, '-' if bad else s.encode('utf-8').hex()))
`;

t.test('characters of Unicode 3.2 are prepared as by the tables of RFC 3454', async (t) => {
  const lines = execFileSync('python3', ['-c', PYTHON], { maxBuffer: 1 << 24 }).toString();
  const expected = new Map(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([code = '', hex = '']) => [Number.parseInt(code, 16), hex]),
  );
  t.ok(expected.size > 2_000);
  const wrong: string[] = [];
  for (const [code, hex] of expected) {
    const prepared = preparePassword(String.fromCodePoint(code));
    const said = prepared === null ? '-' : Buffer.from(prepared).toString('hex');
    if (said !== hex) wrong.push(`${code.toString(16)}: ${said}, not ${hex}`);
  }
  t.same(wrong, []);
});

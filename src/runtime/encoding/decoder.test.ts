import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { NamedEncoding } from './decoder.ts';
import { EncodingFault, TextToUtf8, textToUtf8 } from './decoder.ts';

const CORPUS = readFileSync(
  join(import.meta.dirname, '../../../test/thai/unseen-first.txt'),
  'utf8',
);

/** Windows-874 by the table of the platform, byte by byte. */
const BYTES = new Map<string, number>();
for (let byte = 0; byte < 256; byte += 1) {
  try {
    const letter = new TextDecoder('windows-874', { fatal: true }).decode(Uint8Array.of(byte));
    // The platform maps bytes that stand for nothing to controls and private characters.
    if (byte < 0x80 || /[^\u0080-\u009F\uE000-\uF8FF]/.test(letter)) BYTES.set(letter, byte);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

function windows874(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => BYTES.get(letter) ?? 0x3f);
}

function read(bytes: Uint8Array, named: NamedEncoding | null = null): string {
  const { bytes: utf8, encoding } = textToUtf8(bytes, named);
  return `${encoding}: ${Buffer.from(utf8).toString()}`;
}

function fault(bytes: Uint8Array, named: NamedEncoding | null = null): string {
  try {
    return read(bytes, named);
  } catch (error) {
    if (error instanceof EncodingFault) return error.message;
    throw error;
  }
}

function inPieces(bytes: Uint8Array, length: number, named: NamedEncoding | null): string {
  const text = new TextToUtf8(named);
  const all: Uint8Array[] = [];
  try {
    for (let at = 0; at < bytes.length; at += length) {
      all.push(new Uint8Array(text.add(bytes.slice(at, at + length))));
    }
    all.push(text.end());
  } catch (error) {
    if (error instanceof EncodingFault) return error.message;
    throw error;
  }
  return `${text.encoding}: ${Buffer.concat(all).toString()}`;
}

t.test('windows-874 is read as the platform reads it', async (t) => {
  t.equal(BYTES.size, 128 + 1 + 87 + 9);
  for (const [letter, byte] of BYTES) {
    const bytes = Uint8Array.of(0x61, byte);
    t.equal(read(bytes, 'windows-874'), `windows-874: a${letter}`);
  }
  for (const byte of [0x81, 0x90, 0x98, 0xdb, 0xde, 0xfc, 0xff]) {
    const told = fault(Uint8Array.of(0x61, 0x0a, 0x62, byte), 'windows-874');
    t.equal(told, 'line 2, byte 2 is not windows-874');
  }
});

t.test('Thai in windows-874 is recognised, whole lines and single names', async (t) => {
  const lines = CORPUS.split('\n').filter((line) => /[\u0E01-\u0E5B]{12}/.test(line));
  t.ok(lines.length > 100);
  let unread = 0;
  for (const line of lines) {
    const text = Array.from(line, (letter) => (BYTES.has(letter) ? letter : '?')).join('');
    if (fault(windows874(text)) !== `windows-874: ${text}`) unread += 1;
  }
  t.equal(unread, 0);
  const rows = 'id,name,total\r\nT1,"นายสมชาย ใจดี",5\r\nT2,บริษัท ABC จำกัด,6\r\nT3,ณ อยุธยา,7\r\n';
  t.equal(fault(windows874(rows)), `windows-874: ${rows}`);
  for (const name of ['สมชาย', 'เพ็ญศรี', 'น้ำทิพย์', 'พ.ศ. ๒๕๖๙ น.ส.ปู', 'ต่าง ๆ ฯลฯ', 'ซอย๑๒ ปี2026']) {
    t.equal(fault(windows874(name)), `windows-874: ${name}`);
  }
});

t.test('text of other encodings is not taken for Thai', async (t) => {
  const latin = [
    'Café',
    'déjà vu',
    'Müller',
    'José Núñez',
    'Ações',
    'CRÉÉE',
    'OPERAÇÕES',
    'À PARIS',
    '25°C',
    '£ 100',
    'Ærø',
    'ÄÖÜ',
    '½ litre',
    'naïve, façade',
    'Århus',
    '«Non»',
    'GARÇON',
    'n° 12',
  ];
  for (const text of latin) {
    t.match(fault(Buffer.from(text, 'latin1')), /^line 1, byte \d+ is not UTF-8$/, text);
  }
  // Names in cp1251, GBK, Big5, Shift_JIS, EUC-KR, EUC-JP, Shift_JIS (half width), ISO 8859-7,
  // cp1255, cp1256, KOI8-R, Mac Roman and cp850, encoded by Python.
  const others = [
    'c8e2e0ed20cfe5f2f0eee20acceef0eee720c0edede00aceebfce3e020d1e5f0e3e5e5e2ede0',
    'cdf5d0a1c3f70ac0eec0d70abaabc3b7c3b70ad5c5ceb0',
    'a4fda470a9fa0aaa4ca7d3acc20ab3afa46aa4e5',
    '8e52936391be98590a8384837d835f20835e838d8345',
    'b1e8c3b6bcf60ac0ccbfb5c8f10ab9dac1f6bcba0ac3d6b9cec8a3',
    'bbb3c5c4c2c0cfba0aceebccdab0eccfba0abab4c6a3b2d6bbd2',
    'd4cfc0de20c0dbb30abdbddeb720b2c1dbb3',
    'c3e9fef1e3eff220d0e1f0e1e4fcf0eff5ebeff2',
    'e3e5e320ebe4ef',
    'e3cde3cf20dae1ed',
    'e9d7c1ce20f0c5d4d2cfd7',
    '5a6f91204d9f6c6c65720a4a6f738e204e9c96657a',
    '4d816c6c6572204a6f738220a5616e64a3',
  ];
  for (const hex of others) t.match(fault(Buffer.from(hex, 'hex')), / is not UTF-8$/, hex);
});

t.test('a fault has its line and byte', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['61620a6361e9640a', 'line 2, byte 3 is not UTF-8'],
    ['e0b8810ae0b8', 'line 2, byte 1 is not UTF-8'],
    ['e0b881ff', 'line 1, byte 4 is not UTF-8'],
    ['eda080', 'line 1, byte 1 is not UTF-8'],
    ['c080', 'line 1, byte 1 is not UTF-8'],
    ['f4908080', 'line 1, byte 1 is not UTF-8'],
    ['efbbbf61ff', 'line 1, byte 5 is not UTF-8'],
    ['fffe61000a0000d86100', 'line 2, byte 3 is not UTF-16'],
    ['fffe610061', 'line 1, byte 1 is not UTF-16'],
  ];
  for (const [hex, told] of cases) t.equal(fault(Buffer.from(hex, 'hex')), told, hex);
  const thai = Buffer.from('\uFEFFไทย');
  t.equal(fault(thai, 'windows-874'), 'line 1, byte 1 is not windows-874');
  t.match(fault(Buffer.from('ไทยแลนด์'), 'windows-874'), /is not windows-874$/, 'UTF-8 is not Thai');
  t.match(fault(windows874('สมชาย'), 'utf-8'), 'line 1, byte 1 is not UTF-8');
  // A file of which a part is UTF-8 and a part is windows-874 is neither.
  const mixed = Buffer.concat([Buffer.from('1,สมชาย\n'), windows874('2,สมหญิง\n')]);
  t.equal(fault(mixed), 'line 2, byte 3 is not UTF-8');
});

t.test('UTF-16 is read by its byte order mark, and UTF-8 stays as it is', async (t) => {
  const text = 'ชื่อ,😀\r\nก,"é"';
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  t.equal(read(little), `utf-16le: ${text}`);
  t.equal(read(Buffer.from(little).swap16()), `utf-16be: ${text}`);
  t.equal(read(Buffer.from(`\uFEFF${text}`)), `utf-8: \uFEFF${text}`);
  t.equal(read(new Uint8Array()), 'utf-8: ');
  t.equal(read(Buffer.from('ab')), 'utf-8: ab');
});

t.test('the pieces in which a text comes change nothing', async () => {
  const word = fc.constantFrom('สมชาย', 'ยก', 'a', 'é', ',', '\n', '😀', 'ครับ ', '\uFFFD', '1');
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
  const bytes = fc.oneof(
    text.map((one) => new Uint8Array(Buffer.from(one))),
    text.map(windows874),
    text.map((one) => new Uint8Array(Buffer.from(`\uFEFF${one}`, 'utf16le'))),
    fc.uint8Array({ maxLength: 40 }),
  );
  const named = fc.constantFrom(null, 'utf-8' as const, 'windows-874' as const);
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 7 }), named, (one, length, encoding) => {
      const whole = fault(one, encoding);
      return inPieces(one, length, encoding) === whole;
    }),
    { numRuns: 2_000 },
  );
});

t.test('the check of UTF-8 agrees with the platform', async () => {
  const byte = fc.constantFrom(
    0x41,
    0x80,
    0xbf,
    0xc2,
    0xe0,
    0xa0,
    0xed,
    0x9f,
    0xf0,
    0x90,
    0xf4,
    0x8f,
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 6 }), (bytes) => {
      const one = Uint8Array.from(bytes);
      return fault(one, 'utf-8').startsWith('utf-8: ') === isUtf8(one);
    }),
    { numRuns: 20_000 },
  );
});

t.test('the encoding is decided by the first 64 KB above ASCII, however they come', async (t) => {
  // "ยก" in windows-874 is "¡" in UTF-8.
  const start = windows874('a,ยก\n'.repeat(10));
  t.equal(fault(start), `utf-8: ${'a,¡\n'.repeat(10)}`);
  const whole = Buffer.concat([start, windows874('b,สมชาย\n'.repeat(20_000))]);
  const expected = `windows-874: ${'a,ยก\n'.repeat(10)}${'b,สมชาย\n'.repeat(20_000)}`;
  t.ok(fault(whole) === expected);
  t.ok(inPieces(whole, 1_000, null) === expected);
  t.equal(read(start, 'windows-874'), `windows-874: ${'a,ยก\n'.repeat(10)}`);
});

t.test('UTF-16 without a byte order mark is named, in pieces of any length', async (t) => {
  const texts = ['id,name\n1,ก\n', '{"id":"1"}\n', 'สมชาย ใจดี\r\n', 'ชื่อ,ยอด\nสมชาย,5\n'];
  for (const text of texts) {
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [little, big]) {
      const told = fault(bytes);
      t.match(told, /^line \d, byte \d+ is not UTF-8, but seems to be UTF-16 without a byte order/);
      for (const length of [1, 2, 3, 5]) t.equal(inPieces(bytes, length, null), told);
      t.equal(fault(bytes, 'utf-8'), told);
      t.match(fault(bytes, 'windows-874'), /UTF-16 without/);
    }
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), little]);
    for (const length of [1, 2, 3, 99]) {
      t.equal(inPieces(marked, length, null), `utf-16le: ${text}`);
    }
  }
  for (const text of ['\0,1\n2,\0\n', `a\0\0\0b`, `${'a'.repeat(4_096)}\0a\0a\0`]) {
    t.equal(fault(Buffer.from(text)), `utf-8: ${text}`, 'stray NULs are no UTF-16');
  }
});

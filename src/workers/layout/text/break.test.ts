import { createRequire } from 'node:module';
import fc from 'fast-check';
import t from 'tap';
import { findBreaks } from './break.ts';

function wordsOf(text: string): string[] {
  let last = 0;
  return findBreaks(text).positions.map((position) => {
    const word = text.slice(last, position);
    last = position;
    return word;
  });
}

void t.test('numbers keep their words', async (t) => {
  t.same(wordsOf('วันที่ 5 เดือน'), ['วันที่ 5 ', 'เดือน']);
  t.same(wordsOf('จำนวน 100 บาท'), ['จำนวน ', '100 บาท']);
  t.same(wordsOf('1,250.50บาท'), ['1,250.50บาท']);
});

void t.test('words that the dictionary knows in parts are not torn', async (t) => {
  t.same(wordsOf('ลูกหนี้รับผิดชอบค่าเสียหายภายในวันทำการ'), [
    'ลูกหนี้',
    'รับผิดชอบ',
    'ค่าเสียหาย',
    'ภายใน',
    'วันทำการ',
  ]);
  t.same(wordsOf('ผู้เช่าซื้อส่งมอบรายละเอียดเพิ่มเติมล่วงหน้า'), [
    'ผู้เช่าซื้อ',
    'ส่งมอบ',
    'รายละเอียด',
    'เพิ่มเติม',
    'ล่วงหน้า',
  ]);
});

void t.test('kinsoku: closing marks do not begin, opening marks do not end a line', async (t) => {
  t.same(wordsOf('日本、「語」です。'), ['日', '本、', '「語」', 'で', 'す。']);
  t.same(wordsOf('価格１００円！'), ['価', '格', '１', '０', '０', '円！']);
});

void t.test('newlines are required breaks', async (t) => {
  t.same(findBreaks('a\nb\r\nc\n'), {
    positions: [2, 5, 7],
    required: [true, true, true],
  });
});

interface Breaker {
  nextBreak(): { readonly position: number; readonly required: boolean } | null;
}

const require = createRequire(import.meta.url);
// pdfmake's own breaker: what its words are.
const LineBreaker = require('linebreak') as new (text: string) => Breaker;

function breaksOfPdfmake(text: string): number[] {
  const breaker = new LineBreaker(text);
  const positions: number[] = [];
  for (let found = breaker.nextBreak(); found !== null; found = breaker.nextBreak()) {
    positions.push(found.position);
  }
  return positions;
}

const LATIN = `abc XYZ 0123456789 .,:;!?'"()[]{}<>/\\|-–—_+=*&^%$#@~\`\n“”‘’«»…•·§°€£¥©®™éüñßøЖщΩλ\u00a0\u00ad\u200b\u2011`;

void t.test('for Latin, Greek and Cyrillic the breaks are those of pdfmake', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from(LATIN)), maxLength: 60 }),
      (text) => {
        t.same(findBreaks(text).positions, breaksOfPdfmake(text), JSON.stringify(text));
      },
    ),
    { numRuns: 1500 },
  );
});

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

/** The text with breaks of reluctance 0, 1 and 2 marked as `|`, `~` and `=`. */
function marked(text: string): string {
  const { positions, reluctance } = findBreaks(text);
  let last = 0;
  let result = '';
  positions.slice(0, -1).forEach((position, index) => {
    result += text.slice(last, position) + ('|~='[reluctance[index] ?? 0] ?? '');
    last = position;
  });
  return result + text.slice(last);
}

void t.test('a break between a number and its word is reluctant', async (t) => {
  t.equal(marked('วันที่ 5 เดือน'), 'วันที่ ~5 |เดือน');
  t.equal(marked('จำนวน 100 บาท'), 'จำนวน |100 ~บาท');
  t.equal(marked('1,250.50บาท'), '1,250.50บาท');
  t.equal(marked('โทร. 0 2441 0000 ต่อ 15'), 'โทร. ~0 ~2441 ~0000 |ต่อ |15');
  t.equal(marked('หัก ณ ที่จ่าย'), 'หัก |ณ ~ที่=จ่าย');
});

void t.test('words whose parts are in the dictionary, too, stay whole', async (t) => {
  t.equal(marked('ลูกหนี้รับผิดชอบค่าเสียหายภายในวันทำการ'), 'ลูกหนี้|รับผิดชอบ|ค่าเสียหาย|ภายใน|วันทำการ');
  t.equal(marked('ผู้เช่าซื้อส่งมอบรายละเอียดเพิ่มเติมล่วงหน้า'), 'ผู้เช่าซื้อ|ส่งมอบ|รายละเอียด|เพิ่มเติม|ล่วงหน้า');
});

void t.test('breaks inside a phrase of known words are reluctant', async (t) => {
  t.equal(marked('แจ้งราคาประเมินให้ทราบ'), 'แจ้ง|ราคา=ประเมิน|ให้|ทราบ');
  t.equal(marked('ใช้งานวันนี้'), 'ใช้งาน|วัน=นี้');
});

void t.test('a break before a word that belongs to the word before it is reluctant', async (t) => {
  t.equal(marked('ผ่อนงวดละ 5,000 บาท'), 'ผ่อน|งวด=ละ |5,000 ~บาท');
  t.equal(marked('แสดงฉบับจริงแก่ธนาคาร'), 'แสดง|ฉบับ=จริง|แก่|ธนาคาร');
});

void t.test('a word ends before an abbreviation and begins after one', async (t) => {
  t.equal(marked('พนักงานธ.ก.ส. ลงนาม'), 'พนักงาน~ธ.ก.ส. |ลงนาม');
  t.equal(marked('เรียนผจก.สาขา'), 'เรียน|ผจก.=สาขา');
  t.equal(marked('พ.ศ.2569 (จ.-ศ.)'), 'พ.ศ.2569 |(จ.-ศ.)');
});

void t.test('loan words and unknown words stay whole', async (t) => {
  t.equal(marked('ขอสเตตเมนต์ย้อนหลัง'), 'ขอ|สเตตเมนต์|ย้อนหลัง');
  t.equal(marked('บัญชีคริปโทเคอร์เรนซี'), 'บัญชี|คริปโทเคอร์เรนซี');
  t.equal(marked('แผนกฟลุบเบอร์ทรอนของบริษัท'), 'แผนก|ฟลุบเบอร์ทรอน|ของ|บริษัท');
});

void t.test('no part begins with a silent letter or is a single consonant', async (t) => {
  const text = 'เมนต์กระทำคริปจันทร์สิทธิ์ฟลุมต์กวักขฺ';
  for (const position of findBreaks(text).positions.slice(0, -1)) {
    t.notMatch(text.slice(position), /^.[ิุ]?์/u);
  }
  t.equal(marked('กระทำ'), 'กระทำ');
  t.equal(marked('คริป'), 'คริป');
});

void t.test('a name after its title is one word, up to where the sentence continues', async (t) => {
  t.equal(marked('นายวรชาติ พงศ์ไพรวัลย์ตกลงโอน'), 'นาย~วรชาติ |พงศ์ไพรวัลย์|ตกลง|โอน');
  t.equal(marked('ถนนวัชรินทร์อุทิศ'), 'ถนน|วัชรินทร์อุทิศ');
});

void t.test('a line may end before a bracket or a Latin word in Thai', async (t) => {
  t.equal(marked('บาท(หนึ่ง)ถ้วน'), 'บาท|(หนึ่ง)|ถ้วน');
  t.equal(marked('ผ่านPromptPayไป'), 'ผ่าน|PromptPay|ไป');
  t.equal(marked('เรียกว่า“ผู้กู้”ฝ่ายหนึ่ง'), 'เรียก=ว่า|“ผู้กู้”|ฝ่าย|หนึ่ง');
});

void t.test('no mark stands alone at the start or the end of a line', async (t) => {
  t.equal(marked('ดอกเบี้ย 5 % ต่อปี'), 'ดอกเบี้ย |5 % |ต่อ=ปี');
  t.equal(marked('rose by 5 % today'), 'rose |by |5 % |today');
  t.equal(marked('the “ word ” is'), 'the |“ word ” |is');
  t.equal(marked('the " word " is'), 'the |" word " |is');
  t.equal(marked('a ( word ) b'), 'a |( word ) |b');
  t.equal(marked('ต่าง ๆ และอื่น ๆ ฯลฯ'), 'ต่าง ๆ |และ|อื่น ๆ ฯลฯ');
});

void t.test('a sign, a bracket and a currency stay with their number', async (t) => {
  const signs = '-฿1,250.50 −฿1,250.50 –฿1,250.50 +฿1,250.50 -$5 −$5 ±€5 -¢5 -£.50 −฿๕ -US$5 +‰5';
  const brackets = '-(1,234.00) (฿1,234.00) (-฿1,234.00) -(฿1,234.00) ฿(1,234.00) −(฿5) -[5] (5)%';
  const others = '-THB1,250.50 −THB1,250.50 ‐5 –1,250.50 ‒5 "-฿5" $-5 ฿−5 100.00- 1,250.50฿ ¢−5';
  const amounts = `${signs} ${brackets} ${others} -๑,๒๕๐.๕๐ B/.1,250.50`.split(' ');
  for (const amount of amounts) {
    t.equal(marked(`is ${amount} now`), `is |${amount} |now`);
    t.equal(marked(amount), amount, 'at the start of a text');
    t.equal(marked(`ยอด ${amount} บาท`).replace('~', '|'), `ยอด |${amount} |บาท`);
  }
});

void t.test('a line may still end after a hyphen inside a word and after a range', async (t) => {
  t.equal(marked('e-mail 2020–2025 A-$5 x-(y)'), 'e-|mail |2020–|2025 |A-|$5 |x-|(y)');
  t.equal(marked('- item – item'), '- |item |– |item');
});

void t.test('kinsoku: closing marks do not begin, opening marks do not end a line', async (t) => {
  t.same(wordsOf('日本、「語」です。'), ['日', '本、', '「語」', 'で', 'す。']);
  t.same(wordsOf('価格１００円！'), ['価', '格', '１', '０', '０', '円！']);
});

void t.test('newlines are required breaks', async (t) => {
  const { positions, required, reluctance } = findBreaks('a\nb\r\nc\n');
  t.same(
    { positions, required, reluctance },
    {
      positions: [2, 5, 7],
      required: [true, true, true],
      reluctance: [0, 0, 0],
    },
  );
});

interface Breaker {
  nextBreak(): { readonly position: number; readonly required: boolean } | null;
}

const require = createRequire(import.meta.url);
// pdfmake's breaker, which defines its words.
const LineBreaker = require('linebreak') as new (text: string) => Breaker;

function breaksOfPdfmake(text: string): number[] {
  const breaker = new LineBreaker(text);
  const positions: number[] = [];
  for (let found = breaker.nextBreak(); found !== null; found = breaker.nextBreak()) {
    positions.push(found.position);
  }
  return positions;
}

/** Beside a sign or a currency: we differ, so that no amount is split. */
function isAtSign(text: string, at: number): boolean {
  const isAtDash = /(?:^|[\s\u200b\u2011([{'"“”‘’«»+$\\€£¥%°])[-–]$/u.test(text.slice(0, at));
  return isAtDash || /[+$\\€£¥%°]{2}/u.test(text.slice(at - 1, at + 1));
}

const LATIN = `abc XYZ 0123456789 .,:;!?'"()[]{}<>/\\|-–—_+=*&^%$#@~\`\n“”‘’«»…•·§°€£¥©®™éüñßøЖщΩλ\u00a0\u00ad\u200b\u2011`;

/** Spaces beside a quote or before a percent sign: we differ, so that no mark stands alone. */
function isAtLoneMark(text: string, at: number): boolean {
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return (before.endsWith(' ') && /^[%‰"“”‘’«»]/u.test(after)) || /["“”‘’«»] +$/u.test(before);
}

void t.test('for Latin, Greek and Cyrillic the breaks are those of pdfmake', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from(LATIN)), maxLength: 60 }),
      (text) => {
        const isSame = (at: number) => !isAtLoneMark(text, at) && !isAtSign(text, at);
        const expected = breaksOfPdfmake(text).filter(isSame);
        t.same(findBreaks(text).positions.filter(isSame), expected, JSON.stringify(text));
      },
    ),
    { numRuns: 1500 },
  );
});

import t from 'tap';
import { findTears } from './cut.ts';
import { wordsWith } from './words/words.ts';

function split(text: string, choice: number): string {
  const { choices } = findTears(text, wordsWith(null));
  let last = 0;
  const parts = (choices[choice] ?? []).map((at) => {
    const part = text.slice(last, at);
    last = at;
    return part;
  });
  return [...parts, text.slice(last)].join('|');
}

t.test('a long word is split between its words first, then between syllables', async (t) => {
  t.equal(split('ผู้ค้ำประกัน', 0), 'ผู้|ค้ำประกัน');
  t.equal(split('คริปโทเคอร์เรนซี', 1), 'คริป|โท|เคอร์|เรน|ซี');
  t.equal(split('สเตตเมนต์', 1), 'สเตต|เมนต์');
});

t.test('a number in a word is split only as a last resort', async (t) => {
  t.equal(split('เลขที่123-4-56789', 0), 'เลข|ที่|123-4-56789');
  t.notMatch(split('เลขที่123-4-56789', 2), /\d\|/u);
});

t.test('an amount is split after its commas; brackets stay with their content', async (t) => {
  t.equal(split('2,500,000.00', 0), '2,|500,|000.00');
  t.equal(split('(Borrower)', 1), '(B|o|r|r|o|w|e|r)');
});

t.test('marks beside Thai are split only where nothing else fits', async (t) => {
  t.equal(split('กก)),', 3), 'ก|ก)),');
  t.equal(split('กก)),', 4), 'ก|ก|)|)|,');
});

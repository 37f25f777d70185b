import t from 'tap';
import { quotes } from './quotes.ts';

const LIMITS = { lengthMax: 40, lead: 10 };
/** A letter with a vowel and a tone mark above it, a flag and a family: clusters of many units. */
const CLUSTERS = ['ที่', 'น้ำ', 'ก', '🇹🇭', '👩‍👩‍👧‍👦', 'e\u0301'];

t.test('quotes keep clusters whole, wherever texts differ', (t) => {
  const segmenter = new Intl.Segmenter('th', { granularity: 'grapheme' });
  const clusters = Array.from(
    { length: 90 },
    (_, index) => CLUSTERS[index % CLUSTERS.length] ?? '',
  );
  for (let at = 0; at < clusters.length; at += 1) {
    const old = clusters.join('');
    const now = clusters.with(at, '(changed)').join('');
    const { before, after } = quotes(old, now, LIMITS);
    t.match(after, '(changed)', `${at}`);
    t.not(before, after);
    const whole = new Set([...segmenter.segment(old)].map(({ segment }) => segment));
    for (const { segment } of segmenter.segment(before)) {
      if (segment !== '…' && !whole.has(segment))
        t.fail(`${at}: ${JSON.stringify(segment)} is cut`);
    }
  }
  t.end();
});

t.test('changes at both ends leave out the middle', (t) => {
  const long = 'ที่'.repeat(50);
  const { after } = quotes(`a${long}b`, `c${long}d`, LIMITS);
  t.match(after, /^c(?:ที่)+ … \d+ characters are not shown … (?:ที่)+d$/);
  t.strictSame(quotes('a', 'b', LIMITS), { before: 'a', after: 'b' }, 'short ones are whole');
  t.end();
});

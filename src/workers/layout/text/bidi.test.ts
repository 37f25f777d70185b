import t from 'tap';
import { levelsOf, paragraphDirection, visualOrder } from './bidi.ts';

function arrange(words: readonly string[]): string {
  const base = paragraphDirection(words);
  if (base === null) return words.join(' ');
  return visualOrder(levelsOf(words, base))
    .map((index) => words[index])
    .join(' ');
}

void t.test('words of a right-to-left paragraph run from right to left', async (t) => {
  t.equal(arrange(['שלום', 'עולם', 'טוב']), 'טוב עולם שלום');
});

void t.test('Latin words and numbers inside it keep their own order', async (t) => {
  t.equal(arrange(['שלום', 'abc', 'def', 'עולם']), 'עולם abc def שלום');
  t.equal(arrange(['סכום', '12', '34', 'שקל']), 'שקל 12 34 סכום');
});

void t.test(
  'right-to-left words inside a Latin paragraph are reversed among themselves',
  async (t) => {
    t.equal(arrange(['abc', 'שלום', 'עולם', 'def']), 'abc עולם שלום def');
  },
);

void t.test(
  'marks go with their neighbours, or with the paragraph between two directions',
  async (t) => {
    t.equal(arrange(['שלום', '-', 'עולם']), 'עולם - שלום');
    t.equal(arrange(['abc', '-', 'שלום']), 'abc - שלום');
  },
);

void t.test('a paragraph without such letters is left alone', async (t) => {
  t.equal(paragraphDirection(['abc 123', 'ไทย']), null);
});

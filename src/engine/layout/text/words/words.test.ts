import t from 'tap';
import { findBreaks } from '../break.ts';
import { isThaiWord, makeLexicon, packWords } from './lexicon.ts';
import { readWords } from './segment.ts';
import { wordsWith } from './words.ts';

const MADE_UP = 'กิตตวรากรชัยสมบัติไพศาล';

function partsOf(text: string, words = wordsWith(null)): string[] {
  let last = 0;
  return findBreaks(text, words).positions.map((position) => {
    const part = text.slice(last, position);
    last = position;
    return part;
  });
}

t.test('a packed lexicon holds exactly its words, with their kinds', async (t) => {
  const lexicon = makeLexicon(
    packWords([
      ['กา', 3],
      ['กาแฟ', 2],
      ['แฟ', 2],
    ]),
  );
  const read = readWords('กาแฟกา', { lexicon, added: [] }, 10);
  t.same(read, [
    { end: 4, kind: 2 },
    { end: 6, kind: 3 },
  ]);
});

t.test('a leftover letter joins an unknown word, whatever was segmented before', async (t) => {
  const words = { lexicon: makeLexicon(packWords([['กา', 2]])), added: [] };
  readWords('กากากากากา', words, 10);
  t.same(readWords('กาก', words, 10), [{ end: 3, kind: 0 }]);
  t.same(readWords('ก', words, 10), [{ end: 1, kind: 0 }]);
});

t.test('the words of a template are not split in that template', async (t) => {
  const list = [MADE_UP];
  t.notOk(partsOf(`บริการ${MADE_UP}ของธนาคาร`).includes(MADE_UP));
  t.same(partsOf(`บริการ${MADE_UP}ของธนาคาร`, wordsWith(list)), ['บริการ', MADE_UP, 'ของ', 'ธนาคาร']);
  t.equal(wordsWith(list), wordsWith(list), 'made once per template');
});

t.test('a Thai word consists of Thai letters only', async (t) => {
  t.ok(isThaiWord('พร้อมเพย์'));
  for (const word of ['', 'K PLUS', 'ก 1', 'abc', 'ก๑']) t.notOk(isThaiWord(word), word);
});

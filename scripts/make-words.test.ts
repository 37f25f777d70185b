import { readFileSync } from 'node:fs';
import t from 'tap';
import { packedWords } from './make-words.ts';

t.test('the packed words are up to date with the lists', async (t) => {
  const bytes = readFileSync(new URL('../src/engine/layout/text/words/words.bin', import.meta.url));
  const edges = packedWords();
  t.equal(bytes.length, edges.length * 4, 'run `node scripts/make-words.ts`');
  const first = edges.findIndex((edge, index) => bytes.readUInt32LE(index * 4) !== edge);
  t.equal(first, -1, 'run `node scripts/make-words.ts`');
});

import { readFileSync } from 'node:fs';
import t from 'tap';
import { packedWords } from '../../scripts/make-words.ts';
import { measure } from './measure.ts';
import { readCorpus } from './phrases.ts';

/** Line breaking on the annotated corpus, as `measure.ts` tells it, beside ICU's words. */
const CORPUS = new URL('annotated.txt', import.meta.url);
/** Words split although they fit on a line, as a share of those that ICU splits. */
const SPLIT_SHARE_MAX = 0.25;
const FOUND_SHARE_MIN = 0.965;

t.test('each kind of document has its phrases, and none is there twice', async (t) => {
  const phrases = readCorpus(CORPUS);
  t.ok(phrases.length >= 800, String(phrases.length));
  t.equal(new Set(phrases.map(({ text }) => text)).size, phrases.length);
  t.ok(new Set(phrases.map(({ kind }) => kind)).size >= 14);
});

t.test('both halves keep words whole and find the breaks that readers allow', async (t) => {
  for (const [half, { ours, ICU: icu }] of Object.entries(measure(CORPUS))) {
    if (ours === undefined || icu === undefined) throw new Error('an engine is missing');
    t.ok(ours.willing <= icu.willing * SPLIT_SHARE_MAX, `${half}: ${ours.willing}, ${icu.willing}`);
    t.ok(ours.found >= ours.allowed * FOUND_SHARE_MIN, `${half}: ${ours.found} of ${ours.allowed}`);
  }
});

t.test('the packed words are those of the lists', async (t) => {
  const bytes = readFileSync(new URL('../../src/workers/layout/text/words.bin', import.meta.url));
  const edges = packedWords();
  t.equal(bytes.length, edges.length * 4, 'run `node scripts/make-words.ts`');
  const first = edges.findIndex((edge, index) => bytes.readUInt32LE(index * 4) !== edge);
  t.equal(first, -1, 'run `node scripts/make-words.ts`');
});

import t from 'tap';
import { runAtOnce } from '../../../runtime/time-slice.ts';
import { decodeEntries, encodeEntries } from './entries.ts';
import type { PrintedDocument } from './types.ts';

const ROW_IDS = ['R', '"}', '\\', '{"a":[1]},', '\\"}', 'ก{', ''];

function documentsOf(count: number): readonly PrintedDocument[] {
  return Array.from({ length: count }, (_, index) => ({
    rowId: `${ROW_IDS[index % ROW_IDS.length]}${index % 3 === 0 ? '' : index}`,
    documentId: `d${index}`,
    fromPage: index + 1,
    toPage: index + 1,
  }));
}

for (const count of [0, 1, 499, 500, 501, 1_000, 1_234]) {
  t.test(`${count} entries are written and read in pieces`, async (t) => {
    const documents = documentsOf(count);
    const bytes = runAtOnce(encodeEntries(documents));
    t.strictSame(JSON.parse(Buffer.from(bytes).toString()), documents, 'one list in JSON');
    const pieces = [...decodeEntries(bytes)];
    t.strictSame(pieces.flat(), documents);
    t.equal(pieces.length, Math.ceil(count / 500));
  });
}

t.test('a list as earlier versions wrote it is read', async (t) => {
  const documents = documentsOf(700);
  const bytes = Buffer.from(JSON.stringify(documents));
  t.strictSame([...decodeEntries(bytes)].flat(), documents);
});

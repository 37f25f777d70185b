import t from 'tap';
import { decodeEntries, NOT_HERE } from './entries.ts';
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
  t.test(`${count} entries, as earlier versions wrote them, are read in pieces`, async (t) => {
    const documents = documentsOf(count);
    const pieces = [...decodeEntries(Buffer.from(JSON.stringify(documents)))];
    t.strictSame(pieces.flat(), documents);
    t.equal(pieces.length, Math.ceil(count / 500));
  });
}

t.test('what stands there instead of a list is none', async (t) => {
  t.throws(() => [...decodeEntries(Buffer.from(NOT_HERE))], SyntaxError);
});

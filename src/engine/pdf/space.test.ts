import t from 'tap';
import { loadFonts } from '../font/library.ts';
import { assignCodes, firstFaces } from './codes.ts';
import { FragmentCache } from './fragments.ts';

const { library } = loadFonts(null);
const SPACE = 0x20;

for (const text of ['ใบกำกับภาษี', 'ปี่ก้ำนั้น', 'Total']) {
  t.test(`no space is drawn for ${text}`, async (t) => {
    const stack = library.stack('Sarabun', true, false);
    const uses = [{ stack, texts: [text], freeText: false }];
    const [face] = firstFaces(uses);
    if (face === undefined) throw new Error('a stack has a face');
    const codes = assignCodes(face, uses);
    t.equal(codes.pages[0]?.glyphOf[SPACE], 0, 'its font has none');
    const fragments = new FragmentCache(codes);
    for (const cluster of stack.clusters(text)) {
      const written = Buffer.from(fragments.of(cluster, 12).bytes).toString('latin1');
      t.notMatch(written, /\( \)/, 'readers that do not know ActualText would copy it');
      // Readers measure a span by its last glyph, so the pen must stand at the cluster's end.
      t.equal(written.includes(' Tc'), written.includes('0 Tc'), 'character spacing is set back');
    }
  });
}

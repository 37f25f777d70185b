import t from 'tap';
import { loadFonts } from './library.ts';

const { library } = loadFonts(null);
const SARA_AM = 0x0e33;

for (const [bold, italics] of [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const) {
  t.test(`sara am is one glyph, bold ${bold}, italics ${italics}`, async (t) => {
    const stack = library.stack('Sarabun', bold, italics);
    const { tables } = stack.faces[0];
    const whole = tables.characterMap.get(SARA_AM);
    const aa = tables.characterMap.get(0x0e32) ?? 0;
    for (const base of 'กขคงจชดตทนบพมยรลวสหอ') {
      const baseGlyph = tables.characterMap.get(base.charCodeAt(0)) ?? 0;
      const unitsPerEm = tables.unitsPerEm;
      const widthEm = ((tables.advances[baseGlyph] ?? 0) + (tables.advances[aa] ?? 0)) / unitsPerEm;
      const [plain] = stack.clusters(`${base}ำ`);
      t.strictSame(plain?.glyphs, [baseGlyph, whole], `${base}ำ`);
      t.strictSame(plain?.sources, [0, 1]);
      t.equal(plain?.widthEm, widthEm, 'its width is that of its parts');
      const [toned] = stack.clusters(`${base}้ำ`);
      t.strictSame([toned?.glyphs[0], toned?.glyphs.at(-1)], [baseGlyph, whole], `${base}้ำ`);
      t.strictSame(toned?.sources, [0, 1, 2], 'the tone mark has its own glyph');
      t.ok((toned?.yOffsets[1] ?? 0) < 0 || toned?.xOffsets[1] !== 0, 'which stands over nikhahit');
      t.equal(toned?.widthEm, widthEm);
    }
  });
}

t.test('parts that the font moves, and parts in other patterns, stay as they are', async (t) => {
  const stack = library.stack('Sarabun', false, false);
  const aa = stack.faces[0].tables.characterMap.get(0x0e32);
  for (const text of ['ปำ', 'ฟ้ำ', 'ก้๊ำ']) {
    const [cluster] = stack.clusters(text);
    t.equal(cluster?.glyphs.at(-1), aa, text);
  }
});

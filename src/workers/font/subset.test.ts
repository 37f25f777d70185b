import t from 'tap';
import { loadFonts } from './library.ts';
import { subsetFont } from './subset.ts';

t.test('subsetting leaves the face as it was: the same call gives the same bytes', async (t) => {
  const { tables } = loadFonts(null).library.stack('Sarabun', false, false).faces[0];
  const composite = 762;
  const first = subsetFont(tables, [100, composite], [{ code: 65, glyph: composite }]);
  const second = subsetFont(tables, [100, composite], [{ code: 65, glyph: composite }]);
  t.strictSame(second.bytes, first.bytes);
  t.ok(first.glyphs.size > 3, 'the components of a composite come along');
});

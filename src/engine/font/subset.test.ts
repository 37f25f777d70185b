import fc from 'fast-check';
import * as hb from 'harfbuzzjs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import t from 'tap';
import { harfbuzzSubset } from '../../../test/fixtures/harfbuzz-subset.ts';
import { parseFont } from './sfnt.ts';
import { subsetFont } from './subset.ts';

const require = createRequire(import.meta.url);

/** One file of each shipped family and of the tests' families: Thai, Latin, Arabic, Hebrew. */
const FILES = [
  'sarabun/400Regular/Sarabun_400Regular.ttf',
  'sarabun/700Bold_Italic/Sarabun_700Bold_Italic.ttf',
  'roboto/400Regular/Roboto_400Regular.ttf',
  'lalezar/Lalezar_400Regular.ttf',
  'miriam-libre/400Regular/MiriamLibre_400Regular.ttf',
].map((name) => require.resolve(`@expo-google-fonts/${name}`));

function fontOf(bytes: Uint8Array): hb.Font {
  return new hb.Font(new hb.Face(new hb.Blob(bytes)));
}

for (const file of FILES) {
  const bytes = readFileSync(file);
  const tables = parseFont(bytes);
  const original = fontOf(bytes);

  t.test(`${basename(file)}: subsets draw what HarfBuzz's own subsets draw`, async (t) => {
    const someGlyphs = fc.uniqueArray(fc.nat(tables.glyphCount - 1), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(someGlyphs, async (glyphs) => {
        const ours = subsetFont(tables, glyphs, []);
        const drawn = fontOf(ours.bytes);
        const reference = fontOf(harfbuzzSubset(bytes, glyphs));
        const wrong = Array.from({ length: tables.glyphCount }, (_, glyph) => glyph).filter(
          (glyph) => {
            const path = reference.glyphToPath(glyph);
            const number = ours.glyphs.get(glyph);
            if (number === undefined) return path !== '';
            const advance = drawn.glyphHAdvance(number);
            return drawn.glyphToPath(number) !== path || advance !== original.glyphHAdvance(glyph);
          },
        );
        t.strictSame(wrong, [], `glyphs ${glyphs.join(' ')}`);
      }),
      { numRuns: 15, seed: 17 },
    );
  });

  t.test(`${basename(file)}: a subset of all glyphs draws them all`, async (t) => {
    const all = Array.from({ length: tables.glyphCount }, (_, glyph) => glyph);
    const drawn = fontOf(subsetFont(tables, all, []).bytes);
    const wrong = all.filter((glyph) => drawn.glyphToPath(glyph) !== original.glyphToPath(glyph));
    t.strictSame(wrong, []);
  });

  t.test(`${basename(file)}: character codes show the glyphs asked for`, async (t) => {
    const letters = Array.from('Aghj09').map((letter) =>
      original.nominalGlyph(letter.codePointAt(0) ?? 0),
    );
    const codes = letters.map((glyph, index) => ({ code: 65 + index, glyph: glyph ?? 0 }));
    const subset = subsetFont(
      tables,
      codes.map(({ glyph }) => glyph),
      codes,
    );
    const drawn = fontOf(subset.bytes);
    for (const { code, glyph } of codes) {
      // A symbol font has its codes in the private use area (OpenType cmap, encoding 3.0).
      const shown = drawn.nominalGlyph(0xf000 + code);
      t.equal(shown, subset.glyphs.get(glyph), `code ${code}`);
      t.equal(drawn.glyphToPath(shown ?? 0), original.glyphToPath(glyph));
    }
  });

  t.test(`${basename(file)}: subsetting does not change the face`, async (t) => {
    // Later glyphs are the composites in these fonts.
    const glyphs = [100, tables.glyphCount - 1, tables.glyphCount - 60];
    const first = subsetFont(tables, glyphs, [{ code: 65, glyph: 100 }]);
    const second = subsetFont(tables, glyphs, [{ code: 65, glyph: 100 }]);
    t.strictSame(second.bytes, first.bytes);
  });
}

import fc from 'fast-check';
import t from 'tap';
import type { Cluster } from './cluster.ts';
import { loadFonts } from './library.ts';

const { library } = loadFonts(null);

const THAI = [
  ...Array.from('กขปฝฟฬญฐฎฏนมยรลวสหอาะเแโใไ'),
  ...Array.from('กดนรที่ให้ไม่น้ำจำ'),
  ...Array.from('ัิีึืุู็่้๊๋์ำ'),
];
const LATIN = Array.from('ABCDEFGTVWYfiltacoev.,- 0123"\'();:/fiffiTAVAWa');

function flat(clusters: readonly Cluster[]): number[][] {
  return clusters.flatMap((cluster) =>
    cluster.glyphs.map((glyph, index) => [
      glyph,
      cluster.advances[index] ?? 0,
      cluster.xOffsets[index] ?? 0,
      cluster.yOffsets[index] ?? 0,
    ]),
  );
}

for (const [family, alphabet, script] of [
  ['Sarabun', THAI, 'Thai'],
  ['Sarabun', LATIN, 'Latn'],
  ['Roboto', LATIN, 'Latn'],
] as const) {
  t.test(`${family} ${script}: composed shapes equal those of HarfBuzz`, async (t) => {
    const stack = library.stack(family, false, false);
    // A string starts with a base: a stray mark has no cluster to belong to.
    const strings = fc
      .array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 12 })
      .map((parts) => (script === 'Thai' ? 'ก' : 'A') + parts.join(''));
    fc.assert(
      fc.property(strings, (text) => {
        const whole = stack.faces[0].shape(text, script, false, null);
        const expected = whole.glyphs.map((glyph, index) => [
          glyph,
          whole.advances[index] ?? 0,
          whole.xOffsets[index] ?? 0,
          whole.yOffsets[index] ?? 0,
        ]);
        t.strictSame(flat(stack.clusters(text)), expected, text);
        const units = whole.advances.reduce((sum, advance) => sum + advance, 0);
        const widthEm = units / stack.faces[0].tables.unitsPerEm;
        return Math.abs(stack.shape(text).widthEm - widthEm) < 1e-9;
      }),
      { numRuns: 400 },
    );
  });
}

t.test('a character that the first face lacks comes from the next one', async (t) => {
  const stack = library.stack('Roboto', false, false);
  const clusters = stack.clusters('A ไทย');
  t.equal(clusters[0]?.face, stack.faces[0]);
  t.equal(clusters.at(-1)?.face.tables.familyName, 'Sarabun');
  t.equal(stack.missingCharacter('A ไทย'), null);
  t.equal(stack.missingCharacter('A 中'), '中');
});

t.test('an amount is a plain shape, without clusters', async (t) => {
  const shape = library.stack('Sarabun', false, false).shape('1,234.50');
  t.equal(shape.clusters, null);
  t.equal(shape.clusterCount, 8);
});

t.test('zero-width and control characters print nothing', async (t) => {
  const stack = library.stack('Sarabun', false, false);
  t.equal(stack.shape('\u200b').widthEm, 0);
  t.equal(stack.shape('ก\u200bข').widthEm, stack.shape('กข').widthEm);
  for (const separator of ['\u2028', '\u2029']) {
    t.equal(stack.shape(`a${separator}b `).widthEm, stack.shape('ab ').widthEm);
  }
});

t.test('a base takes thirty marks; the others are neither lost nor merged', async (t) => {
  for (const text of [
    `a${'\u0301'.repeat(500)}`,
    `ก${'\u0e48'.repeat(500)}`,
    '\u0e33'.repeat(500),
  ]) {
    const stack = library.stack('Sarabun', false, false);
    const clusters = stack.clusters(text);
    t.equal(clusters.map((cluster) => cluster.text).join(''), text);
    const longest = Math.max(...clusters.map((cluster) => cluster.text.length));
    t.ok(longest <= 64, `${longest} characters`);
  }
  const faces = `${'\u0301'.repeat(29)}😀`.repeat(4);
  const whole = library.stack('Sarabun', false, false).clusters(`a${faces}`);
  t.ok(
    whole.every((cluster) => cluster.text.isWellFormed()),
    'no character is cut in half',
  );
});

t.test('a language has a separate stack only if a font shapes it specially', async (t) => {
  const plain = library.stack('Sarabun', false, false);
  for (const language of ['th', 'en', 'en-GB', 'xx']) {
    t.equal(library.stack('Sarabun', false, false, undefined, language), plain, language);
  }
  const romanian = library.stack('Sarabun', false, false, undefined, 'ro');
  t.equal(
    library.stack('Sarabun', false, false, undefined, 'ro-RO'),
    romanian,
    'one stack for both',
  );
  const glyphsOf = (stack: typeof plain): number[][] =>
    (stack.shape('aşa').clusters ?? []).map(({ glyphs }) => [...glyphs]);
  t.notSame(glyphsOf(romanian), glyphsOf(plain), 'comma below instead of cedilla');
  t.same(glyphsOf(romanian)[0], glyphsOf(plain)[0]);
  t.not(romanian.key, plain.key);
});

t.test('characters that draw nothing are missing from no font', async (t) => {
  const codes = [
    0x34f, 0x61c, 0x17b4, 0x180b, 0x180e, 0x200b, 0x202e, 0x2069, 0xfe0f, 0xe0001, 0xe0100,
  ];
  for (const family of ['Roboto', 'Sarabun']) {
    const stack = library.stack(family, false, false);
    for (const code of codes) {
      const text = String.fromCodePoint(code);
      t.equal(stack.missingCharacter(text), null, `${family} U+${code.toString(16)}`);
      t.equal(stack.shape(text).widthEm, 0, `${family} U+${code.toString(16)} has no width`);
      const shown = stack.clusters(`a${text}b`).flatMap(({ glyphs }) => glyphs);
      t.notOk(shown.includes(0), `${family} U+${code.toString(16)} has no box`);
    }
  }
});

t.test('a space of another width is drawn by every font that has a space', async (t) => {
  for (const family of ['Roboto', 'Sarabun']) {
    const stack = library.stack(family, false, false);
    for (const code of [0xa0, 0x2002, 0x2007, 0x2009, 0x202f, 0x205f]) {
      const text = String.fromCodePoint(code);
      t.equal(stack.missingCharacter(text), null, `${family} U+${code.toString(16)}`);
      t.ok(stack.shape(text).widthEm > 0, `${family} U+${code.toString(16)}`);
      const shown = stack.clusters(`1${text}2`).flatMap(({ glyphs }) => glyphs);
      t.notOk(shown.includes(0), `${family} U+${code.toString(16)} has no box`);
    }
  }
});

t.test('Thai clusters of two and of three characters are never taken for each other', async (t) => {
  const stack = library.stack('Sarabun', false, false);
  // The lowest seven bits of U+0E00, which is not assigned, are zero.
  for (const text of ['\u0e34\u0e48', '\u0e00\u0e34\u0e48', '\u0e01\u0e34\u0e48', '\u0e01\u0e34']) {
    t.strictSame(
      stack.clusters(text).map((cluster) => cluster.text),
      [text],
    );
    t.equal(stack.clusters(text)[0], stack.clusters(text)[0], 'and are made once');
  }
});

t.test('a word that comes once is not cached, one that comes again is', async (t) => {
  const stack = library.stack('Sarabun', false, true);
  const once = stack.shapeOnce('AVATAR-1');
  t.equal(once.id, 0);
  const again = stack.shapeOnce('AVATAR-1');
  t.ok(again.id > 0);
  t.equal(stack.shapeOnce('AVATAR-1'), again);
  t.equal(stack.shape('AVATAR-1'), again);
  t.strictSame({ ...once, id: 0 }, { ...again, id: 0 });
  const cached = stack.shape('ทดสอบคำ');
  t.equal(stack.shapeOnce('ทดสอบคำ'), cached);
  const long = 'AV'.repeat(40);
  t.equal(stack.shapeOnce(long).id, 0);
  t.equal(stack.shapeOnce(long).id, 0);
});

t.test('words in use stay when ten thousand others come', async (t) => {
  const stack = library.stack('Roboto', true, true);
  const kept = stack.shape('AV');
  for (let number = 0; number < 10_000; number++) {
    stack.shape(`AV-${number}`);
    if (number % 1_000 === 0) t.equal(stack.shape('AV'), kept);
  }
  t.not(stack.shape('AV-1'), stack.shape('AV-2'));
});

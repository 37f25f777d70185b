/**
 * Line break classes (UAX #14) of the characters that office documents hold: Latin, Greek,
 * Cyrillic, general punctuation, currency, CJK, Hangul, and the scripts of South-East Asia (SA,
 * resolved to AL; a dictionary breaks them). Anything not listed is alphabetic.
 */
export const CLASS = {
  OP: 0,
  CL: 1,
  CP: 2,
  QU: 3,
  GL: 4,
  NS: 5,
  EX: 6,
  SY: 7,
  IS: 8,
  PR: 9,
  PO: 10,
  NU: 11,
  AL: 12,
  HL: 13,
  ID: 14,
  IN: 15,
  HY: 16,
  BA: 17,
  BB: 18,
  B2: 19,
  ZW: 20,
  CM: 21,
  WJ: 22,
  H2: 23,
  H3: 24,
  JL: 25,
  JV: 26,
  JT: 27,
  RI: 28,
  EB: 29,
  EM: 30,
  ZWJ: 31,
  CB: 32,
  SP: 33,
  BK: 34,
  CR: 35,
  LF: 36,
} as const;

type ClassName = keyof typeof CLASS;

/** Ranges in hex, by class; later classes overwrite earlier ones. */
const RANGES: readonly (readonly [ClassName, string])[] = [
  ['CM', '0-8 e-1f 7f-84 86-9f 300-34e 350-35b 363-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7'],
  ['CM', '610-61a 61c 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8 6ea-6ed 900-903 93a-93c 93e-94f'],
  ['CM', '951-957 962-963 1dc0-1dff 200c 200e-200f 202a-202e 2066-206f 20d0-20f0 302a-302f'],
  ['CM', '3035 3099-309a fe00-fe0f fe20-fe2f'],
  ['BK', 'b-c 2028-2029'],
  ['CR', 'd'],
  ['LF', 'a 85'],
  ['SP', '20'],
  ['BA', '9 7c ad 58a 5be 964-965 e5a-e5b 104a-104b 17d4-17d5 17d8 17da 2000-2006 2008-200a 2010'],
  ['BA', '2012-2013 2027 2056 2058-205b 205d-205f 2e0e-2e15 2e17 2e19 2e2a-2e2d 2e30-2e31 3000'],
  ['EX', '21 3f 5c6 61b 61d-61f 6d4 2762-2763 2cf9 2e2e ff01 ff1f'],
  ['QU', '22 27 ab bb 2018-2019 201b-201d 201f 2039-203a 275b-2760 2e00-2e0d 2e1c-2e1d 2e20-2e21'],
  ['PR', '24 2b 5c a3-a5 b1 58f e3f 17db 20a0-20a6 20a8-20b5 20b7-20ba 20bc-20bd 20bf 2116'],
  ['PR', '20c1-20cf 2212-2213 ff04 ffe1 ffe5-ffe6'],
  ['PO', '25 a2 b0 609-60b 66a 2030-2037 20a7 20b6 20bb 20be 20c0 2103 2109 ff05 ffe0'],
  [
    'OP',
    '28 5b 7b a1 bf 201a 201e 2045 207d 208d 2308 230a 2329 2768 276a 276c 276e 27e6 27e8 27ea',
  ],
  ['OP', '2e18 3008 300a 300c 300e 3010 3014 3016 3018 301a 301d ff08 ff3b ff5b ff5f ff62'],
  ['CP', '29 5d'],
  ['CL', '7d 2046 207e 208e 2309 230b 232a 2769 276b 276d 276f 27e7 27e9 27eb 3001-3002 3009 300b'],
  [
    'CL',
    '300d 300f 3011 3015 3017 3019 301b 301e-301f ff09 ff0c ff0e ff3d ff5d ff60-ff61 ff63-ff64',
  ],
  ['IS', '2c 2e 3a-3b 37e 589 60c-60d 2044'],
  ['HY', '2d'],
  ['SY', '2f'],
  ['NU', '30-39 660-669 66b-66c 6f0-6f9 966-96f e50-e59 ed0-ed9 1040-1049 17e0-17e9'],
  ['GL', 'a0 34f 35c-362 2007 2011 202f'],
  ['BB', 'b4 2c8 2cc 2df'],
  ['HL', '5d0-5f2'],
  ['JL', '1100-115f a960-a97c'],
  ['JV', '1160-11a7 d7b0-d7c6'],
  ['JT', '11a8-11ff d7cb-d7fb'],
  ['ZW', '200b'],
  ['ZWJ', '200d'],
  ['WJ', '2060 feff'],
  ['B2', '2014 2e3a-2e3b'],
  ['IN', '2024-2026 22ef fe19'],
  ['ID', '231a-231b 23f0-23f3 2600-2603 2614-2615 2618 261a-261c 261e-261f 2639-263b 2668 267f'],
  [
    'ID',
    '2e80-2fff 3003-3004 3006-3007 3012-3013 3020-3029 3030-3034 3036-303a 303d-309f 30a1-30fa',
  ],
  ['ID', '30fc 30ff-33ff 3400-4dbf 4e00-9fff a000-a4cf f900-faff fe30-fe4f ff02-ff03 ff06-ff07'],
  ['ID', 'ff0a-ff0b ff0d ff0f-ff19 ff1c-ff1e ff20-ff3a ff3c ff3e-ff5a ff5c ff5e ffe2-ffe4'],
  ['NS', '17d6 203c-203d 2047-2049 3005 301c 3041 3043 3045 3047 3049 3063 3083 3085 3087 308e'],
  [
    'NS',
    '3095-3096 309b-309e 30a0 30a1 30a3 30a5 30a7 30a9 30c3 30e3 30e5 30e7 30ee 30f5-30f6 30fb',
  ],
  ['NS', '30fc 30fd-30fe 31f0-31ff ff1a-ff1b ff65 ff67-ff70 ff9e-ff9f'],
];

const ASTRAL_IDEOGRAPHIC_FROM = 0x1f000;

function buildTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(CLASS.AL);
  for (const [name, ranges] of RANGES) {
    for (const range of ranges.split(' ')) {
      const [from = '', to = from] = range.split('-');
      table.fill(CLASS[name], Number.parseInt(from, 16), Number.parseInt(to, 16) + 1);
    }
  }
  // Hangul syllables: every 28th is an LV, the others have a final consonant.
  for (let code = 0xac00; code <= 0xd7a3; code++) {
    table[code] = (code - 0xac00) % 28 === 0 ? CLASS.H2 : CLASS.H3;
  }
  return table;
}

const TABLE = buildTable();

/** The class of a code point; South-East Asian letters are AL. */
export function breakClass(code: number): number {
  if (code < 0x10000) return TABLE[code] ?? CLASS.AL;
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return CLASS.RI;
  if (code >= 0x1f3fb && code <= 0x1f3ff) return CLASS.EM;
  // Emoji and supplementary ideographs break like ideographs.
  if (code >= ASTRAL_IDEOGRAPHIC_FROM && code <= 0x3fffd) return CLASS.ID;
  return CLASS.AL;
}

/** Thai, Lao, Myanmar, Khmer: scripts without spaces between words. */
export function isDictionaryScript(code: number): boolean {
  return (
    code >= 0xe01 &&
    (code <= 0xedf || (code >= 0x1000 && code <= 0x109f) || (code >= 0x1780 && code <= 0x17ff)) &&
    code !== 0xe3f &&
    !(code >= 0xe50 && code <= 0xe5b) &&
    !(code >= 0xed0 && code <= 0xed9)
  );
}

const DICTIONARY_SCRIPT = /[\u0e01-\u0e3a\u0e40-\u0e4f\u0e81-\u0ecf\u1000-\u109f\u1780-\u17ff]/u;

/** Whether a text holds a letter of a script without spaces. */
export function hasDictionaryScript(text: string): boolean {
  return DICTIONARY_SCRIPT.test(text);
}

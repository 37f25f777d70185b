/*
 * windows-874: ASCII, the Thai letters of TIS-620 from 0xA1 on in the order of Unicode, and a few
 * signs of Windows between 0x80 and 0x97. The other bytes stand for nothing.
 */

const THAI_BYTE = 0xa1;
const THAI_CODE = 0x0e01;
const NO_BREAK_SPACE = 0xa0;
const SIGNS: Readonly<Record<number, number>> = {
  0x80: 0x20ac,
  0x85: 0x2026,
  0x91: 0x2018,
  0x92: 0x2019,
  0x93: 0x201c,
  0x94: 0x201d,
  0x95: 0x2022,
  0x96: 0x2013,
  0x97: 0x2014,
};

/** The code of each byte; 0: none, for 0x00 as well. */
const CODES = Uint16Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80 || byte === NO_BREAK_SPACE) return byte;
  if (byte < NO_BREAK_SPACE) return SIGNS[byte] ?? 0;
  const isAssigned = byte <= 0xda || (byte >= 0xdf && byte <= 0xfb);
  return isAssigned ? byte - THAI_BYTE + THAI_CODE : 0;
});

/** The text as UTF-8, or the offset of the first byte that stands for nothing. */
export function thaiToUtf8(bytes: Uint8Array): Uint8Array<ArrayBuffer> | number {
  const utf8 = new Uint8Array(bytes.length * 3);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const code = CODES[byte] ?? 0;
    if (byte < 0x80) {
      utf8[length++] = byte;
    } else if (code === 0) {
      return at;
    } else if (code < 0x800) {
      utf8[length++] = 0xc0 | (code >> 6);
      utf8[length++] = 0x80 | (code & 0x3f);
    } else {
      utf8[length++] = 0xe0 | (code >> 12);
      utf8[length++] = 0x80 | ((code >> 6) & 0x3f);
      utf8[length++] = 0x80 | (code & 0x3f);
    }
  }
  return utf8.subarray(0, length);
}

/** What a byte is in Thai spelling. */
const KINDS = {
  other: 0,
  latin: 1,
  consonant: 2,
  /** A vowel that is written before its consonant. */
  leading: 3,
  /** A vowel that is written after its consonant. */
  following: 4,
  /** A vowel or tone above or below its consonant. */
  mark: 5,
  digit: 6,
  none: 7,
} as const;

const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80) return /[a-z]/i.test(String.fromCharCode(byte)) ? KINDS.latin : KINDS.other;
  if (CODES[byte] === 0) return KINDS.none;
  if (byte >= 0xa1 && byte <= 0xce) return KINDS.consonant;
  if (byte >= 0xe0 && byte <= 0xe4) return KINDS.leading;
  if ([0xd0, 0xd2, 0xd3, 0xe5].includes(byte)) return KINDS.following;
  if ([0xd1, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda].includes(byte)) return KINDS.mark;
  if (byte >= 0xe7 && byte <= 0xee) return KINDS.mark;
  if (byte >= 0xf0 && byte <= 0xf9) return KINDS.digit;
  return KINDS.other;
});

/** Longest run of marks: a vowel, a tone, and one that was typed twice. */
const MARKS_MAX = 3;
/** A shorter run of Thai letters beside a Latin letter is an accented letter of Latin-1. */
const WORD_MIN = 3;
/** Least share of vowels and tones among the letters; Thai has about 0.45, lists of names less. */
const VOWELS_SHARE_MIN = 0.1;
/** ฃ ฅ ฆ ฌ ฎ ฏ ฑ ฒ ฤ ฦ ฬ ฮ, and three marks of old spelling. */
const RARE: ReadonlySet<number> = new Set([
  0xa3, 0xa5, 0xa6, 0xac, 0xae, 0xaf, 0xb1, 0xb2, 0xc4, 0xc6, 0xcc, 0xce, 0xda, 0xed, 0xee,
]);
const IS_RARE = Uint8Array.from({ length: 256 }, (_, byte) => (RARE.has(byte) ? 1 : 0));
/**
 * Greatest share of the rare ones, above the first; Thai has 0.02. In East Asian encodings, where all
 * bytes are about as frequent, they are a sixth.
 */
const RARE_SHARE_MAX = 0.1;

/**
 * Tells Thai text from text in another 8-bit encoding by its spelling: a mark or a following vowel
 * stands after a Thai letter, a leading vowel before a consonant, and letters are no lone accents
 * inside Latin words. The text comes in pieces.
 */
export class ThaiSpelling {
  #before: number = KINDS.other;
  #marks = 0;
  /** Letters of the present word, and whether a Latin letter stands before it. */
  #word = 0;
  #isAfterLatin = false;
  #letters = 0;
  #vowels = 0;
  #rare = 0;
  #isBroken = false;

  /** False: the text is not Thai. */
  add(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && !this.#isBroken; at += 1) {
      const byte = bytes[at] ?? 0;
      this.#rare += IS_RARE[byte] ?? 0;
      this.#isBroken = !this.#take(KIND_OF[byte] ?? KINDS.none);
    }
    return !this.#isBroken;
  }

  /** Whether the whole text is Thai. */
  end(): boolean {
    this.#isBroken ||= !this.#take(KINDS.other);
    if (this.#isBroken || this.#vowels === 0) return false;
    const hasVowels = this.#vowels >= this.#letters * VOWELS_SHARE_MIN;
    return hasVowels && this.#rare <= 1 + this.#letters * RARE_SHARE_MAX;
  }

  #take(kind: number): boolean {
    const before = this.#before;
    this.#before = kind;
    if (kind === KINDS.none || !this.#follows(kind, before)) return false;
    if (kind < KINDS.consonant || kind > KINDS.mark) return this.#endWord(kind);
    if (this.#word === 0) this.#isAfterLatin = before === KINDS.latin;
    this.#word += 1;
    this.#letters += 1;
    if (kind !== KINDS.consonant) this.#vowels += 1;
    return true;
  }

  #follows(kind: number, before: number): boolean {
    this.#marks = kind === KINDS.mark ? this.#marks + 1 : 0;
    // Two of the vowel SARA E are often typed for SARA AE.
    if (before === KINDS.leading) return kind === KINDS.consonant || kind === KINDS.leading;
    const isAfterLetter = before >= KINDS.consonant && before <= KINDS.mark;
    if (kind === KINDS.mark) return isAfterLetter && this.#marks <= MARKS_MAX;
    if (kind === KINDS.following) return isAfterLetter;
    if (kind === KINDS.consonant || kind === KINDS.leading) return before !== KINDS.digit;
    return true;
  }

  #endWord(kind: number): boolean {
    const isBesideLatin = this.#isAfterLatin || kind === KINDS.latin;
    const isAccent = this.#word > 0 && this.#word < WORD_MIN && isBesideLatin;
    this.#word = 0;
    return !isAccent;
  }
}

/**
 * Rules of Thai spelling about where a word or a syllable may begin, whatever a dictionary says.
 * Lao, Khmer and Myanmar share the first of these rules.
 */

const RO = 0xe23;
const MAI_HAN_AKAT = 0xe31;
const SARA_I = 0xe34;
const SARA_II = 0xe35;
const SARA_UEE = 0xe37;
const SARA_U = 0xe38;
const MAITAIKHU = 0xe47;
const THANTHAKHAT = 0xe4c;
const PAIYANNOI = 0xe2f;
const KO_KAI = 0xe01;
const YO_YAK = 0xe22;

/** Pairs of consonants that begin no Thai word: one closes a syllable, the other opens the next. */
const NEVER_FIRST: ReadonlySet<string> = new Set(
  'รร ญญ ณณ ตต ทท ปป พพ ลล สส ดด ฏฐ ฎฐ ณฑ ณฐ ษฐ ษฎ ษฏ ญจ ญช จฉ ตถ พภ คฆ กข ฬห ณห มภ งข งค งฆ'.split(
    ' ',
  ),
);

/** A vowel, tone or other mark above, below or after the letter before; also ๆ and ฯ. */
export function isDependent(code: number): boolean {
  return (
    (code >= 0xe2f && code <= 0xe3a) ||
    (code >= 0xe45 && code <= 0xe4e) ||
    (code >= 0xeaf && code <= 0xebc) ||
    (code >= 0xec6 && code <= 0xece) ||
    (code >= 0x102b && code <= 0x103e) ||
    (code >= 0x1056 && code <= 0x1059) ||
    (code >= 0x105e && code <= 0x1060) ||
    (code >= 0x17b4 && code <= 0x17d3) ||
    code === 0x17dd ||
    code === 0x17d7
  );
}

/**
 * เ แ โ ใ ไ and Lao counterparts precede their consonant; Khmer coeng and Myanmar virama join two.
 */
export function isLeadingVowel(code: number): boolean {
  return (
    (code >= 0xe40 && code <= 0xe44) ||
    (code >= 0xec0 && code <= 0xec4) ||
    code === 0x17d2 ||
    code === 0x1039
  );
}

/** Whether no mark or leading vowel is separated from its letter by a line that begins at `index`. */
export function isClusterBoundary(text: string, index: number): boolean {
  return !isDependent(text.charCodeAt(index)) && !isLeadingVowel(text.charCodeAt(index - 1));
}

function isThaiConsonant(code: number): boolean {
  return code >= 0xe01 && code <= 0xe2e;
}

/** Whether a Thai word or syllable may begin at `index` of a run of Thai. */
export function maySyllableBegin(text: string, index: number): boolean {
  if (!isClusterBoundary(text, index)) return false;
  return !isOpen(text, index) && !isSilent(text, index);
}

/** Whether the syllable before `index` still needs its last letter: กั|น, ปี่|ย, คื|อ, เก็|บ. */
function isOpen(text: string, index: number): boolean {
  let at = index - 1;
  let last = text.charCodeAt(at);
  if (last >= 0xe48 && last <= 0xe4b) last = text.charCodeAt(--at);
  if (last === MAI_HAN_AKAT || last === SARA_UEE) return true;
  if (last === MAITAIKHU) return text.charCodeAt(at - 1) !== KO_KAI || at >= 2;
  if (last !== SARA_II) return false;
  // เ-ี is incomplete without ย.
  if (text.charCodeAt(index) !== YO_YAK) return false;
  return text.charCodeAt(at - 2) === 0xe40 || text.charCodeAt(at - 3) === 0xe40;
}

/** Whether silent letters begin at `index` (จันท|ร์, สิท|ธิ์), or a pair that begins no word. */
function isSilent(text: string, index: number): boolean {
  const second = text.charCodeAt(index + 1);
  // A letter before ฯ ends the word before it: เทพฯ, ฯลฯ.
  if (second === THANTHAKHAT || second === PAIYANNOI) return true;
  const third = text.charCodeAt(index + 2);
  if (third === THANTHAKHAT) {
    return second === SARA_I || second === SARA_U || isThaiConsonant(second);
  }
  return NEVER_FIRST.has(text.slice(index, index + 2)) && !(second === RO && third === RO);
}

import { isLeadingVowel, maySyllableBegin, isClusterBoundary } from './orthography.ts';

/** Patterns of the syllables of Thai spelling, and the cheapest split of a run into syllables. */

/** A consonant, and the tone mark that may follow the first letters of a syllable. */
const C = '[ก-ฮ]';
const T = '[่-๋]?';
/** Pairs that one syllable may begin with: true clusters and ห before a low consonant. */
const ONSET = `(?:[กขค][รลว]|[ปพบฟ][รล]|[ตดทจซ]ร|ผล|ทว|ห[งญณนมยรลว]|ส[รลวตปก]|อย|${C})`;
const NO_VOWEL = '(?![ะ-ฺๅ็-์])';
const SILENT = `(?:${C}?${C}[ิุ]?์)`;
/** Two letters that close a syllable together: พุทธ, บัตร, วัฒน. */
const PAIRS = '(?:ทธ|ตร|ชร|กร|ฒน|รถ|รค|รม|รณ|กษ|ษณ|ณฑ|ณฐ|ญญ|ญจ|คร|พท|หม|ศว|ตต|นท|นธ)';
const FINAL = '[กขคฆงจชซญฎฏฐฑฒณดตถทธนบปพฟภมยรลวศษสฬ]';
/** Letters that may close a syllable: ฟอร์ม, พุทธ, ชาติ, จันทร์. */
const END = `((?:ร์)?(?:(?:${PAIRS}|${FINAL})${NO_VOWEL}|${FINAL}[ิุ](?!${C}|$))?${SILENT}?)`;
/** The same where a vowel sign needs a letter after it. */
const CLOSED = `(?:ร์)?(?:${PAIRS}|${FINAL})${NO_VOWEL}(?:[ิุ](?!${C}|$))?${SILENT}?`;

/**
 * Patterns with a vowel before the consonant. A group captures an optional end, which may belong to
 * the next syllable instead.
 */
const WITH_LEADING = compile([
  `เ${ONSET}ี${T}ยะ?${END}`,
  `เ${ONSET}ื${T}อะ?${END}`,
  `เ${ONSET}${T}าะ?(${SILENT}?)`,
  `เ${ONSET}${T}อะ?${END}`,
  `[เแ]${ONSET}็${CLOSED}`,
  `เ${ONSET}ิ${T}${CLOSED}`,
  `[เแโ]${ONSET}${T}ะ`,
  `[เแโ]${ONSET}${T}${END}`,
  `[ใไ]${ONSET}${T}ย?(${SILENT}?)`,
]);
/** Patterns by the code of the vowel sign after the first letters. */
const WITH_SIGN: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [0xe31, compile([`${ONSET}ั${T}วะ?`, `${ONSET}ั${T}${CLOSED}`])],
  [0xe37, compile([`${ONSET}ื${T}อ?${END}`])],
  ...[0xe34, 0xe35, 0xe36, 0xe38, 0xe39].map(
    (sign) => [sign, compile([`${ONSET}[ิีึุู]${T}${END}`])] as const,
  ),
  ...[0xe30, 0xe33].map((sign) => [sign, compile([`${ONSET}${T}[ะำ]`])] as const),
  [0xe32, compile([`${ONSET}${T}า${END}`])],
  [0xe47, compile([`${ONSET}็${T}อ${END}`, 'ก็'])],
]);
/** Syllables whose vowel is a letter, or is not written. */
const WITHOUT_SIGN = compile([
  `${ONSET}${T}อ${END}`,
  `${ONSET}${T}ว${FINAL}${NO_VOWEL}${SILENT}?`,
  `${ONSET}รร${FINAL}?${NO_VOWEL}${SILENT}?`,
  `${ONSET}${T}${CLOSED}`,
]);
const NONE: readonly RegExp[] = [];

function compile(patterns: readonly string[]): readonly RegExp[] {
  return patterns.map((pattern) => new RegExp(pattern, 'uy'));
}

/** Costs of a syllable, of a short one, and of letters that fit no pattern. */
const SYLLABLE_COST = 10;
const SHORT_COST = 13;
export const LONE_COST = 19;
/** A syllable of so few letters is short. */
const SHORT_LENGTH_MAX = 2;
const SARA_A = 0xe30;

/** Called for a syllable that begins at `at` and may end at `end`. */
type Visit = (at: number, end: number, cost: number) => void;

/** Visits every end that a syllable at `at` may have, and the end of the cluster there. */
export function visitSyllables(text: string, at: number, visit: Visit): void {
  if (isLeadingVowel(text.charCodeAt(at))) visitAll(WITH_LEADING, text, at, visit);
  else {
    const sign = signAfter(text, at);
    visitAll(WITH_SIGN.get(text.charCodeAt(sign)) ?? NONE, text, at, visit);
    if (sign > at + 1) visitAll(WITHOUT_SIGN, text, at, visit);
  }
  let end = at + 1;
  while (end < text.length && !isClusterBoundary(text, end)) end++;
  visit(at, end, LONE_COST);
}

/** Where the vowel sign of a syllable may stand: after one letter or two, and a tone. */
function signAfter(text: string, at: number): number {
  let index = at + 1;
  for (; index < at + 4; index++) {
    const code = text.charCodeAt(index);
    if (!(code >= 0xe01 && code <= 0xe2e) && !(code >= 0xe48 && code <= 0xe4b)) break;
  }
  return index;
}

function visitAll(patterns: readonly RegExp[], text: string, at: number, visit: Visit): void {
  for (const pattern of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    visitEnd(text, at, at + match[0].length, visit);
    const spare = match[1]?.length ?? 0;
    if (spare > 0) visitEnd(text, at, at + match[0].length - spare, visit);
  }
}

function visitEnd(text: string, at: number, letters: number, visit: Visit): void {
  let end = letters;
  while (isMark(text.charCodeAt(end))) end++;
  if (end < text.length && !maySyllableBegin(text, end)) return;
  const isShort = letters - at <= SHORT_LENGTH_MAX && text.charCodeAt(letters - 1) !== SARA_A;
  visit(at, end, isShort ? SHORT_COST : SYLLABLE_COST);
}

/** ๆ and ฯ, which stay with the letters before them. */
function isMark(code: number): boolean {
  return code === 0xe46 || code === 0xe2f;
}

/**
 * Where the syllables of a run of Thai begin, ascending, without its ends. A word that is wider
 * than its line is split there.
 */
export function syllableStarts(text: string): number[] {
  const { length } = text;
  const cost = new Float64Array(length + 1).fill(Infinity);
  const from = new Int32Array(length + 1);
  cost[0] = 0;
  const reach: Visit = (at, end, step) => {
    const total = (cost[at] as number) + step;
    if (total >= (cost[end] as number)) return;
    cost[end] = total;
    from[end] = at;
  };
  for (let at = 0; at < length; at++) if (cost[at] !== Infinity) visitSyllables(text, at, reach);
  const starts: number[] = [];
  for (let at = from[length] as number; at > 0; at = from[at] as number) {
    if (!maySyllableBegin(text, at) || at - (from[at] as number) < 2) continue;
    if (starts.length > 0 || length - at > 1) starts.push(at);
  }
  return starts.toReversed();
}

import { breakClass, CLASS, isDictionaryScript } from './classes.ts';
import { forbidBreaks } from './lexicon.ts';

/**
 * Word breaks inside Thai, Lao, Khmer and Myanmar. The segmenter's dictionary finds words; the
 * lexicon takes back the breaks a reader would stumble over.
 */

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

const RUNS_MAX = 8_192;
const RUN_LENGTH_MAX = 2_000;
let young = new Map<string, Uint16Array>();
let old = new Map<string, Uint16Array>();

/**
 * Appends the breaks inside `text[start, end)`, a run of one dictionary script, to the lists. No
 * break falls at `start` or `end`: those are the pair table's.
 */
export function breakDictionaryRun(
  text: string,
  start: number,
  end: number,
  positions: number[],
  required: boolean[],
): void {
  for (let from = start; from < end; from += RUN_LENGTH_MAX) {
    const run = text.slice(from, Math.min(end, from + RUN_LENGTH_MAX));
    for (const offset of wordBreaks(run)) {
      positions.push(from + offset);
      required.push(false);
    }
  }
}

/** Offsets of the breaks inside one run; cached, two generations, so the cost is bounded. */
function wordBreaks(run: string): Uint16Array {
  let breaks = young.get(run);
  if (breaks !== undefined) return breaks;
  breaks = old.get(run) ?? segment(run);
  if (young.size >= RUNS_MAX) {
    old = young;
    young = new Map();
  }
  young.set(run, breaks);
  return breaks;
}

function segment(run: string): Uint16Array {
  const allowed = new Uint8Array(run.length + 1);
  for (const { index } of segmenter.segment(run)) {
    if (index > 0 && mayBreakBefore(run, index)) allowed[index] = 1;
  }
  forbidBreaks(run, allowed);
  const offsets: number[] = [];
  for (let index = 1; index < run.length; index++) if (allowed[index] === 1) offsets.push(index);
  return Uint16Array.from(offsets);
}

/**
 * Where a word that is wider than its line is torn in scripts without spaces: `words` are the breaks
 * that the dictionary has inside it, the lexicon notwithstanding; `clusters` are those that neither
 * part a vowel or mark from its consonant nor begin a line with closing or end it with opening marks.
 * Ascending, without the ends of the text.
 */
export function emergencyBreaks(text: string): {
  readonly words: readonly number[];
  readonly clusters: readonly number[];
} {
  const words: number[] = [];
  for (const { index } of segmenter.segment(text)) {
    if (index === 0 || !mayBreakBefore(text, index)) continue;
    const isInside =
      isDictionaryScript(text.charCodeAt(index)) && isDictionaryScript(text.charCodeAt(index - 1));
    if (isInside) words.push(index);
  }
  const clusters: number[] = [];
  for (const { index } of clusterer.segment(text)) {
    if (index > 0 && mayBreakBefore(text, index) && !isAtMark(text, index)) clusters.push(index);
  }
  return { words, clusters };
}

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });
const CLOSING: ReadonlySet<number> = new Set([
  CLASS.CL,
  CLASS.CP,
  CLASS.EX,
  CLASS.IS,
  CLASS.NS,
  CLASS.QU,
]);

function isAtMark(text: string, index: number): boolean {
  const before = breakClass(text.charCodeAt(index - 1));
  return before === CLASS.OP || CLOSING.has(breakClass(text.charCodeAt(index)));
}

/**
 * Whether a line may start at `index`: not with a mark or a trailing vowel that belongs to the
 * consonant before, nor with ๆ or ฯ; and it may not end with a leading vowel.
 */
function mayBreakBefore(run: string, index: number): boolean {
  const code = run.charCodeAt(index);
  const before = run.charCodeAt(index - 1);
  return !isDependent(code) && !isLeadingVowel(before);
}

function isDependent(code: number): boolean {
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

/** เ แ โ ใ ไ and their Lao twins stand before their consonant; a Khmer coeng joins two. */
function isLeadingVowel(code: number): boolean {
  return (
    (code >= 0xe40 && code <= 0xe44) ||
    (code >= 0xec0 && code <= 0xec4) ||
    code === 0x17d2 ||
    code === 0x1039
  );
}

import { breakClass, CLASS, isDictionaryScript } from './classes.ts';
import { RELUCTANCE_BITS, RUN_LENGTH_MAX, wordBreaks } from './words/dictionary.ts';
import { isDependent } from './words/orthography.ts';
import {
  beginsAbbreviation,
  bindsOverSpace,
  endsAbbreviation,
  goesOnAbbreviated,
  partsFromThai,
  strandsMark,
} from './spaces.ts';
import { type Words, wordsWith } from './words/words.ts';

/**
 * Line break opportunities (UAX #14, pair table form) plus dictionary breaks for scripts without
 * spaces. For Latin text the result agrees with pdfmake's breaker, quirks of its older pair table
 * included: words are what pdfmake measures and places.
 */

/**
 * Rows are the class before, columns the class after. A line may break there never (`^`), only at
 * spaces (`%`) or always (`_`); with `@` and `#` a combining mark joins its base.
 */
const PAIRS: readonly string[] = [
  '^^^^^^^^^^^^^^^^^^^^^@^^^^^^^^^^^', // OP
  '_^^%%^^^^%%____%%%__^#^________%_', // CL
  '_^^%%^^^^%%%%%_%%%__^#^________%_', // CP
  '^^^%%%^^^%%%%%%%%%%%^#^%%%%%%%%%%', // QU
  '%^^%%%^^^%%%%%%%%%%%^#^%%%%%%%%%%', // GL
  '_^^%%%^^^______%%%__^#^________%_', // NS
  '_^^%%%^^^______%%%__^#^________%_', // EX
  '_^^%%%^^^__%_%_%%%__^#^________%_', // SY
  '_^^%%%^^^__%%%_%%%__^#^________%_', // IS
  '%^^%%%^^^__%%%%%%%__^#^%%%%%_%%%_', // PR
  '%^^%%%^^^__%%%_%%%__^#^________%_', // PO
  '%^^%%%^^^%%%%%_%%%__^#^________%_', // NU
  '%^^%%%^^^%%%%%_%%%__^#^________%_', // AL
  '%^^%%%^^^%%%%%_%%%__^#^________%_', // HL
  '_^^%%%^^^_%____%%%__^#^________%_', // ID
  '_^^%%%^^^______%%%__^#^________%_', // IN
  '_^^%_%^^^__%___%%%__^#^________%_', // HY
  '_^^%_%^^^______%%%__^#^________%_', // BA
  '%^^%%%^^^%%%%%%%%%%%^#^%%%%%%%%%_', // BB
  '_^^%%%^^^______%%%_^^#^________%_', // B2
  '____________________^____________', // ZW
  '%^^%%%^^^%%%%%_%%%__^#^________%_', // CM
  '%^^%%%^^^%%%%%%%%%%%^#^%%%%%%%%%%', // WJ
  '_^^%%%^^^_%____%%%__^#^___%%___%_', // H2
  '_^^%%%^^^_%____%%%__^#^____%___%_', // H3
  '_^^%%%^^^_%____%%%__^#^%%%%____%_', // JL
  '_^^%%%^^^_%____%%%__^#^___%%___%_', // JV
  '_^^%%%^^^_%____%%%__^#^____%___%_', // JT
  '_^^%%%^^^______%%%__^#^_____%__%_', // RI
  '_^^%%%^^^_%____%%%__^#^_______%%_', // EB
  '_^^%%%^^^_%____%%%__^#^________%_', // EM
  '%^^%%%^^^%%%%%_%%%__^#^________%_', // ZWJ
  '_^^%%_^^^__________%^#^________%_', // CB
];

const ALWAYS = 0;
const OVER_SPACES = 1;
const MARK_OVER_SPACES = 2;
const MARK_NEVER = 3;
const NEVER = 4;
const SYMBOLS = '_%#@^';
const WIDTH = 33;

const PAIR_TABLE = Uint8Array.from(PAIRS.join(''), (symbol) => SYMBOLS.indexOf(symbol));

/**
 * Where a line may or must end, in ascending order; the last entry is always `text.length`.
 * Required breaks come after their newline characters. Lengths are UTF-16 units. The arrays are
 * shared and must not be changed.
 */
export interface Breaks {
  readonly positions: readonly number[];
  /** Parallel to `positions`. */
  readonly required: readonly boolean[];
  /** Parallel too: 0 to 2, see `Atom.reluctance`. */
  readonly reluctance: readonly number[];
}

const RELUCTANCE_MASK = (1 << RELUCTANCE_BITS) - 1;
const NONE: Breaks = { positions: [], required: [], reluctance: [] };

/** Finds all break opportunities of one run of text. */
export function findBreaks(text: string, words: Words = wordsWith(null)): Breaks {
  if (text.length === 0) return NONE;
  const found = new BreakList(words);
  let code = text.codePointAt(0) ?? 0;
  let next = breakClass(code);
  const pairs = new PairState(next);
  let runStart = isDictionaryScript(code) ? 0 : -1;
  let index = code > 0xffff ? 2 : 1;
  while (index < text.length) {
    const at = index;
    const last = next;
    code = text.codePointAt(index) ?? 0;
    index += code > 0xffff ? 2 : 1;
    next = breakClass(code);
    let isBorder = false;
    if (isDictionaryScript(code)) {
      if (runStart < 0) {
        runStart = at;
        isBorder = !isDependent(code);
      }
      found.hasThai = true;
    } else if (runStart >= 0) {
      found.addRun(text, runStart, at);
      runStart = -1;
      isBorder = true;
    }
    if (pairs.mustBreakBefore(next)) found.add(at, true, 0);
    else if (pairs.mayBreakBefore(next, last)) found.addFree(text, at, last, code);
    else if (isBorder && partsFromThai(text, at, runStart < 0)) found.add(at, false, 0);
    else if (isBorder && endsAbbreviation(text, at)) found.add(at, false, 2);
  }
  if (runStart >= 0) found.addRun(text, runStart, text.length);
  found.add(text.length, pairs.endsLine, 0);
  return found;
}

/** The breaks found so far. */
class BreakList implements Breaks {
  readonly positions: number[] = [];
  readonly required: boolean[] = [];
  readonly reluctance: number[] = [];
  readonly #words: Words;
  hasThai = false;

  constructor(words: Words) {
    this.#words = words;
  }

  add(position: number, isRequired: boolean, reluctance: number): void {
    this.positions.push(position);
    this.required.push(isRequired);
    this.reluctance.push(reluctance);
  }

  /** Adds a break that the pair table allows, unless a rule of spaces.ts forbids it. */
  addFree(text: string, at: number, last: number, code: number): void {
    if (!mayStartLine(code)) return;
    if (last === CLASS.HY && goesOnAbbreviated(text, at)) return;
    if (last !== CLASS.SP) {
      this.add(at, false, 0);
      return;
    }
    if (strandsMark(text, at)) return;
    this.add(at, false, this.hasThai && bindsOverSpace(text, at) ? 1 : 0);
  }

  /** Adds the breaks inside a run of a script without spaces. */
  addRun(text: string, start: number, end: number): void {
    this.hasThai = true;
    if (beginsAbbreviation(text, start, end)) {
      this.addRun(text, start, end - 1);
      this.add(end - 1, false, 1);
      return;
    }
    for (let from = start; from < end; from += RUN_LENGTH_MAX) {
      const to = Math.min(end, from + RUN_LENGTH_MAX);
      const breaks = wordBreaks(text, from, to, this.#words);
      for (let index = 0; index < breaks.length; index++) {
        const offset = breaks[index] as number;
        this.add(from + (offset >> RELUCTANCE_BITS), false, offset & RELUCTANCE_MASK);
      }
    }
  }
}

/** What the pair table and its additional rules remember of the characters before. */
class PairState {
  #current: number;
  /** After a zero width joiner nothing breaks (LB8a). */
  #afterJoiner: boolean;
  #regionals = 0;
  #hebrew = false;

  constructor(first: number) {
    this.#current = openingClass(first);
    this.#afterJoiner = first === CLASS.ZWJ;
  }

  /** The last character ends its line. */
  get endsLine(): boolean {
    return this.#current === CLASS.BK || this.#current === CLASS.CR;
  }

  /** Whether the character before ended its line (LB4, LB5); then `next` opens another. */
  mustBreakBefore(next: number): boolean {
    const current = this.#current;
    if (current !== CLASS.BK && (current !== CLASS.CR || next === CLASS.LF)) return false;
    this.#current = openingClass(next);
    this.#afterJoiner = next === CLASS.ZWJ;
    return true;
  }

  /** Whether a line may end before `next`; `last` is the class of the character before it. */
  mayBreakBefore(next: number, last: number): boolean {
    const afterJoiner = this.#afterJoiner;
    this.#afterJoiner = next === CLASS.ZWJ;
    if (next === CLASS.SP) return false;
    if (next === CLASS.BK || next === CLASS.LF || next === CLASS.CR) {
      this.#current = next === CLASS.CR ? CLASS.CR : CLASS.BK;
      return false;
    }
    const current = this.#current;
    const rule = PAIR_TABLE[current * WIDTH + next] ?? NEVER;
    const joinsMark = rule === MARK_OVER_SPACES || rule === MARK_NEVER;
    if (joinsMark && last !== CLASS.SP) return false;
    let breaks = allowsBreak(rule, last) && !afterJoiner;
    if (this.#hebrew && (current === CLASS.HY || current === CLASS.BA)) {
      // LB21a: no break after a Hebrew letter and a hyphen.
      breaks = false;
      this.#hebrew = false;
    } else {
      this.#hebrew = current === CLASS.HL;
    }
    // LB30a: flags are pairs of regional indicators.
    this.#regionals = current === CLASS.RI ? this.#regionals + 1 : 0;
    if (this.#regionals === 2 && next === CLASS.RI) {
      breaks = true;
      this.#regionals = 0;
    }
    this.#current = next;
    return breaks;
  }
}

/** The class that a character is treated as at the start of a line. */
function openingClass(first: number): number {
  if (first === CLASS.LF) return CLASS.BK;
  return first === CLASS.SP ? CLASS.WJ : first;
}

function allowsBreak(rule: number, last: number): boolean {
  if (rule === ALWAYS) return true;
  return last === CLASS.SP && (rule === OVER_SPACES || rule === MARK_OVER_SPACES);
}

const MAIYAMOK = 0xe46;
const PAIYANNOI = 0xe2f;
const LAO_KO_LA = 0xec6;
const LAO_ELLIPSIS = 0xeaf;

/** ๆ and ฯ belong to the word before them, even over a space. */
function mayStartLine(code: number): boolean {
  return code !== MAIYAMOK && code !== PAIYANNOI && code !== LAO_KO_LA && code !== LAO_ELLIPSIS;
}

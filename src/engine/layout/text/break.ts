import { breakClass, CLASS, isDictionaryScript } from './classes.ts';
import { RELUCTANCE_BITS, RUN_LENGTH_MAX, wordBreaks } from './words/dictionary.ts';
import { isDependent } from './words/orthography.ts';
import {
  beginsAbbreviation,
  bindsOverSpace,
  endsAbbreviation,
  isDottedLetter,
  mayBreakBesideThai,
  strandsMark,
} from './spaces.ts';
import { splitsSign } from './signs.ts';
import { type Words, wordsWith } from './words/words.ts';

/**
 * Line break opportunities (UAX #14, pair table form) plus dictionary breaks for scripts without
 * spaces. For Latin text the breaks are those of pdfmake, which measures and places the words between
 * them. So the pair table is pdfmake's, with the quirks of an older UAX #14. `signs.ts` has the
 * exception: the parts of an amount stay together.
 */

/**
 * A row is the class before, a column the class after, both in the order of `CLASS`. A line may end
 * between them never (`^`), only at spaces (`%`) or always (`_`). `@` and `#` are the columns of
 * combining marks, which join the character before; after spaces a line never ends before the mark
 * (`@`), or may end there (`#`).
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

/** The rules of the table; each is the index of its symbol in `SYMBOLS`. */
const ALWAYS = 0;
const OVER_SPACES = 1;
const MARK_OVER_SPACES = 2;
const MARK_NEVER = 3;
const NEVER = 4;
const SYMBOLS = '_%#@^';
/** Number of classes in a row: `SP`, `BK`, `CR` and `LF` have rules of their own. */
const COLUMNS = 33;

const PAIR_TABLE = Uint8Array.from(PAIRS.join(''), (symbol) => SYMBOLS.indexOf(symbol));

/**
 * Where a line may or must end, in ascending order, in UTF-16 units; the last entry is `text.length`,
 * and an empty text has none. Required breaks come after their newline characters. The arrays are
 * shared and must not be changed.
 */
export interface Breaks {
  readonly positions: readonly number[];
  /** Parallel to `positions`. */
  readonly required: readonly boolean[];
  /** Parallel to `positions`: 0 to 2, see `Atom.reluctance`. */
  readonly reluctance: readonly number[];
}

const RELUCTANCE_MASK = (1 << RELUCTANCE_BITS) - 1;
const NONE: Breaks = { positions: [], required: [], reluctance: [] };

/** Finds all break opportunities of one run of text. */
export function findBreaks(text: string, words: Words = wordsWith(null)): Breaks {
  if (text.length === 0) return NONE;
  const found = new BreakList(words);
  let code = text.codePointAt(0) ?? 0;
  let nextClass = breakClass(code);
  const pairs = new PairState(nextClass);
  let runStart = isDictionaryScript(code) ? 0 : -1;
  let index = code > 0xffff ? 2 : 1;
  while (index < text.length) {
    const at = index;
    const lastClass = nextClass;
    code = text.codePointAt(index) ?? 0;
    index += code > 0xffff ? 2 : 1;
    nextClass = breakClass(code);
    // Whether a run of a script without spaces begins or ends here.
    let isScriptBorder = false;
    if (isDictionaryScript(code)) {
      if (runStart < 0) {
        runStart = at;
        isScriptBorder = !isDependent(code);
      }
      found.hasDictionaryScript = true;
    } else if (runStart >= 0) {
      found.addRun(text, runStart, at);
      runStart = -1;
      isScriptBorder = true;
    }
    const isThaiBefore = runStart < 0;
    if (pairs.mustBreakBefore(nextClass)) {
      found.add(at, true, 0);
    } else if (pairs.mayBreakBefore(nextClass, lastClass)) {
      found.addAllowed(text, at, lastClass, code);
    } else if (isScriptBorder && mayBreakBesideThai(text, at, isThaiBefore)) {
      found.add(at, false, 0);
    } else if (isScriptBorder && endsAbbreviation(text, at)) {
      found.add(at, false, 2);
    }
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
  hasDictionaryScript = false;

  constructor(words: Words) {
    this.#words = words;
  }

  add(position: number, isRequired: boolean, reluctance: number): void {
    this.positions.push(position);
    this.required.push(isRequired);
    this.reluctance.push(reluctance);
  }

  /** Adds a break that the pair table allows, unless another rule forbids it; some get a reluctance. */
  addAllowed(text: string, at: number, lastClass: number, code: number): void {
    if (!mayStartLine(code)) return;
    if (lastClass === CLASS.HY && isDottedLetter(text, at)) return;
    if (lastClass !== CLASS.SP) {
      if (splitsSign(text, at, lastClass, code)) return;
      this.add(at, false, 0);
      return;
    }
    if (strandsMark(text, at)) return;
    this.add(at, false, this.hasDictionaryScript && bindsOverSpace(text, at) ? 1 : 0);
  }

  /** Adds the breaks inside a run of a script without spaces. */
  addRun(text: string, start: number, end: number): void {
    this.hasDictionaryScript = true;
    if (beginsAbbreviation(text, start, end)) {
      // The last letter belongs to the abbreviation: a line may end before it.
      this.addRun(text, start, end - 1);
      this.add(end - 1, false, 1);
      return;
    }
    for (let from = start; from < end; from += RUN_LENGTH_MAX) {
      const to = Math.min(end, from + RUN_LENGTH_MAX);
      const breaks = wordBreaks(text, from, to, this.#words);
      for (let index = 0; index < breaks.length; index++) {
        // An offset from `from` and, in the low bits, its reluctance.
        const packed = breaks[index] as number;
        this.add(from + (packed >> RELUCTANCE_BITS), false, packed & RELUCTANCE_MASK);
      }
    }
  }
}

/** What the pair table and its additional rules remember of the characters before. */
class PairState {
  #current: number;
  /** After a zero width joiner nothing breaks (LB8a). */
  #afterJoiner: boolean;
  /** Number of regional indicators in a row: two of them make a flag. */
  #regionals = 0;
  #isAfterHebrew = false;

  constructor(first: number) {
    this.#current = openingClass(first);
    this.#afterJoiner = first === CLASS.ZWJ;
  }

  /** Whether the last character is a newline. */
  get endsLine(): boolean {
    return this.#current === CLASS.BK || this.#current === CLASS.CR;
  }

  /** Whether the character before ended its line (LB4, LB5); if so, moves to the class `next`. */
  mustBreakBefore(next: number): boolean {
    const current = this.#current;
    if (current !== CLASS.BK && (current !== CLASS.CR || next === CLASS.LF)) return false;
    this.#current = openingClass(next);
    this.#afterJoiner = next === CLASS.ZWJ;
    return true;
  }

  /**
   * Moves to the class `next`; returns whether a line may end before it. `last` is the class of the
   * character just before, which may be a space; `#current` is that of the last other character.
   */
  mayBreakBefore(next: number, last: number): boolean {
    const afterJoiner = this.#afterJoiner;
    this.#afterJoiner = next === CLASS.ZWJ;
    if (next === CLASS.SP) return false;
    if (next === CLASS.BK || next === CLASS.LF || next === CLASS.CR) {
      this.#current = next === CLASS.CR ? CLASS.CR : CLASS.BK;
      return false;
    }
    const current = this.#current;
    const rule = PAIR_TABLE[current * COLUMNS + next] ?? NEVER;
    const joinsMark = rule === MARK_OVER_SPACES || rule === MARK_NEVER;
    // The mark takes the class of its base, so `#current` stays (LB9).
    if (joinsMark && last !== CLASS.SP) return false;
    let breaks = allowsBreak(rule, last) && !afterJoiner;
    if (this.#isAfterHebrew && (current === CLASS.HY || current === CLASS.BA)) {
      // LB21a: no break after a Hebrew letter and a hyphen.
      breaks = false;
      this.#isAfterHebrew = false;
    } else {
      this.#isAfterHebrew = current === CLASS.HL;
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

/** The class of a character that begins a line. */
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

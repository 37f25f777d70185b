import { breakClass, CLASS, isDictionaryScript } from './classes.ts';
import { breakDictionaryRun } from './dictionary.ts';
import { bindsOverSpace } from './lexicon.ts';

/**
 * Line break opportunities (UAX #14, pair table form) plus dictionary breaks for scripts without
 * spaces. For Latin text the result agrees with pdfmake's breaker, quirks of its older pair table
 * included: words are what pdfmake measures and places.
 */

/** Rows: the class before; columns: the class after. `^` never, `%` over spaces only, `_` always,
 * `@` and `#`: a combining mark joins its base. */
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
 * Where a line may or must end, in ascending order; the last entry is always `text.length`. Required
 * breaks come after their newline characters. Lengths are UTF-16 units. The arrays are shared: they
 * are never written to after they were made.
 */
export interface Breaks {
  readonly positions: readonly number[];
  /** Parallel to `positions`. */
  readonly required: readonly boolean[];
}

const NONE: Breaks = { positions: [], required: [] };

/** Finds all break opportunities of one run of text. */
export function findBreaks(text: string): Breaks {
  if (text.length === 0) return NONE;
  const positions: number[] = [];
  const required: boolean[] = [];
  let code = text.codePointAt(0) ?? 0;
  let next = breakClass(code);
  let current = openingClass(next);
  let afterJoiner = next === CLASS.ZWJ;
  let regionals = 0;
  let hebrew = false;
  let runStart = isDictionaryScript(code) ? 0 : -1;
  let hasThai = runStart === 0;
  let index = code > 0xffff ? 2 : 1;
  while (index < text.length) {
    const at = index;
    const last = next;
    code = text.codePointAt(index) ?? 0;
    index += code > 0xffff ? 2 : 1;
    next = breakClass(code);
    if (isDictionaryScript(code)) {
      if (runStart < 0) runStart = at;
      hasThai = true;
    } else if (runStart >= 0) {
      breakDictionaryRun(text, runStart, at, positions, required);
      runStart = -1;
    }
    if (current === CLASS.BK || (current === CLASS.CR && next !== CLASS.LF)) {
      current = openingClass(next);
      positions.push(at);
      required.push(true);
      afterJoiner = next === CLASS.ZWJ;
      continue;
    }
    let breaks = false;
    if (next === CLASS.BK || next === CLASS.LF) {
      current = CLASS.BK;
    } else if (next === CLASS.CR) {
      current = CLASS.CR;
    } else if (next !== CLASS.SP) {
      const rule = PAIR_TABLE[current * WIDTH + next] ?? NEVER;
      const joinsMark = last !== CLASS.SP && (rule === MARK_OVER_SPACES || rule === MARK_NEVER);
      if (!joinsMark) {
        breaks = allowsBreak(rule, last) && !afterJoiner;
        if (hebrew && (current === CLASS.HY || current === CLASS.BA)) {
          breaks = false;
          hebrew = false;
        } else {
          hebrew = current === CLASS.HL;
        }
        if (current === CLASS.RI) {
          regionals++;
          if (regionals === 2 && next === CLASS.RI) {
            breaks = true;
            regionals = 0;
          }
        } else {
          regionals = 0;
        }
        current = next;
      }
    }
    afterJoiner = next === CLASS.ZWJ;
    if (
      breaks &&
      mayStartLine(code) &&
      !(hasThai && last === CLASS.SP && bindsOverSpace(text, at))
    ) {
      positions.push(at);
      required.push(false);
    }
  }
  if (runStart >= 0) breakDictionaryRun(text, runStart, text.length, positions, required);
  positions.push(text.length);
  required.push(current === CLASS.BK || current === CLASS.CR);
  return { positions, required };
}

/** What a class counts as at the start of a line. */
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

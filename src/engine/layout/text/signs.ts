import { breakClass, CLASS } from './classes.ts';

/**
 * Signs, brackets and currencies of an amount: a line that ended between them would show `-` at its
 * end and `฿1,250.50` on the next line, where a debit reads as a credit.
 *
 * UAX #14 keeps a minus with digits only (LB25: HY × NU, PR × NU). We also keep
 *   - a hyphen or dash that begins a word with whatever follows: `-฿5`, `-(5)`, `-THB5`, `–5`. LB20a
 *     of newer versions does so before letters;
 *   - signs and currencies that stand side by side, of class PR or PO: `−$5`, `+฿5`, `¢−5`.
 */
export function splitsSign(text: string, at: number, lastClass: number, code: number): boolean {
  switch (lastClass) {
    case CLASS.PR:
    case CLASS.PO: {
      const next = breakClass(code);
      return next === CLASS.PR || next === CLASS.PO;
    }
    case CLASS.HY:
      return beginsWord(text, at - 1);
    case CLASS.BA:
      return isDash(text.charCodeAt(at - 1)) && beginsWord(text, at - 1);
    default:
      return false;
  }
}

/** Hyphen, figure dash and en dash, which are written for a minus. */
function isDash(code: number): boolean {
  return code === 0x2010 || code === 0x2012 || code === 0x2013;
}

/** Whether a word begins at `at`: before it stands nothing, a space, or a mark that opens. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  switch (breakClass(text.charCodeAt(at - 1))) {
    case CLASS.SP:
    case CLASS.BK:
    case CLASS.CR:
    case CLASS.LF:
    case CLASS.ZW:
    case CLASS.GL:
    case CLASS.OP:
    case CLASS.QU:
    case CLASS.PR:
    case CLASS.PO:
      return true;
    default:
      return false;
  }
}

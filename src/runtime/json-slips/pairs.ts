/** A bracket of the text, outside of its strings. */
export interface Bracket {
  readonly at: number;
  readonly sign: string;
  /** Start of the bracket's line, and the line's indentation. */
  readonly lineAt: number;
  readonly indent: number;
  readonly isFirst: boolean;
  /** Whether the bracket is the last character of its line. */
  readonly isLast: boolean;
}

/** The first bracket without a partner, judged by pairs and by the indentation of lines. */
export type Odd =
  /** The bracket should have been closed before `before`. */
  | { readonly kind: 'unclosed'; readonly bracket: Bracket; readonly before: number }
  /**
   * The bracket closes nothing, or closes too early. `opener` is the innermost open bracket there.
   */
  | { readonly kind: 'alone'; readonly bracket: Bracket; readonly opener: Bracket | null }
  /** `closer` is where `bracket` should be closed, but is of the other kind. */
  | {
      readonly kind: 'wrong';
      readonly bracket: Bracket;
      readonly closer: Bracket;
      /** Whether `closer` fits a bracket that is open further out. */
      readonly fitsOuter: boolean;
    };

const PARTNERS: Readonly<Record<string, string>> = { '[': ']', '{': '}', ']': '[', '}': '{' };

export function partnerOf({ sign }: Pick<Bracket, 'sign'>): string {
  return PARTNERS[sign] ?? '';
}

function isCloser({ sign }: Bracket): boolean {
  return sign === ']' || sign === '}';
}

/** The brackets of each line. A string without its closing mark ends with its line. */
export function* bracketLines(text: string): Generator<Line> {
  for (let lineAt = 0; lineAt < text.length;) {
    const found = text.indexOf('\n', lineAt);
    const end = found === -1 ? text.length : found;
    const line = text.slice(lineAt, end);
    const indent = line.length - line.trimStart().length;
    const last = line.trimEnd().length - 1;
    const brackets: Bracket[] = [];
    for (const { 0: sign, index } of line.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/g)) {
      if (sign.startsWith('"')) continue;
      const [isFirst, isLast] = [index === indent, index === last];
      brackets.push({ at: lineAt + index, sign, lineAt, indent, isFirst, isLast });
    }
    if (line.trim() !== '') yield { at: lineAt, end, indent, brackets };
    lineAt = end + 1;
  }
}

/** A line that is not blank. */
interface Line {
  readonly at: number;
  readonly end: number;
  readonly indent: number;
  readonly brackets: readonly Bracket[];
}

/**
 * A closing bracket whose opening bracket is the first one of its line, or is on a line further up.
 */
interface Ended {
  readonly closer: Bracket;
  readonly opener: Bracket;
}

/** Whether each bracket has its partner, whatever the indentation says. */
export function isPaired(text: string): boolean {
  const open: Bracket[] = [];
  for (const { brackets } of bracketLines(text)) {
    for (const bracket of brackets) {
      if (!isCloser(bracket)) open.push(bracket);
      else {
        const opener = open.pop();
        if (opener === undefined || partnerOf(opener) !== bracket.sign) return false;
      }
    }
  }
  return open.length === 0;
}

/**
 * Null if all brackets fit their partners and the indentation agrees. `isStrict`: a list or object
 * that begins in the middle of a line must also end on that line.
 */
export function findOdd(text: string, isStrict: boolean): Odd | null {
  const open: Bracket[] = [];
  let ended: Ended | null = null;
  for (const line of bracketLines(text)) {
    const odd = atLineStart(open, line, ended);
    if (odd !== null) return odd;
    ended = null;
    for (const bracket of line.brackets) {
      const opener = open.at(-1) ?? null;
      if (!isCloser(bracket)) open.push(bracket);
      else if (opener === null || partnerOf(opener) !== bracket.sign) {
        return mismatch(open, bracket);
      } else {
        const isWhole = opener.isFirst || opener.lineAt !== line.at;
        if (isWhole && !bracket.isFirst) ended = { closer: bracket, opener };
        open.pop();
      }
    }
    const left = open.findLast(({ lineAt }) => lineAt === line.at);
    if (left !== undefined) ended = null;
    if (isStrict && left !== undefined && !left.isFirst && !left.isLast) {
      return { kind: 'unclosed', bracket: left, before: line.end };
    }
  }
  return null;
}

/** Finds a fault in the earlier lines that the indentation of this line shows. */
function atLineStart(open: readonly Bracket[], line: Line, ended: Ended | null): Odd | null {
  const opener = open.at(-1) ?? null;
  const { indent, at } = line;
  if (ended !== null && indent > ended.opener.indent) {
    return { kind: 'alone', bracket: ended.closer, opener: ended.opener };
  }
  if (opener === null) return null;
  const [first] = line.brackets;
  if (indent < opener.indent) return { kind: 'unclosed', bracket: opener, before: at };
  if (first === undefined || !first.isFirst || !isCloser(first)) {
    return indent > opener.indent ? null : { kind: 'unclosed', bracket: opener, before: at };
  }
  if (indent > opener.indent) return { kind: 'alone', bracket: first, opener };
  return partnerOf(opener) === first.sign ? null : mismatch(open, first);
}

function mismatch(open: readonly Bracket[], closer: Bracket): Odd {
  const opener = open.at(-1) ?? null;
  const isNear =
    opener?.lineAt === closer.lineAt || (closer.isFirst && opener?.indent === closer.indent);
  if (opener === null || !isNear) return { kind: 'alone', bracket: closer, opener };
  const fitsOuter = !closer.isFirst && open.some((one) => partnerOf(one) === closer.sign);
  return { kind: 'wrong', bracket: opener, closer, fitsOuter };
}

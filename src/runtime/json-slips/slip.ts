/** Why a text is not JSON, in the words of the person who typed it. */
export type SlipCause =
  | 'bom'
  | 'blank'
  | 'bracket_alone'
  | 'bracket_extra'
  | 'bracket_unclosed'
  | 'bracket_unopened'
  | 'bracket_wrong'
  | 'colon_missing'
  | 'comma_extra'
  | 'comma_missing'
  | 'comma_trailing'
  | 'comment'
  | 'escape'
  | 'key_repeated'
  | 'key_unquoted'
  | 'line_break'
  | 'nan'
  | 'none'
  | 'number'
  | 'number_comma'
  | 'number_either'
  | 'number_unit'
  | 'number_zeros'
  | 'quote_before'
  | 'quote_extra'
  | 'quote_inside'
  | 'quote_missing'
  | 'quotes_single'
  | 'quotes_smart'
  | 'sign'
  | 'tab'
  | 'text_after'
  | 'text_unquoted'
  | 'true_false'
  | 'unclosed'
  | 'unknown'
  | 'value_missing';

/** A change that removes the slip, in CodeMirror's form. */
export interface SlipFix {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Where a whole line seems to be missing: above the line that begins at `at`. */
export interface MissingLine {
  readonly at: number;
  /** The number of that line, from 1. */
  readonly line: number;
}

/**
 * The first fault of a text that should be JSON, or a key that occurs twice, of which the last
 * counts.
 */
export interface Slip {
  readonly cause: SlipCause;
  /** Text for the message, such as the missing sign; may be ''. */
  readonly sign: string;
  /** The place in the text. */
  readonly from: number;
  readonly to: number;
  /** Null if only the author knows what was meant. */
  readonly fix: SlipFix | null;
  /** The line with the partner of a bracket, if the indentation shows where it was. */
  readonly missing: MissingLine | null;
}

export function slip(
  cause: SlipCause,
  from: number,
  to: number,
  insert: string | null,
  sign = '',
): Slip {
  const fix = insert === null ? null : { from, to, insert };
  return { cause, sign, from, to, fix, missing: null };
}

/** The match of a sticky pattern at `at`; '' if there is none. */
export function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** The text after a change. */
export function withFix(text: string, { from, to, insert }: SlipFix): string {
  return text.slice(0, from) + insert + text.slice(to);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

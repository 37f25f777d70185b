/** A piece of text of a page, as pdf.js gives it. */
export interface TextPiece {
  readonly str: string;
  /** Matrix of the piece; the last two numbers are the start of its baseline. */
  readonly transform: readonly unknown[];
  readonly width: number;
  readonly height: number;
}

/** A baseline that differs by more than this share of the size begins a line. */
const LINE_EM = 0.4;
/** So does a gap of more than this: cells and columns that move apart stay what they are. */
const GAP_EM = 1.5;
/** A space in the file narrower than this is none. */
const SPACE_EM = 0.1;
/** The size where a piece states none, as pieces of white space do. */
const SIZE_PT = 10;
/** A letter with its marks, or a digit or sign. */
const SINGLE_LETTER = /^\P{M}\p{M}*$/u;
/** A line with so many of them between spaces may be letter-spaced. */
const SINGLE_MIN = 2;
/** After such a mark pdf.js reports a space where the next letter is only positioned. */
const ENDS_WITH_MARK = /[\u0E31\u0E33-\u0E3A\u0E47-\u0E4E]$|\u0E4D[\u0E48-\u0E4B]?\u0E32$/u;

/**
 * The text of a page in content order. It depends on the letters and on their distances within a
 * line, not on the place of a line: a block that only moves has the same text. Sara am is composed,
 * because PDFs hold its two halves.
 */
export function pageText(pieces: readonly TextPiece[]): string {
  const lines: string[] = [];
  let line = '';
  let end: { readonly x: number; readonly y: number; readonly size: number } | null = null;
  for (const { str, transform, width, height } of pieces) {
    if (str === '') continue;
    const [x, y] = [Number(transform[4]), Number(transform[5])];
    const isBlank = str.trim() === '';
    const size: number = height > 0 ? height : (end?.size ?? SIZE_PT);
    const isNear: boolean =
      end !== null &&
      Math.abs(y - end.y) <= LINE_EM * Math.min(size, end.size) &&
      Math.abs(x - end.x) <= GAP_EM * size;
    if (!isNear || (isBlank && width > GAP_EM * size)) {
      lines.push(line);
      line = '';
    }
    if (isBlank) {
      if (width > SPACE_EM * size && line !== '') line += ' ';
    } else {
      const isPlaced = str.startsWith(' ') && ENDS_WITH_MARK.test(line);
      line += isPlaced ? str.trimStart() : str;
    }
    end = { x: x + width, y: isBlank && end !== null && isNear ? end.y : y, size };
  }
  lines.push(line);
  return lines
    .map((text) => composed(text).replaceAll(/\s+/gu, ' ').trim())
    .filter((text) => text !== '')
    .join('\n');
}

/**
 * Whether a line may be letter-spaced: where letters stand apart, pdf.js reports a space after each of
 * them, and no other between words.
 */
export function looksSpaced(line: string): boolean {
  return line.split(' ').filter((part) => SINGLE_LETTER.test(part)).length >= SINGLE_MIN;
}

/** The text of all glyphs that a page shows, in content order. `showText`: the operator's number. */
export function drawnText({ fnArray, argsArray }: OperatorList, showText: number): string {
  return fnArray
    .flatMap((operator, index) => (operator === showText ? [glyphsOf(argsArray[index])] : []))
    .join('');
}

/** Operators of a page with their arguments, as pdf.js lists them. */
export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

/** The text of the glyphs of one operator; the numbers between them move the next glyph. */
function glyphsOf(operands: unknown): string {
  const [glyphs] = Array.isArray(operands) ? (operands as unknown[]) : [];
  if (!Array.isArray(glyphs)) return '';
  return (glyphs as readonly { readonly unicode?: unknown }[])
    .map(({ unicode }) => (typeof unicode === 'string' ? unicode : ''))
    .join('');
}

/** The text of a page, where letter-spaced lines have the spaces of the drawn text and no others. */
export function respaced(text: string, drawn: string): string {
  const all = composed(drawn);
  // indexes[n]: where the n-th character of `letters` is in `all`.
  const indexes = [...all.matchAll(/\S/g)].map(({ index }) => index);
  const letters = all.replaceAll(/\s+/g, '');
  let from = 0;
  const lines = text.split('\n').map((line) => {
    const bare = line.replaceAll(/\s+/g, '');
    if (bare === '' || !looksSpaced(line)) return line;
    const found = letters.indexOf(bare, from);
    const at = found < 0 ? letters.indexOf(bare) : found;
    if (at < 0) return line;
    from = at + bare.length;
    return all.slice(indexes[at], (indexes[from - 1] ?? 0) + 1).replaceAll(/\s+/g, ' ');
  });
  return lines.join('\n');
}

/** The text in its composed form; Unicode does not compose sara am, so this does. */
export function composed(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/\u0E4D([\u0E48-\u0E4B]?)\s?\u0E32/gu, '$1\u0E33')
    .replaceAll(/([\u0E48-\u0E4B])\u0E4D\s?\u0E32/gu, '$1\u0E33');
}

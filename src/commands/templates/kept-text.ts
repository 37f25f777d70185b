/** A line with words, without its blanks, and its number in the text from 1 on. */
interface WordLine {
  readonly words: string;
  readonly number: number;
}

/**
 * How a text of `pdftotext -layout` differs from the one that is kept, as a sentence; null: not at
 * all. Blanks follow from the widest line of a page, so the first line whose words differ is named,
 * and blanks only where all words are the same.
 */
export function textFault(kept: string, made: string): string | null {
  const [was, is] = [linesOf(kept), linesOf(made)];
  const [wasWords, isWords] = [wordLines(was), wordLines(is)];
  const at = firstDifference(wasWords.map(wordsOf), isWords.map(wordsOf));
  if (at === null) return blankFault(was, is);
  const [before, after] = [wasWords[at], isWords[at]];
  if (after === undefined) {
    return `the text ends before ${quote(before?.words)} (line ${before?.number} of what is kept)`;
  }
  const line = `line ${after.number} of the text is ${quote(after.words)}`;
  return before === undefined
    ? `${line}, where the kept text ends`
    : `${line}, expected ${quote(before.words)}`;
}

function blankFault(was: readonly string[], is: readonly string[]): string | null {
  const at = firstDifference(was, is);
  if (at === null) return null;
  return (
    `only blanks or empty lines of the text differ, the first in line ${at + 1}: ` +
    `${quote(is[at])}, expected ${quote(was[at])}`
  );
}

function linesOf(text: string): readonly string[] {
  return text.replaceAll('\r\n', '\n').split('\n');
}

function wordLines(lines: readonly string[]): readonly WordLine[] {
  return lines
    .map((line, index) => ({ words: line.trim().replaceAll(/\s+/g, ' '), number: index + 1 }))
    .filter(({ words }) => words !== '');
}

const wordsOf = ({ words }: WordLine): string => words;

/** Index of the first line that is not the same; null: there is none. */
function firstDifference(was: readonly string[], is: readonly string[]): number | null {
  const length = Math.max(was.length, is.length);
  for (let index = 0; index < length; index += 1) {
    if (was[index] !== is[index]) return index;
  }
  return null;
}

const quote = (line = ''): string => JSON.stringify(line);

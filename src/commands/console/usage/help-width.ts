import { type Command, Help } from 'commander';

/** Columns that a list leaves for descriptions at least; with fewer, commander does not wrap them. */
const DESCRIPTION_COLUMNS_MIN = 30;
/** Columns of a terminal that is not one, such as a file: as in the lists that commander makes. */
const COLUMNS_DEFAULT = 80;

const LIST = new Help();

/** Options of commander's help by which lists fit into 80 columns. */
export const HELP_FORMAT: Partial<Help> = {
  minWidthToWrap: DESCRIPTION_COLUMNS_MIN,
  // Every command has options: "[options]" in each line would only take room from the description.
  subcommandTerm: (command: Command) => LIST.subcommandTerm(command).replace(' [options]', ''),
};

/**
 * Breaks the paragraphs of a help text at `columns`. Indented lines, such as examples and lists, stay
 * as they are: a command that is copied must be one line.
 */
export function wrapParagraphs(text: string, columns = process.stdout.columns): string {
  const width = columns > 0 ? columns : COLUMNS_DEFAULT;
  return text
    .split('\n\n')
    .map((block) => wrapBlock(block, width))
    .join('\n\n');
}

/** Rewraps the lines of a block that begin without a blank, where one of them is too long. */
function wrapBlock(block: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    const isLong = paragraph.some((line) => line.length > width);
    lines.push(...(isLong ? wrap(paragraph.join(' ').split(' '), width) : paragraph));
    paragraph = [];
  };
  for (const line of block.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    lines.push(line);
  }
  endParagraph();
  return lines.join('\n');
}

function wrap(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

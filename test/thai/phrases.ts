import { readFileSync } from 'node:fs';

/**
 * A phrase of the annotated corpus. In the file `|` stands where a line may end without a space,
 * `·` where readers disagree, and a space that belongs to a number or a mark is written `_`;
 * letters between these and spaces are a word that must not be broken over two lines.
 */
export interface Phrase {
  readonly kind: string;
  readonly text: string;
  /** Offsets at which a line may end; they lie after spaces. */
  readonly allowed: readonly number[];
  readonly words: readonly { readonly start: number; readonly end: number }[];
}

export function readCorpus(file: URL): Phrase[] {
  const phrases: Phrase[] = [];
  let kind = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('# ')) kind = line.slice(2);
    else if (line !== '') phrases.push(readPhrase(line, kind));
  }
  return phrases;
}

function readPhrase(line: string, kind: string): Phrase {
  const allowed: number[] = [];
  const words: { start: number; end: number }[] = [];
  let text = '';
  let start = 0;
  const close = (): void => {
    if (text.length > start) words.push({ start, end: text.length });
  };
  for (const mark of line) {
    if (mark !== '|' && mark !== '·' && mark !== ' ' && mark !== '_') {
      text += mark;
      continue;
    }
    close();
    if (mark === ' ' || mark === '_') text += ' ';
    if (mark === ' ' || mark === '|') allowed.push(text.length);
    start = text.length;
  }
  close();
  return { kind, text, allowed, words };
}

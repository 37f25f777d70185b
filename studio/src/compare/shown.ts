import type { TemplateChange } from '../api/types.ts';
import type { LineChange } from './lines.ts';

/** The changed lines of a compared sample; `before` null: no version took its data. */
export interface ComparedText {
  readonly before: object | null;
  readonly pages: readonly { readonly lines: readonly LineChange[] }[];
}

/** Shorter words might stand on a page by chance. */
const WORDS_LENGTH_MIN = 4;

/**
 * The ids of the changes that a sample shows: the new words stand in the changed lines of its pages,
 * as often as the template changed to them. A condition, field, format or style proves nothing this
 * way, so it is in no sample as far as the Studio can tell.
 */
export function shownChanges(
  changes: readonly TemplateChange[],
  comparisons: readonly ComparedText[],
): ReadonlySet<string> {
  const pages = comparisons.map(addedWords);
  const wanted = new Map<string, number>();
  for (const { words } of changes) wanted.set(bare(words), (wanted.get(bare(words)) ?? 0) + 1);
  const shown = changes.filter(({ words }) => {
    const text = bare(words);
    if (text.length < WORDS_LENGTH_MIN) return false;
    return pages.some((page) => page.split(text).length - 1 >= (wanted.get(text) ?? 1));
  });
  return new Set(shown.map(({ id }) => id));
}

/** The lines that the draft's pages have and the version's have not. */
function addedWords({ before, pages }: ComparedText): string {
  if (before === null) return '';
  const added = pages.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added'));
  return bare(added.map(({ text }) => text).join(''));
}

/** Without white space, which depends on where lines break. */
function bare(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, '');
}

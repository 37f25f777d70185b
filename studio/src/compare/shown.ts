import type { DraftChange } from '../api/types.ts';
import { pictureSize } from './file-names.ts';
import type { LineChange } from './lines.ts';

/** The changed lines of a compared sample; `before` null: no version took its data. */
export interface ComparedText {
  readonly before: object | null;
  readonly pages: readonly ComparedPage[];
}

interface ComparedPage {
  readonly lines: readonly LineChange[];
  readonly newPictures: readonly string[];
}

/** Shorter words might stand on a page by chance. */
const WORDS_LENGTH_MIN = 4;

/** Ids of the changes whose new words or picture a sample shows. */
export interface ShownChanges {
  /** The words stand on changed lines of a sample as often as the template changed to them. */
  readonly shown: ReadonlySet<string>;
  /** They stand there less often: the sample may show another one of these changes. */
  readonly unclear: ReadonlySet<string>;
}

/**
 * Which changes samples show. A picture is shown where pages paint as many new ones of its size as the
 * template changed to that size. A condition, field, format or style proves nothing by its words, so it
 * is in no sample as far as the Studio can tell.
 */
export function shownChanges(
  changes: readonly DraftChange[],
  comparisons: readonly ComparedText[],
): ShownChanges {
  const pages = comparisons.map(addedWords);
  const wanted = new Map<string, number>();
  for (const { words } of changes) wanted.set(bare(words), (wanted.get(bare(words)) ?? 0) + 1);
  const [shown, unclear] = [new Set<string>(), new Set<string>()];
  const pictures = changes.map(({ after }) => pictureSize(after));
  const painted = comparisons.map(({ before, pages: all }) =>
    before === null ? [] : all.flatMap(({ newPictures }) => newPictures),
  );
  for (const [index, { id }] of changes.entries()) {
    const size = pictures[index] ?? null;
    if (size === null) continue;
    const most = Math.max(0, ...painted.map((sizes) => countOf(sizes, size)));
    if (most >= countOf(pictures, size)) shown.add(id);
    else if (most > 0) unclear.add(id);
  }
  for (const { id, words } of changes) {
    const text = bare(words);
    if (text.length < WORDS_LENGTH_MIN) continue;
    const most = Math.max(0, ...pages.map((page) => page.split(text).length - 1));
    if (most >= (wanted.get(text) ?? 1)) shown.add(id);
    else if (most > 0) unclear.add(id);
  }
  return { shown, unclear };
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

function countOf(all: readonly (string | null)[], wanted: string): number {
  return all.filter((one) => one === wanted).length;
}

import type { Definition } from './engines.ts';
import { prose, rows } from './prose.ts';

/** A definition that we lay out differently from pdfmake on purpose. */
export interface KnownDifference {
  readonly definition: Definition;
  /** The number of words that lie elsewhere. */
  readonly words: number;
  /** The numbers of pages where they differ; null: they are equal. */
  readonly pages: readonly [ours: number, theirs: number] | null;
  readonly why: string;
}

export const KNOWN: Readonly<Record<string, KnownDifference>> = {
  'a word broken by characters, right aligned': {
    definition: { content: [{ text: `${'x'.repeat(140)} ${prose(3)}`, alignment: 'right' }] },
    words: 1,
    pages: null,
    why:
      'pdfmake takes the width of the space after a long word off each of its parts, so that they ' +
      'hang 3 pt over the right edge; ours end at the edge',
  },
  'justified words with hyphens and slashes': {
    definition: { content: [{ text: prose(60, 8), alignment: 'justify' }] },
    words: 13,
    pages: null,
    why:
      'pdfmake widens a justified line wherever it might have ended, so that "e- mail" falls apart; ' +
      'ours grows at its spaces',
  },
  'a table over a page end inside margins': {
    definition: {
      content: [
        {
          stack: [{ table: { widths: ['*'], body: rows(60, 1, () => 3) } }, prose(60)],
          margin: [60, 0, 60, 0],
        },
      ],
    },
    words: 50,
    pages: null,
    why:
      'after a table or columns over a page end pdfmake forgets the margins of the blocks around ' +
      'them, and what follows runs out of its box; ours stays in it',
  },
  'a header taller than its margin': {
    definition: {
      pageMargins: [40, 20, 40, 40],
      header: { text: 'a header that needs more room', margin: [40, 10] },
      content: [prose(10)],
    },
    words: 6,
    pages: null,
    why: 'pdfmake drops a header or footer that is taller than its margin; ours prints it',
  },
  'a row that may not be broken, taller than a page': {
    definition: {
      content: [{ table: { dontBreakRows: true, body: [['a'], [prose(1500)], ['z']] } }],
    },
    words: 1529,
    pages: [3, 2],
    why: 'pdfmake drops the row; ours breaks it',
  },
};

import type { FontStack } from '../font/font.ts';

/** Text that a font stack is asked to draw: decides which glyphs its fixed subset carries. */
export interface FontUse {
  readonly stack: FontStack;
  /** Static strings and the character repertoire of number and date formats. */
  readonly texts: readonly string[];
  /** Free text (text fields, table cells): the face's whole Thai and Latin set. */
  readonly freeText: boolean;
}

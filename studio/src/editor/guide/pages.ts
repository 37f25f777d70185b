import contract from '../../../../docs/contract.md?raw';
import keys from '../../../../docs/template-keys.md?raw';
import templates from '../../../../docs/templates.md?raw';
import type { Entry, GuidePage } from './find.ts';
import { entriesOf, GUIDE_PAGES } from './find.ts';
import type { Block } from './markdown.ts';
import { parseMarkdown } from './markdown.ts';

/** The documentation, as it was when the Studio was built. */
export const BLOCKS: Readonly<Record<GuidePage, readonly Block[]>> = {
  templates: parseMarkdown(templates),
  'template-keys': parseMarkdown(keys),
  contract: parseMarkdown(contract),
};

export const ENTRIES: readonly Entry[] = GUIDE_PAGES.flatMap((page) =>
  entriesOf(page, BLOCKS[page]),
);

const FILES = import.meta.glob<string>(['../../../../docs/pictures/*.png', '!**/studio-*.png'], {
  eager: true,
  query: '?no-inline',
  import: 'default',
});

/** The address of a picture of the documentation; '' if the Studio does not have it. */
export function pictureAddress(source: string): string {
  return FILES[`../../../../docs/${source}`] ?? '';
}

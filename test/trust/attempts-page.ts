import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../lab/home.ts';
import { ATTEMPTS } from './attempts.ts';
import { markdownTable } from '../../lab/pages/markdown-table.ts';

const BEGIN = '<!-- attempts: made by npm run generate -->';
const END = '<!-- end of attempts -->';

/** Writes the table of attempts between two comments of docs/security.md; returns the new page. */
export function withAttempts(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('the page lacks the comments around the table of attempts');
  const rows = ATTEMPTS.map(({ who, tries, ends }) => [who, tries, ends]);
  const table = markdownTable([['who', 'tries', 'ends'], ...rows]);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

/** `npm run generate` starts this, because the attempts are programs of tests. */
if (import.meta.main) {
  const page = join(HOME, 'docs/security.md');
  writeFileSync(page, withAttempts(readFileSync(page, 'utf8')));
}

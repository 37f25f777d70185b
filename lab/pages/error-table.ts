import { ERRORS } from '../../src/errors.ts';
import { markdownTable } from './markdown-table.ts';

const BEGIN = '<!-- errors: made by npm run generate -->';
const END = '<!-- end of errors -->';

/** Writes the table of errors between two comments of docs/calling.md; returns the new page. */
export function withErrorTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('the page lacks the comments around the table of errors');
  const rows = Object.entries(ERRORS).map(([code, { status, retry, message, mend }]) => [
    String(status),
    `\`${code}\``,
    retry === 'later' ? 'yes' : 'no',
    message,
    mend,
  ]);
  const table = markdownTable([['status', 'code', 'again?', 'meaning', 'what to do'], ...rows]);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

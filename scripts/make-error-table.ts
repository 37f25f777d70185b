import { readFileSync, writeFileSync } from 'node:fs';
import { withErrorTable } from './error-table.ts';

/** Writes the table of errors into docs/calling.md: `node scripts/make-error-table.ts`. */

const page = new URL('../docs/calling.md', import.meta.url);
writeFileSync(page, withErrorTable(readFileSync(page, 'utf8')));

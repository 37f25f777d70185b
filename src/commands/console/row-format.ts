import { extname } from 'node:path';
import { UsageError } from './failure.ts';

/** The formats of a file of rows. */
export type RowFormat = 'ndjson' | 'csv';

const WORKBOOKS: readonly string[] = ['.xlsx', '.xlsm', '.xlsb', '.xls', '.ods', '.numbers'];

/** The format that the name of a file says. Throws `UsageError` when it says none. */
export function formatByName(file: string): RowFormat {
  const extension = extname(file).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (['.ndjson', '.jsonl', '.json'].includes(extension)) return 'ndjson';
  if (WORKBOOKS.includes(extension)) {
    throw new UsageError(
      `by its name, ${file} is a workbook of a spreadsheet program: save its sheet as` +
        ' "CSV UTF-8 (Comma delimited)" and give that file; or give --format csv if it holds text',
    );
  }
  throw new UsageError(
    `cannot tell from the name ${file} how its rows are written: give --format csv or --format ndjson`,
  );
}

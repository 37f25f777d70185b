/** Texts of lists in English; lists-th.ts has the same keys. */
export const listsEn = {
  'list.found': 'Found: {count}',
  'list.found_more': 'Found: {count}, and there are more',
  'audit.csv_hint': 'The CSV file holds the records that the filters select, one a line.',
  'runs.invalid_csv_hint':
    'The rows to correct, with their data and what is wrong. Correct them in the file, and add it here.',
  'runs.manifest_csv_hint':
    'For a spreadsheet: one line for each row, with its outcome, its document and what was wrong.',
  'runs.manifest_hint': 'The same for programs: one JSON object a line.',
  'runs.print_index_hint': 'Which pages of the print file belong to which row, for programs.',
  'runs.zip_what': 'The PDF of each stored row, named as its template says or by the row.',
} as const satisfies Record<string, string>;

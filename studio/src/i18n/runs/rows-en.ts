/** Texts of the format of a file of rows, of totals, and of the end of a run, in English; rows-th.ts has the same keys. */
export const rowsEn = {
  'csv.as_contract': '{value}, without other separators',
  'csv.buddhist': 'Buddhist Era ({year})',
  'csv.calendar': 'Years',
  'csv.common': 'Common Era ({year})',
  'csv.date': 'Dates',
  'csv.decimal': 'Amounts',
  'csv.delimiter': 'Between the cells',
  'csv.format': 'Format of the file: {words}',
  'csv.no_date': 'not a date in this format',
  'csv.no_number': 'not an amount in this format',
  'csv.recognised': 'recognised: “{sign}”',
  'csv.short_year': 'Years with two digits are refused',
  'csv.short_year_text':
    'Write all four digits of the year in the file, such as {full} for {cell}, and choose the file again.',
  'csv.suggest': 'The first rows seem to be written in another format',
  'csv.suggest_text':
    'In the chosen format, some amounts or dates would be refused. This format reads more: {words}.',
  'csv.suggest_unsure':
    'The first rows fit another format as well, such as the month before the day. Check what is read below.',
  'csv.use': 'Use this format',
  'runs.cancel_expired':
    'Stored documents: {stored}. All of them have expired, and a new run of the same file would make them a second time.',
  'runs.cancel_stored':
    'Stored documents: {stored}. They stay valid until they expire, and a new run of the same file would make them a second time.',
  'runs.cancel_text_expired': 'No more documents are made. A cancelled run cannot go on.',
  'runs.expired': 'The documents of this run have expired',
  'runs.expired_by': 'The last of them expired by {time}.',
  'runs.expired_text':
    'They are no longer kept here and cannot be downloaded. The figures of the run and the audit stay.',
  'runs.per_print_hint': 'If this is empty, no print files are made.',
  'runs.print_order':
    'The documents of print files are in the order of the rows. Rows that were corrected after a check come last.',
  'runs.print_gone':
    'This print file has expired with the first of its documents. Those that are left are in the ZIP.',
  'totals.check': 'Check with these totals',
  'totals.correct': 'Correct the totals…',
  'totals.further':
    'All {stored} expected documents are stored. The further rows ({further}) were added later, or the total is too low. Withdraw below the rows that were added by mistake, and start again: no document is made a second time.',
  'totals.further_valid':
    'All {stored} expected documents are stored. The further rows ({further}) were added later, or the total is too low. Valid ones among them ({valid}) cannot be withdrawn. If such rows are to have documents, correct the total. If they were added by mistake, cancel the run: no new run is needed.',
  'totals.help':
    'If rows are missing, add them under “Add rows” and start again. If the file holds rows that it should not, cancel the run and make a new one of the right file.',
  'totals.help_faulty':
    'Rows without a document count as missing at the end of the run. Correct or withdraw them below, and start again.',
  'totals.help_invalid':
    'Invalid rows ({count}) have an amount that cannot be read, which counts as 0. Correct these rows below before you change a total. If you withdraw one of them, its amount still counts as 0, and the sum must be lowered by it.',
  'totals.help_typed': 'If the file is right and a total was wrong, correct the total.',
  'totals.help_unread':
    'Withdrawn rows ({count}) have an amount that cannot be read, which counts as 0. They cannot be corrected any more. Lower the expected sum by these amounts under “Correct the totals…”.',
  'totals.made_valid':
    'Documents are stored already ({stored}). The valid rows without a document ({valid}) cannot be withdrawn. If such rows are to have documents, correct the total. If they were added by mistake, such as the same documents with other ids, cancel the run: no new run is needed.',
  'totals.new_run':
    'A new run makes all its documents again; those that are stored ({stored}) stay valid until they expire.',
  'totals.new_run_expired':
    'A new run makes all its documents again; those that were stored ({stored}) have expired.',
  'totals.not_known': 'not yet known',
  'totals.start': 'Start with these totals',
  'totals.text':
    'Take the totals from the system that wrote the file. The audit records that you changed them.',
  'totals.text_unread':
    'The sum of “{name}” includes amounts of withdrawn rows that cannot be read ({count}). They count as 0 here, so take them off. The run has found {actual}.',
  'totals.title': 'Correct the control totals',
  'csv.read_as': '{cell} is read as {value}',
} as const satisfies Record<string, string>;

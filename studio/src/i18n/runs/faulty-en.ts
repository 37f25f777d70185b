/** Texts of faulty rows in English; faulty-th.ts has the same keys. */
export const faultyEn = {
  'faulty.ask_text':
    'They were typed on this page and have not been sent. A start without them takes these rows as they are in the file.',
  'faulty.ask_title': 'Corrections not checked yet: {count}',
  'faulty.check': 'Check the corrections ({count})',
  'faulty.choices': 'One of: {choices}',
  'faulty.closed': 'Rows can be corrected while the run is at rest.',
  'faulty.cure_amount':
    'Write 1250.50: a point before the decimals, and no other separators. In a spreadsheet, one change of the column’s format mends all rows.',
  'faulty.cure_amount_comma':
    'Write 1250,50 or 1.250,50: this run was created for a comma before the decimals. If the whole file has points, make a new run.',
  'faulty.cure_amount_point':
    'Write 1250.50 or 1,250.50: this run was created for a point before the decimals. If the whole file has commas, make a new run.',
  'faulty.cure_buddhist':
    'Write 2026-12-31: year, month, day. The year seems to be of the Buddhist Era: 2569 is 2026 of the Common Era.',
  'faulty.cure_date':
    'Write 2026-12-31: year of the Common Era, month, day. In a spreadsheet, one change of the column’s format mends all rows.',
  'faulty.cure_date_buddhist':
    'Write {date}, with the full year of the Buddhist Era, as this run was created for. If the whole file has other dates, make a new run.',
  'faulty.cure_date_common':
    'Write {date}, with the full year of the Common Era, as this run was created for. If the whole file has other dates, make a new run.',
  'faulty.cure_date_era':
    'Write {date}, as this run was created for. The year seems to be of the Buddhist Era: 2569 is 2026 of the Common Era.',
  'faulty.cure_day': 'The calendar has no such day.',
  'faulty.discard': 'Discard my corrections',
  'faulty.era':
    'This is read as a year of the Common Era. For 2569 of the Buddhist Era write 2026.',
  'faulty.edited': 'corrected, not checked yet',
  'faulty.ended': 'The run was cancelled: its rows cannot be corrected any more.',
  'faulty.identical':
    'Rows identical to earlier ones: {count}. No second document is made for them.',
  'faulty.kept':
    'Rows corrected and not checked yet: {count}. This tab keeps them while you look at other pages, until it is reloaded or closed or the session ends.',
  'faulty.kept_below': 'Not shown yet: {count} of them. “Show more rows” shows them.',
  'faulty.kept_closed':
    'Rows corrected, but not sent: {count}. The run takes no corrections now. This tab keeps them.',
  'faulty.kept_copy': 'Copy these corrections',
  'faulty.kept_ended': 'The run was cancelled. Corrections that cannot be sent any more: {count}',
  'faulty.kept_gone':
    'Corrections that are not needed any more, because their rows were corrected or withdrawn elsewhere: {count}',
  'faulty.kept_useless':
    'Copy them if you still need them. This tab forgets them when it is reloaded or closed, or when the session ends.',
  'faulty.line': 'Line {line}',
  'faulty.line_of': 'Line {line} of part {part}',
  'faulty.lines': 'Where they stand:',
  'faulty.more': 'Show more rows',
  'faulty.reason_date': 'A date is expected, such as {date}.',
  'faulty.reason_id': 'Identifies the row: 1 to 128 characters are expected.',
  'faulty.reason_number': 'A number is expected, such as {number}.',
  'faulty.reason_required': 'This field is required.',
  'faulty.reason_shortened':
    'A spreadsheet has shortened this number. Format the column as text there, or type the whole number here.',
  'faulty.reason_taken': 'Another row of this run has this identifier.',
  'faulty.refused':
    'Corrections refused, because their rows were corrected, withdrawn or valid before: {count}',
  'faulty.role': 'Correcting rows needs the role Editor. With yours you see and download them.',
  'faulty.start_without': 'Start without the corrections',
  'faulty.text':
    'Correct the cells here and check them, or download the rows, correct them in a spreadsheet and upload the file below. A row that is not wanted can be withdrawn; a valid row, which is not listed here, cannot.',
  'faulty.title': 'Rows to correct: {count}',
  'faulty.too_many':
    'The run cannot start without these rows: they are {share} % of all, and it may leave out at most {max} %. Correct or withdraw some of them, or make a new run that may leave out more.',
  'faulty.too_many_made':
    'The run cannot go on without these rows: they are {share} % of all, and it may leave out at most {max} %. Correct or withdraw some of them.',
  'faulty.withdraw': 'Withdraw',
  'faulty.withdraw_text':
    'No document is made for this row. It still counts for the control totals, unless the stored documents have these already, and the audit names who withdrew it. This cannot be undone.',
  'faulty.withdraw_title': '{place}: withdraw the row?',
  'faulty.withdraw_unread':
    'An amount of this row cannot be read: {names}. Once the row is withdrawn, it counts as a row, but its amount as 0. If the expected sum includes the amount, correct the row instead, or lower the sum by the amount afterwards.',
  'faulty.withdrawn': 'Rows withdrawn: {count}. No document is made for them.',
  'faulty.wrong_id':
    'The column “{name}” does not identify the rows: nearly all of them fail for this alone. Correcting single rows does not help. Make a new run of the same file and choose another column that identifies a row.',
  'run_csv.any_separator': 'comma, semicolon or tab between cells, detected automatically',
  'run_csv.comma': 'decimal comma ({number})',
  'run_csv.d/m/y': 'day/month/year',
  'run_csv.dates_buddhist': 'dates as {order} of the Buddhist Era ({date})',
  'run_csv.dates_common': 'dates as {order} of the Common Era ({date})',
  'run_csv.iso': 'year-month-day',
  'run_csv.m/d/y': 'month/day/year',
  'run_csv.point': 'decimal point ({number})',
  'run_csv.separator': '“{sign}” between cells',
  'run_csv.tab': 'tab',
  'run_csv.title': 'CSV format',
  'run_csv.y/m/d': 'year/month/day',
  'run_reason.corrections': 'Corrections were refused. Start again to go on without them.',
  'run_reason.invalid':
    'Invalid rows: {actual}. No document is made until they are corrected or withdrawn.',
  'run_reason.made': 'Rows: {expected} are expected; documents and withdrawn rows are {actual}.',
  'runs.added_corrections': 'The corrections have arrived and are being checked.',
  'runs.added_not_started':
    'The corrections have arrived, but their check was not started. Press “Check only”; do not send them again.',
  'runs.added_rows': 'The rows have arrived. They are checked when you start the run.',
  'runs.check_failed': 'The check has found faults',
  'runs.file_changed': 'The file was changed after it was chosen. Choose it again.',
  'runs.file_is_pdf':
    'This is a PDF. A file of rows is text: a CSV with a header row, or one JSON object a line (.ndjson).',
  'runs.file_is_picture':
    'This is a picture. A file of rows is text: a CSV with a header row, or one JSON object a line (.ndjson).',
  'runs.identical': 'Identical',
  'runs.in_file': 'In the file',
  'runs.on_invalid': 'While rows are invalid',
  'runs.on_invalid_skip': 'make the documents of all others',
  'runs.on_invalid_stop': 'make no document',
  'runs.not_made': 'Not made',
  'runs.pending': 'Waiting',
  'runs.start_by_rule': 'Start without the invalid rows',
  'runs.start_skip': 'Start without them',
  'runs.carriage_returns':
    'The lines of the file end as on old Macs. Save it as “CSV UTF-8 (Comma delimited)”.',
  'runs.withdrawn': 'Withdrawn',
  'runs.separator_line':
    'The first line is “sep=…”, which only Excel reads. Delete that line, or save the file as “CSV UTF-8 (Comma delimited)”.',
  'runs.unchecked': 'Rows have come that are not checked yet',
  'runs.unchecked_text':
    'They are checked when the run is started. What stands below is from before them.',
  'runs.workbook':
    'This is a workbook. In Excel: File → Save As → “CSV UTF-8 (Comma delimited)”, then choose that file.',
} as const satisfies Record<string, string>;

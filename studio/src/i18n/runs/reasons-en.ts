/**
 * Texts about data of a run that the database or the file store has lost, and about what a run
 * waits for. reasons-th.ts has the same keys.
 */
export const reasonsEn = {
  'run_reason.document':
    'A document for a print file is damaged, missing or expired: {document}. Make this row again in a new run, or have the file restored and start again.',
  'run_reason.input': 'Rows cannot be read: {actual}. Make a new run from the same file.',
  'run_reason.key':
    'The run waits for the key that encrypts its rows ({expected}). Ask an operator of the service.',
  'run_reason.lost':
    'The database has lost {count} of the rows that were checked, so they have no document. Those that were made are in the manifest. Make a new run from the same file, and tell the operator.',
  'run_reason.part':
    'The uploaded rows of part {part} are no longer as they came. Make a new run from the same file, and tell the operator.',
  'run_reason.protection':
    'The run waits for qpdf, which sets the passwords. Ask an operator of the service.',
  'run_reason.rows': 'Rows: {expected} are expected, {actual} were found in the file.',
  'run_reason.signer': 'The run waits for its signer: {actual}.',
  'run_reason.source': 'The file cannot be used. Expected: {expected}. Found: {actual}.',
  'runs.waiting': 'The run is waiting',
  'runs.all_withdrawn': 'All rows are withdrawn: there is nothing to make.',
  'runs.in_order': 'All rows are in order. The run can be started.',
  'runs.in_order_end':
    'Every row has its document or is withdrawn, and no total differs. Press “Start” to end the run: no further document is made.',
  'runs.in_order_rest':
    'All rows are in order. Press “Start”: the run makes the documents that are missing ({count}), and ends.',
} as const satisfies Record<string, string>;

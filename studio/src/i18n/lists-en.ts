/** Texts of lists and of the audit in English; lists-th.ts has the same keys. */
export const listsEn = {
  'audit.of_run': 'Documents of one run: {count}',
  'audit.of_saves': 'Saves: {count}',
  'audit.of_previews': 'Previews: {count}',
  'audit.without_generate': 'all but generate',
  'audit_column.name': 'Name',
  'audit_column.at': 'Time',
  'audit_column.principal': 'User or key',
  'audit_column.action': 'Action',
  'audit_column.outcome': 'Outcome',
  'audit_column.code': 'Error code',
  'audit_column.templateId': 'Template (identifier)',
  'audit_column.version': 'Version',
  'audit_column.documentId': 'Document or run',
  'audit_column.mode': 'Mode of the request',
  'audit_column.pages': 'Pages',
  'audit_column.bytes': 'Size in bytes',
  'audit_column.durationMs': 'Duration in ms',
  'audit_column.sha256': 'SHA-256 of the PDF',
  'audit_column.signer': 'Signed by',
  'audit_column.certificateSerial': 'Serial number of the certificate',
  'audit_column.draft': 'From a draft',
  'audit_column.contributors': 'Changed by',
  'audit_column.detail': 'Details',
  'audit_column.requestId': 'Request',
  'audit_column.auditId': 'Record',
  'list.found': 'Found: {count}',
  'list.found_more': 'Found: {count}, and there are more',
  'audit.csv_hint':
    'The CSV file holds the records that the filters select, one a line. Here, saves of a draft in a row by one person stand on one line.',
  'runs.invalid_csv_hint':
    'The rows to correct, with their data and what is wrong. Correct them in the file, and add it here.',
  'runs.manifest_csv_hint':
    'For a spreadsheet: one line for each row, with its outcome, its document and what was wrong.',
  'runs.manifest_hint': 'The same for programs: one JSON object a line.',
  'runs.print_index_hint': 'Which pages of the print file belong to which row, for programs.',
  'runs.zip_what': 'The PDF of each stored row, named as its template says or by the row.',
  'runs.signature': 'Signature',
  'runs.signed': 'The documents are signed.',
  'runs.passwords': 'Passwords',
  'runs.passwords_by_row': 'Each document opens with a password of its row.',
  'runs.empty_csv': 'Download an empty CSV',
  'runs.table_cell':
    'In a CSV, a table is one cell: a list of rows, each a list of cells in quotes. A spreadsheet doubles the quotes itself when it saves.',
  'document.damaged': 'its file is damaged or lost',
  'document.made_by': 'Made by',
  'document.of_run': 'Show its run',
  'document.gone_hint':
    'Its file is no longer kept here. Who has a copy of the file can still verify it. If it is needed again, make it anew.',
  'document.file_lost': 'The stored file is damaged or lost.',
  'document.damaged_hint':
    'The service does not deliver it. Tell the operator: it can come back from a backup.',
  'runs.stored_before':
    'Documents of this file are stored already: {count} of the first {asked} numbers',
  'runs.stored_before_hint':
    'The file may have been uploaded before. This run would make another document for each of its rows. To add missing rows to an earlier run, open that run.',
  'generate.stored_before':
    'A document with this reference is stored already, since {when}. Another one can be stored.',
  'generate.stored_before_show': 'Show that document',
  'generate.same_reference':
    'Other stored documents have the same reference as this one: {count}. It may have been made twice.',
  'generate.same_reference_made': 'Stored {when}',
  'generate.same_reference_named':
    'This reference, {reference}, was already on stored documents: {count}.',
  'generate.same_reference_unknown':
    'The document is stored. Whether others have the same reference could not be read.',
  'generate.same_reference_find': 'Show the documents with this reference',
  'runs.id_faulty': '“{name}” does not identify {count} of the first {read} rows',
  'runs.id_none': 'No column of the file identifies these rows. Add one, such as a running number.',
  'runs.id_other': 'Choose another column, such as “{name}”.',
  'runs.id_rule':
    'An identifier is a text of 1 to 128 characters or a whole number, and each row has another one. Rows without one are invalid.',
  'runs.empty_csv_hint': 'Its columns are the fields of the template; “{id}” names each row.',
  'runs.created_by': 'Created by',
  'runs.first_rows': 'First rows of the file',
  'verify.changed': 'This file was changed after it was issued.',
  'verify.changed_hint':
    'It begins with the document below. What another program has added, such as a comment, is not from here, and may change what the pages show.',
  'verify.changed_compare': 'Open the original and compare.',
  'verify.expired': 'Its file was kept until {time}.',
  'verify.find': 'Find documents',
  'verify.forgotten':
    'That does not prove that it was never issued. Documents that were only shown, or made without storing, have no stored reference, and the reference of a stored document is forgotten when it expires. The file itself can still be verified: drop it above.',
  'verify.named': 'Documents with the reference “{reference}”',
  'verify.named_hint':
    'The newest is first. Whether a file or a paper is one of them, only the file shows: drop it above, or open the document and compare.',
  'documents.search_hint': 'whole number, or start of a name',
  'documents.named': 'For a template, the beginning of its name is enough.',
  'documents.forgotten':
    'That none is found does not prove that none was issued: documents that were only shown, or made without storing, are not listed, and the reference of a stored document is forgotten when it expires. “Verify” can still check the file itself.',
  'documents.whole':
    'Type the whole number. The search finds the number that a template gives its documents, such as a receipt number, but no other field of the form. Small letters are tried as capitals, too.',
  'document.expires_hint': 'It cannot be kept longer. If you need it longer, download it before.',
  'keys.limit_hint':
    'Each call to generate counts, also one that fails. A run counts when it is created and each time it is started or checked, however many rows it has.',
  'keys.days_hint': 'Without a number of days the key is valid until it is revoked.',
  'audit.refused_only': '(refused attempts only)',
  'audit.principal_hint':
    '“User or key” takes an identifier, in small letters below the name in this list, or a name or a part of it, such as the first name.',
  'audit.principal_offer': 'Who is meant?',
  'verify.zip': 'This is a ZIP file, which is no document.',
  'verify.zip_hint': 'Unpack it, and verify its documents one by one.',
  'verify.none_named': 'No stored document of your team has the reference “{reference}”.',
  'verify.reference': 'Or by the reference, such as the number on a paper',
  'other_user.go_on': 'Go on as {name}',
  'other_user.refused': 'Not done: another user is signed in now.',
  'other_user.sign_in': 'Sign in again',
  'other_user.text':
    'This page is still that of {name}, team {team}, and the service refuses what it sends. What you typed stays here until you go on.',
  'other_user.title': '{name} ({role}, team {team}) is now signed in with this browser.',
} as const satisfies Record<string, string>;

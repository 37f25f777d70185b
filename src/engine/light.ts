/**
 * Values of the engine for code that runs no job: formats of the data, and the shared memory of
 * threads. Loading this file loads no stage: no fonts, no layout, no writer.
 */
export { parseData } from './contract/json.ts';
export { LEFT_OUT, Secrets, secretsOf } from './contract/secrets.ts';
export { FIELD_TYPES, PLAIN_TYPES } from './contract/types.ts';
export { readRejectedFonts, type RejectedFont } from './font/rejected.ts';
export { createDecodeCells } from './image/decode-budget.ts';
export { readOffsets } from './pdf/objects/cross-references.ts';
export { CSV_OPTIONS, headerFault, readHeader, readRecords, recordData } from './rows/csv.ts';
export { looksBound, passwordFault } from './contract/format/passwords.ts';
export { preparePassword } from './contract/format/saslprep.ts';
export { renderJob, shareTemplate } from './make-job.ts';
export { differences, isSame, valueOf } from './template/changes/differences.ts';
export { quotes, valueText } from './template/changes/quotes.ts';
export { shown } from './template/vocabulary/findings.ts';

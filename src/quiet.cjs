'use strict';

// Loaded before everything else, in each thread. Node 22 warns once of each of the two experimental
// features this service is built on; every other warning, experimental or not, still shows.
const SILENT = ['Type Stripping is an experimental feature', 'SQLite is an experimental feature'];

const emitWarning = process.emitWarning;

process.emitWarning = function emitWarningButKnown(warning, ...rest) {
  const text = typeof warning === 'string' ? warning : String(warning?.message);
  const type = typeof rest[0] === 'string' ? rest[0] : (rest[0]?.type ?? warning?.name);
  if (type === 'ExperimentalWarning' && SILENT.some((known) => text.startsWith(known))) return;
  Reflect.apply(emitWarning, process, [warning, ...rest]);
};

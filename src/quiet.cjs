'use strict';

// Loaded first in each thread. It silences Node 22's warnings of experimental features that
// this service uses; all other warnings still show.
const SILENT = [
  'Type Stripping is an experimental feature',
  'SQLite is an experimental feature',
  'stripTypeScriptTypes is an experimental feature',
];

const emitWarning = process.emitWarning;

process.emitWarning = function emitWarningButKnown(warning, ...rest) {
  const text = typeof warning === 'string' ? warning : String(warning?.message);
  const type = typeof rest[0] === 'string' ? rest[0] : (rest[0]?.type ?? warning?.name);
  if (type === 'ExperimentalWarning' && SILENT.some((known) => text.startsWith(known))) return;
  Reflect.apply(emitWarning, process, [warning, ...rest]);
};

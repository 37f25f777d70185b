'use strict';

// Preloaded in every thread of every process that a test starts (see stripped.ts). It gives Node the
// sources without types that stripped.ts has kept, so that a thread does not strip 300 files again.
// Node 20, which some tests start, has no registerHooks.

const { hash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { join, resolve } = require('node:path');

const HOME = resolve(__dirname, '../../../..');
/** A file here bears the hash of the source that it was stripped from, whatever that file's name. */
const KEPT = join(HOME, 'node_modules/.cache/stripped', process.version);

const keptPath = (source) => join(KEPT, hash('sha256', source));

function load(url, context, next) {
  if (context.format !== 'module-typescript' || !url.startsWith('file:')) return next(url, context);
  let source;
  try {
    source = readFileSync(keptPath(readFileSync(new URL(url))), 'utf8');
  } catch (error) {
    // Node strips what is not kept, and says what it cannot read.
    if (error.code === undefined) throw error;
    return next(url, context);
  }
  return { format: 'module', source, shortCircuit: true };
}

registerHooks?.({ load });

module.exports = { KEPT, keptPath };

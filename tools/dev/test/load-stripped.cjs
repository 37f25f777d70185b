'use strict';

// Preloaded in every thread of every process that a test starts. Beside the sources that are kept
// without their types, it gives Node what bundled.ts has kept, so that a thread does not look for and
// link the 550 files of two packages. It also has V8 keep what it has compiled for the next process.
// Node 20, which some tests start, has no registerHooks.

const { existsSync } = require('node:fs');
const { enableCompileCache, registerHooks } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { HOME } = require('../../../src/stripped.cjs');

const CACHE = join(HOME, 'node_modules/.cache');
/** Packages as one file each. Tap leaves frames of files below @tapjs out of the stacks it shows. */
const BUNDLED = join(CACHE, 'bundled/node_modules/@tapjs');

/** The packages that are bundled, with the files that stand for them. */
const bundles = new Map();
for (const name of ['kysely', 'tap']) {
  const path = join(BUNDLED, `${name}.mjs`);
  if (existsSync(path)) bundles.set(name, pathToFileURL(path).href);
}
/** Whose imports are answered with bundles: a copy of the service that a test makes has its own. */
const IMPORTERS = ['src/', 'test/', 'bench/', 'lab/', 'tools/'].map(
  (folder) => pathToFileURL(join(HOME, folder)).href,
);

/** Of the importers, those whose nearest package.json is the one of this checkout. */
const [SERVICE, TESTS] = IMPORTERS;
/** Answers to imports from these, by specifier; a relative one is joined to the importer's folder. */
const located = new Map();

/**
 * A service asks this 2,000 times on its main thread alone. Node would look for package.json, resolve
 * symbolic links and tell the format at each. Files of one package without links need none of that:
 * a relative specifier is a URL, and any other means the same to each importer.
 */
function locate(specifier, context, next) {
  const { parentURL = '', conditions } = context;
  const isOfOnePackage = parentURL.startsWith(SERVICE) || parentURL.startsWith(TESTS);
  if (!isOfOnePackage || !conditions.includes('import')) return find(specifier, context, next);
  const isRelative = specifier.startsWith('.');
  const folder = parentURL.slice(0, parentURL.lastIndexOf('/') + 1);
  const key = isRelative ? `${folder}${specifier}` : specifier;
  let found = located.get(key);
  if (found === undefined) {
    const source = isRelative ? ownSource(new URL(specifier, parentURL)) : null;
    found = { ...(source ?? find(specifier, context, next)), shortCircuit: true };
    located.set(key, found);
  }
  return found;
}

/** Null: Node is to say what this is, or that it is missing. */
function ownSource(url) {
  if (!url.href.endsWith('.ts') || !existsSync(url)) return null;
  return { url: url.href, format: 'module-typescript' };
}

function find(specifier, context, next) {
  const url = bundles.get(specifier);
  const isOurs =
    url !== undefined && IMPORTERS.some((folder) => context.parentURL?.startsWith(folder));
  return isOurs ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
}

registerHooks?.({ resolve: locate });
enableCompileCache?.(join(CACHE, 'compiled'));

module.exports = { BUNDLED };

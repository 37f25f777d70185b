'use strict';

// Loaded first in each process and thread of the service. Node strips the types from a source each
// time that it loads one: for the 300 to 400 sources of each thread that takes 1 s of CPU at a start,
// and 10 MB of each thread for the compiler that does it. So what was stripped once is kept, in a
// file that bears the hash of its source, and a thread that finds all of its sources never loads
// that compiler.
//
// As a program (`node src/stripped.cjs`), it keeps all sources of the service: an installation does
// that, because a service often may not write to the folder of its own programs.

const { hash } = require('node:crypto');
const fs = require('node:fs');
const nodeModule = require('node:module');
const { basename, join, resolve } = require('node:path');
const { threadId } = require('node:worker_threads');

const HOME = resolve(__dirname, '..');
/** A release of Node may strip otherwise than another. */
const KEPT = join(HOME, 'node_modules/.cache/stripped', process.version);
/** A file younger than this may belong to a version that another process runs. */
const UNUSED_MS_MIN = 24 * 3_600_000;

let mayWrite = true;

function keptPath(source) {
  return join(KEPT, hash('sha256', source));
}

function load(url, context, next) {
  if (context.format !== 'module-typescript' || !url.startsWith('file:')) return next(url, context);
  try {
    const typed = fs.readFileSync(new URL(url));
    const source = kept(typed) ?? strip(typed);
    return { format: 'module', source, shortCircuit: true };
  } catch (error) {
    // Node says, with the name of the file, what it cannot read or strip.
    if (error.code === undefined) throw error;
    return next(url, context);
  }
}

function kept(source) {
  try {
    return fs.readFileSync(keptPath(source), 'utf8');
  } catch (error) {
    if (error.code === undefined) throw error;
    return null;
  }
}

function strip(source) {
  const text = nodeModule.stripTypeScriptTypes(source.toString());
  keep(keptPath(source), text);
  return text;
}

/** Without a right to write, or without space, a start costs what it costs. */
function keep(path, text) {
  if (!mayWrite) return;
  const own = `${path}.${process.pid}-${threadId}`;
  try {
    fs.mkdirSync(KEPT, { recursive: true });
    fs.writeFileSync(own, text);
    fs.renameSync(own, path);
  } catch (error) {
    if (error.code === undefined) throw error;
    mayWrite = false;
    // A full disk may hold a part of it.
    if (fs.existsSync(own)) fs.rmSync(own, { force: true });
  }
}

/** Keeps the sources that the pattern names, and removes what no source has any more. */
function keepAll(pattern) {
  fs.mkdirSync(KEPT, { recursive: true });
  const known = new Set(fs.readdirSync(KEPT));
  const unused = new Set(known);
  for (const name of fs.globSync(pattern, { cwd: HOME, exclude: ['**/node_modules/**'] })) {
    const source = fs.readFileSync(join(HOME, name));
    const file = basename(keptPath(source));
    unused.delete(file);
    if (!known.has(file)) strip(source);
  }
  for (const name of unused) removeOld(join(KEPT, name));
}

function removeOld(path) {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > UNUSED_MS_MIN)
    fs.rmSync(path, { force: true });
}

// Node 20, which some tests start, has neither.
if (nodeModule.registerHooks && nodeModule.stripTypeScriptTypes) nodeModule.registerHooks({ load });

if (require.main === module) keepAll('{src,clients/node/src}/**/*.ts');

module.exports = { HOME, keepAll, keptPath };

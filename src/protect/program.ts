import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../runtime/error-code.ts';
import { type EndNote, FD_FOLDER, type OpenDocument, type RunNote } from './wire.ts';

/**
 * qpdf as a program: a process for each document. The document and the job (with its passwords)
 * exist as nameless files only.
 */

const JOB_ARGUMENT = `--job-json-file=${FD_FOLDER}/4`;
/** Environment variables that qpdf gets: where programs and libraries are, but no settings. */
const ENV_NAMES = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LANG', 'LC_ALL'];
/** Linux: __O_TMPFILE | O_DIRECTORY; node:fs has no name for it. */
const O_TMPFILE = process.platform === 'linux' ? 0o20200000 : 0;
/** Folders for nameless files: in memory, else the temporary directory. */
const SPOOL_FOLDERS = ['/dev/shm', tmpdir()];

const env = Object.fromEntries(
  ENV_NAMES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Opens a file without a name that holds `bytes`: it vanishes with its last descriptor. */
function openNameless(bytes: Uint8Array): number {
  let lastError: unknown;
  for (const folder of SPOOL_FOLDERS) {
    let fd = -1;
    try {
      fd = openIn(folder);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, undefined, at);
      return fd;
    } catch (error) {
      if (errorCode(error) === '') throw error;
      lastError = error;
      if (fd !== -1) closeSync(fd);
    }
  }
  throw lastError;
}

function openIn(folder: string): number {
  if (O_TMPFILE !== 0) {
    try {
      return openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600);
    } catch (error) {
      // Some file systems have no nameless files; there the name is removed before the first byte
      // is written.
      if (!['EOPNOTSUPP', 'EISDIR', 'EINVAL'].includes(errorCode(error))) throw error;
    }
  }
  const name = join(folder, `intaglio-${process.pid}-${crypto.randomUUID()}`);
  const fd = openSync(name, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
  unlinkSync(name);
  return fd;
}

/** Why the system refused to start qpdf. */
function endOfSpawnError(error: unknown): EndNote {
  const errno = errorCode(error);
  if (['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP', 'ENOEXEC'].includes(errno)) return { end: 'absent' };
  if (['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'].includes(errno)) return { end: 'busy' };
  return { end: 'failed' };
}

function startQpdf(qpdf: string, document: OpenDocument): ChildProcess {
  const documentFd = openNameless(document.pdf);
  let jobFd = -1;
  try {
    jobFd = openNameless(Buffer.from(jobText(document)));
    // `detached` gives it a process group, so that whatever it starts ends with it.
    return spawn(qpdf, [JOB_ARGUMENT], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore', documentFd, jobFd],
    });
  } finally {
    closeSync(documentFd);
    if (jobFd !== -1) closeSync(jobFd);
  }
}

/** How a run ended, and what the program wrote when it ended by itself. */
export type OnEnd = (note: EndNote, bytes: Uint8Array) => void;

/** Runs qpdf; `onEnd` is called once. Returns what cancels the run. */
export function runProgram(order: RunNote, document: OpenDocument, onEnd: OnEnd): () => void {
  let child: ChildProcess;
  try {
    child = startQpdf(order.qpdf, document);
  } catch (error) {
    onEnd(endOfSpawnError(error), new Uint8Array());
    return () => undefined;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let isSettled = false;

  const settle = (note: EndNote): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    if (note.end !== 'exit') killGroup(child);
    child.stdout?.destroy();
    onEnd(note, note.end === 'exit' ? Buffer.concat(chunks, length) : new Uint8Array());
  };
  const timer = setTimeout(() => settle({ end: 'timeout' }), order.timeoutMs);

  child.on('error', (error) => settle(endOfSpawnError(error)));
  child.stdout?.on('error', () => settle({ end: 'failed' }));
  child.stdout?.on('data', (chunk: Buffer) => {
    if (isSettled) return;
    length += chunk.length;
    chunks.push(chunk);
    if (length > order.outputBytesMax) settle({ end: 'oversize' });
  });
  // `close` comes after the exit and the last byte of output.
  child.on('close', (code) => settle(code === null ? { end: 'signal' } : { end: 'exit', code }));
  return () => settle({ end: 'cancelled' });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group has already ended.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * qpdf's job. Metadata stays unencrypted, as the spec demands. A permission left out is allowed;
 * `modify: false` denies every kind of change.
 */
function jobText({ userPassword, ownerPassword, permissions }: OpenDocument): string {
  return JSON.stringify({
    inputFile: `${FD_FOLDER}/3`,
    outputFile: '-',
    streamData: 'preserve',
    encrypt: {
      userPassword: textOf(userPassword),
      ownerPassword: textOf(ownerPassword),
      '256bit': {
        cleartextMetadata: '',
        print: permissions.print === false ? 'none' : 'full',
        extract: permissions.copy === false ? 'n' : 'y',
        modify: permissions.modify === false ? 'none' : 'all',
      },
    },
  });
}

function textOf(password: Uint8Array): string {
  return Buffer.from(password).toString('utf8');
}

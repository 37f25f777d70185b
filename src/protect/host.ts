/**
 * The protection host: a small process that starts qpdf for the service. Forking costs 25 ms per GB
 * of the parent, so this small process is the parent. It reads runs from descriptor 3 and ends when
 * that closes. The document and the job (with its passwords) exist as nameless files only.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EndNote, FD_FOLDER, frame, FrameReader, type RunNote } from './wire.ts';
import { errorCode } from '../runtime/error-code.ts';

const LINK_FD = 3;
const JOB_ARGUMENT = `--job-json-file=${FD_FOLDER}/4`;
/** Environment variables that qpdf gets: where programs and libraries are, but no settings. */
const ENV_NAMES = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LANG', 'LC_ALL'];
/** Linux: __O_TMPFILE | O_DIRECTORY; node:fs has no name for it. */
const O_TMPFILE = process.platform === 'linux' ? 0o20200000 : 0;
/** Folders for nameless files: in memory, else the temporary directory. */
const SPOOL_FOLDERS = ['/dev/shm', tmpdir()];

const link = new Socket({ fd: LINK_FD });
/** Cancels a run, by the request's id. */
const running = new Map<number, () => void>();
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

function reply(requestId: number, note: EndNote, bytes: Uint8Array): void {
  const [head, body] = frame(requestId, note, bytes);
  link.cork();
  link.write(head);
  if (body.byteLength > 0) link.write(body);
  link.uncork();
}

/** Why the system refused to start qpdf. */
function endOfSpawnError(error: unknown): EndNote {
  const errno = errorCode(error);
  if (['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP', 'ENOEXEC'].includes(errno)) return { end: 'absent' };
  if (['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'].includes(errno)) return { end: 'busy' };
  return { end: 'failed' };
}

function startQpdf(order: RunNote, document: Uint8Array): ChildProcess {
  const documentFd = openNameless(document);
  let jobFd = -1;
  try {
    jobFd = openNameless(Buffer.from(order.job));
    // `detached` gives it a process group, so that whatever it starts ends with it.
    return spawn(order.qpdf, [JOB_ARGUMENT], {
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

function run(requestId: number, order: RunNote, document: Uint8Array): void {
  let child: ChildProcess;
  try {
    child = startQpdf(order, document);
  } catch (error) {
    reply(requestId, endOfSpawnError(error), new Uint8Array());
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let isSettled = false;

  const settle = (note: EndNote): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    running.delete(requestId);
    if (note.end !== 'exit') killGroup(child);
    child.stdout?.destroy();
    reply(requestId, note, note.end === 'exit' ? Buffer.concat(chunks, length) : new Uint8Array());
  };
  const timer = setTimeout(() => settle({ end: 'timeout' }), order.timeoutMs);
  running.set(requestId, () => settle({ end: 'cancelled' }));

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

function end(): void {
  for (const cancel of running.values()) cancel();
  process.exit(0);
}

const reader = new FrameReader((requestId, note, bytes) => {
  // The service is the only writer of this link and sends a RunNote or nothing.
  if (note === null) running.get(requestId)?.();
  else run(requestId, note as RunNote, bytes);
});
link.on('data', (chunk: Buffer) => {
  if (!reader.push(chunk)) end();
});
link.on('error', end);
link.on('close', end);
// A terminal's Ctrl-C reaches the whole group; the service decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

/**
 * The protection host: a small process that protects documents with qpdf for the service. It calls
 * qpdf's library on threads (library-threads.ts) if the library can be loaded, and otherwise starts
 * the qpdf program. A crash of qpdf ends this process and not the service. Forking costs 25 ms per
 * GB of the parent, so it is cheap here. The host reads its orders from descriptor 3 and ends when
 * that closes.
 */

import { Socket } from 'node:net';
import { findsSound } from './library-check.ts';
import { LibraryThreads } from './library-threads.ts';
import { runProgram } from './program.ts';
import { documentOf, type EndNote, frame, FrameReader, type RunNote } from './wire.ts';

const LINK_FD = 3;
/**
 * Resident memory after which this process ends when it is idle, and is started anew. A document
 * of 100 MB needs about four times its size.
 */
const IDLE_BYTES_MAX = 384 * 1024 * 1024;
/** Each thread raises that limit by this. */
const THREAD_BYTES = 16 * 1024 * 1024;

/**
 * All input is read into this one buffer: the buffers that Node would otherwise allocate for each read
 * are freed without being overwritten, with passwords in them.
 */
const received = Buffer.alloc(64 * 1024);
const link = new Socket({ fd: LINK_FD, onread: { buffer: received, callback: receive } });
/** Functions that cancel a run, by request id. */
const running = new Map<number, () => void>();
/** By file name of a library: whether it can be used. */
const known = new Map<string, boolean>();
const threads = new LibraryThreads();

function reply(requestId: number, note: EndNote, bytes: Uint8Array): void {
  link.cork();
  for (const chunk of frame(requestId, note, bytes)) link.write(chunk);
  link.uncork();
}

function hasLibrary({ library }: RunNote): boolean {
  if (library === null) return false;
  const isSound = known.get(library) ?? findsSound(library);
  known.set(library, isSound);
  return isSound;
}

function run(requestId: number, order: RunNote, bytes: Uint8Array): void {
  const onEnd = (note: EndNote, result: Uint8Array): void => {
    running.delete(requestId);
    reply(requestId, note, result);
    const bytesMax = IDLE_BYTES_MAX + threads.count * THREAD_BYTES;
    if (running.size === 0 && process.memoryUsage.rss() > bytesMax) link.end();
  };
  running.set(requestId, () => undefined);
  if (hasLibrary(order)) {
    // A call of the library cannot be interrupted. If it is cancelled, it runs on, and the service
    // ignores its result.
    threads.run(order, bytes, ({ note, result }) => onEnd(note, result));
    return;
  }
  const cancel = runProgram(order, documentOf(order, bytes), (note, result) => {
    // They contain the passwords and the unprotected document.
    bytes.fill(0);
    onEnd(note, result);
  });
  if (running.has(requestId)) running.set(requestId, cancel);
}

/**
 * Ends this process at once. An orderly exit would end threads in the middle of a call; koffi would
 * then abort the process, and a core dump would contain passwords.
 */
function end(): void {
  for (const cancel of running.values()) cancel();
  process.kill(process.pid, 'SIGKILL');
}

const reader = new FrameReader((requestId, note, bytes) => {
  // The service is the only writer of this link and sends a RunNote or nothing.
  if (note === null) running.get(requestId)?.();
  else run(requestId, note as RunNote, bytes);
});

/** Handles received bytes. Returns true: reading goes on. */
function receive(length: number): boolean {
  const chunk = Buffer.from(received.subarray(0, length));
  received.fill(0, 0, length);
  if (!reader.push(chunk)) end();
  return true;
}

link.on('error', end);
link.on('close', end);
// A terminal's Ctrl-C reaches the whole group; the service decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

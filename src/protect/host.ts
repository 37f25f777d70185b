/**
 * The protection host: a small process that protects documents for the service by qpdf, as a library
 * where there is one and else by starting the program. A crash of qpdf ends this process and not the
 * service; and forking, which costs 25 ms per GB of the parent, is cheap here. It reads runs from
 * descriptor 3 and ends when that closes.
 */

import { Socket } from 'node:net';
import { openLibrary, type OpenDocument, type QpdfLibrary } from './library.ts';
import { runProgram } from './program.ts';
import { type EndNote, frame, FrameReader, type RunNote } from './wire.ts';

const LINK_FD = 3;
/**
 * Resident memory after which this process ends when it is idle, and is started anew. A document
 * of 100 MB needs about four times its size.
 */
const IDLE_BYTES_MAX = 384 * 1024 * 1024;

/**
 * All input is read into this one buffer: the buffers that Node would otherwise allocate for each read
 * are freed without being overwritten, with passwords in them.
 */
const received = Buffer.alloc(64 * 1024);
const link = new Socket({ fd: LINK_FD, onread: { buffer: received, callback: receive } });
/** Cancels a run, by the request's id. */
const running = new Map<number, () => void>();
/** Libraries by name; null: it cannot be loaded. */
const libraries = new Map<string, QpdfLibrary | null>();

function reply(requestId: number, note: EndNote, bytes: Uint8Array): void {
  link.cork();
  for (const chunk of frame(requestId, note, bytes)) link.write(chunk);
  link.uncork();
}

function libraryOf({ library: name }: RunNote): QpdfLibrary | null {
  if (name === null) return null;
  const known = libraries.get(name);
  if (known !== undefined) return known;
  const library = openLibrary(name);
  libraries.set(name, library);
  return library;
}

/** The parts of a frame's bytes. */
function documentOf({ passwordBytes, permissions }: RunNote, bytes: Uint8Array): OpenDocument {
  const { user, owner } = passwordBytes;
  return {
    userPassword: bytes.subarray(0, user),
    ownerPassword: bytes.subarray(user, user + owner),
    pdf: bytes.subarray(user + owner),
    permissions,
  };
}

/** Rejects when a call cannot be made: this process ends then, and the program protects. */
async function runLibrary(
  library: QpdfLibrary,
  { outputBytesMax }: RunNote,
  document: OpenDocument,
): Promise<{ note: EndNote; result: Uint8Array }> {
  const result = await library.protect(document);
  if (result === null) return { note: { end: 'failed' }, result: new Uint8Array() };
  if (result.byteLength <= outputBytesMax) return { note: { end: 'exit', code: 0 }, result };
  return { note: { end: 'oversize' }, result: new Uint8Array() };
}

function run(requestId: number, order: RunNote, bytes: Uint8Array): void {
  const document = documentOf(order, bytes);
  const onEnd = (note: EndNote, result: Uint8Array): void => {
    // Passwords and the open document.
    bytes.fill(0);
    running.delete(requestId);
    reply(requestId, note, result);
    if (running.size === 0 && process.memoryUsage.rss() > IDLE_BYTES_MAX) link.end();
  };
  const library = libraryOf(order);
  if (library === null) {
    running.set(requestId, () => undefined);
    const cancel = runProgram(order, document, onEnd);
    if (running.has(requestId)) running.set(requestId, cancel);
    return;
  }
  // A call of the library cannot be interrupted: the service waits no longer for it.
  running.set(requestId, () => undefined);
  void runLibrary(library, order, document).then(({ note, result }) => onEnd(note, result));
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

/** Takes what was read; true: go on reading. */
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

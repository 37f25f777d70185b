/**
 * A thread of the protection host. It calls qpdf's library for one document at a time. An error
 * here ends the host, and the service has the qpdf program protect the document.
 */
import { parentPort } from 'node:worker_threads';
import { openLibrary, type QpdfLibrary } from './library.ts';
import { documentOf, type EndNote, type RunNote } from './wire.ts';

/** `bytes`: passwords and document, as in a frame. Their buffer is transferred to the thread. */
export interface ThreadOrder {
  readonly order: RunNote;
  readonly bytes: Uint8Array;
}

export interface ThreadResult {
  readonly note: EndNote;
  readonly result: Uint8Array;
}

const libraries = new Map<string, QpdfLibrary>();
const port = parentPort;
if (port === null) throw new Error('this is a thread of the protection host');

/** The host has already checked that this library can be loaded. */
function libraryOf(name: string | null): QpdfLibrary {
  const known = libraries.get(name ?? '');
  if (known !== undefined) return known;
  const library = name === null ? null : openLibrary(name);
  if (name === null || library === null) throw new Error('no library of qpdf');
  libraries.set(name, library);
  return library;
}

function protect({ order, bytes }: ThreadOrder): ThreadResult {
  const result = libraryOf(order.library).protect(documentOf(order, bytes));
  // They contain the passwords and the unprotected document.
  bytes.fill(0);
  const nothing = new Uint8Array();
  if (result === null) return { note: { end: 'failed' }, result: nothing };
  if (result.byteLength <= order.outputBytesMax) return { note: { end: 'exit', code: 0 }, result };
  return { note: { end: 'oversize' }, result: nothing };
}

port.on('message', (message: ThreadOrder) => {
  const end = protect(message);
  // The result fills its whole ArrayBuffer, which is transferred.
  port.postMessage(end, [end.result.buffer as ArrayBuffer]);
});

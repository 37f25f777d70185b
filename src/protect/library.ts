import { randomBytes } from 'node:crypto';
import koffi, { type LibraryHandle } from 'koffi';
import { FileKeys } from './file-keys.ts';
import type { OpenDocument } from './wire.ts';

/**
 * qpdf's shared library in this process, called through its C interface (qpdf-c.h). It encrypts
 * with AES-256, revision 6.
 */
export interface QpdfLibrary {
  /** Returns the protected file, or null if qpdf refuses the document. Blocks for milliseconds. */
  protect(document: OpenDocument): Uint8Array | null;
  /** Whether the file opens with this password. The password remains in qpdf's memory. */
  opens(pdf: Uint8Array, password: string): boolean;
}

/** A `qpdf_data` of the library. */
type Handle = object;
type Call<Arguments extends readonly unknown[], Result> = (...args: Arguments) => Result;

interface Calls {
  readonly init: Call<[], Handle>;
  readonly silence: Call<[Handle], void>;
  readonly suppressWarnings: Call<[Handle, number], void>;
  readonly readMemory: Call<[Handle, string, Uint8Array, number, string | null], number>;
  readonly initWriteMemory: Call<[Handle], number>;
  readonly setStreamDataMode: Call<[Handle, number], void>;
  readonly setEncryption: Call<[Handle, string, string, ...number[]], void>;
  readonly setVersion: Call<[Handle, string, number], void>;
  readonly write: Call<[Handle], number>;
  readonly bufferLength: Call<[Handle], number | bigint>;
  readonly buffer: Call<[Handle], object | null>;
  /** Removes the last error from the handle. `cleanup` would write it to standard error. */
  readonly getError: Call<[Handle], unknown>;
  readonly cleanup: Call<[[Handle]], void>;
}

/** `QPDF_ERRORS` of qpdf-c.h; the other bit means warnings. */
const ERRORS = 2;
/** `qpdf_s_preserve`: streams stay compressed as they are. */
const PRESERVE = 1;
/** `qpdf_r3p_full` and `qpdf_r3p_none`. */
const PRINT_ALL = 0;
const PRINT_NONE = 2;
/** Revision 6 requires PDF 2.0, or PDF 1.7 with Adobe's extension level 8. */
const VERSION = '1.7';
const EXTENSION_LEVEL = 8;
/** Stack for qpdf, which reads nested arrays and dictionaries by recursion. */
const STACK_BYTES = 4 * 1024 * 1024;
const DESCRIPTION = 'document';

koffi.config({ sync_stack_size: STACK_BYTES });

/** Loads the library by its file name. Returns null if it or one of its functions is missing. */
export function openLibrary(name: string): QpdfLibrary | null {
  try {
    return new LoadedLibrary(callsOf(koffi.load(name)), new FileKeys());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // No failure of the service: the qpdf program protects the documents instead.
    return null;
  }
}

class LoadedLibrary implements QpdfLibrary {
  readonly #calls: Calls;
  readonly #keys: FileKeys;

  constructor(calls: Calls, keys: FileKeys) {
    this.#calls = calls;
    this.#keys = keys;
  }

  protect(document: OpenDocument): Uint8Array | null {
    return this.#withHandle((handle) => this.#run(handle, document));
  }

  opens(pdf: Uint8Array, password: string): boolean {
    return this.#withHandle((handle) => this.#reads(handle, pdf, password));
  }

  #withHandle<T>(body: (handle: Handle) => T): T {
    const { init, silence, suppressWarnings, getError, cleanup } = this.#calls;
    const handle = init();
    try {
      silence(handle);
      suppressWarnings(handle, 1);
      return body(handle);
    } finally {
      getError(handle);
      cleanup([handle]);
    }
  }

  #reads(handle: Handle, pdf: Uint8Array, password: string | null): boolean {
    return !isError(this.#calls.readMemory(handle, DESCRIPTION, pdf, pdf.byteLength, password));
  }

  #run(handle: Handle, document: OpenDocument): Uint8Array | null {
    const { initWriteMemory, setStreamDataMode, write } = this.#calls;
    if (!this.#reads(handle, document.pdf, null) || isError(initWriteMemory(handle))) return null;
    setStreamDataMode(handle, PRESERVE);
    const given = randomBytes(16).toString('hex');
    this.#setEncryption(handle, given, document);
    if (isError(write(handle))) return null;
    const pdf = this.#output(handle);
    if (pdf === null) return null;
    return this.#keys.replacePassword(pdf, Buffer.from(given), document) ? pdf : null;
  }

  #setEncryption(handle: Handle, password: string, { permissions }: OpenDocument): void {
    const canModify = permissions.modify === false ? 0 : 1;
    this.#calls.setEncryption(
      handle,
      password, // user password
      password, // owner password
      1, // accessibility
      permissions.copy === false ? 0 : 1,
      canModify, // assemble
      canModify, // annotate and fill in forms
      canModify, // fill in forms
      canModify, // all other changes
      permissions.print === false ? PRINT_NONE : PRINT_ALL,
      0, // do not encrypt metadata
    );
    this.#calls.setVersion(handle, VERSION, EXTENSION_LEVEL);
  }

  /** Copies the written file, because `cleanup` frees the library's buffer. */
  #output(handle: Handle): Buffer | null {
    const address = this.#calls.buffer(handle);
    if (address === null) return null;
    const length = Number(this.#calls.bufferLength(handle));
    const { buffer } = new Uint8Array(koffi.view(address, length)).slice();
    return Buffer.from(buffer);
  }
}

function isError(code: number): boolean {
  return (code & ERRORS) !== 0;
}

function callsOf(library: LibraryHandle): Calls {
  const at = 'void *';
  const call = (name: string, result: string, parameters: string[]) =>
    library.func(`qpdf_${name}`, result, parameters);
  const permissions = Array.from({ length: 8 }, () => 'int');
  // koffi's types cannot express the parameters that the strings declare.
  return {
    init: call('init', at, []),
    silence: call('silence_errors', 'void', [at]),
    suppressWarnings: call('set_suppress_warnings', 'void', [at, 'int']),
    readMemory: call('read_memory', 'int', [at, 'str', at, 'uint64', 'str']),
    initWriteMemory: call('init_write_memory', 'int', [at]),
    setStreamDataMode: call('set_stream_data_mode', 'void', [at, 'int']),
    setEncryption: call('set_r5_encryption_parameters2', 'void', [
      at,
      'str',
      'str',
      ...permissions,
    ]),
    setVersion: call('set_minimum_pdf_version_and_extension', 'void', [at, 'str', 'int']),
    write: call('write', 'int', [at]),
    bufferLength: call('get_buffer_length', 'size_t', [at]),
    buffer: call('get_buffer', at, [at]),
    getError: call('get_error', at, [at]),
    cleanup: library.func('void qpdf_cleanup(_Inout_ void **qpdf)'),
  };
}

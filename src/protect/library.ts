import { promisify } from 'node:util';
import koffi, { type LibraryHandle } from 'koffi';
import type { Protection } from '#engine';

/** A document and its passwords as UTF-8 bytes, which the caller may overwrite afterwards. */
export interface OpenDocument {
  readonly pdf: Uint8Array;
  readonly userPassword: Uint8Array;
  readonly ownerPassword: Uint8Array;
  readonly permissions: Protection['permissions'];
}

/** qpdf in this process, by its C interface (qpdf-c.h), AES-256 of revision 6. */
export interface QpdfLibrary {
  /** The protected file; null when qpdf refuses the document. Several may run at the same time. */
  protect(document: OpenDocument): Promise<Uint8Array | null>;
}

/** A `qpdf_data` of the library. */
type Handle = object;
type Call<Arguments extends readonly unknown[], Result> = (...args: Arguments) => Result;

interface Calls {
  readonly init: Call<[], Handle>;
  readonly silence: Call<[Handle], void>;
  readonly suppressWarnings: Call<[Handle, number], void>;
  readonly initWriteMemory: Call<[Handle], number>;
  readonly setStreamDataMode: Call<[Handle, number], void>;
  readonly bufferLength: Call<[Handle], number | bigint>;
  readonly buffer: Call<[Handle], object | null>;
  /** Takes the last error, which would otherwise be written to standard error at the end. */
  readonly getError: Call<[Handle], unknown>;
  readonly cleanup: Call<[[Handle]], void>;
  /** These run on other threads, because they take milliseconds; the others take microseconds. */
  readonly readMemory: Call<unknown[], Promise<number>>;
  readonly setEncryption: Call<unknown[], Promise<number>>;
  readonly write: Call<[Handle], Promise<number>>;
}

/** `QPDF_ERRORS` of qpdf-c.h; the other bit means warnings. */
const ERRORS = 2;
/** `qpdf_s_preserve`: streams stay compressed as they are. */
const PRESERVE = 1;
/** `qpdf_r3p_full` and `qpdf_r3p_none`. */
const PRINT_ALL = 0;
const PRINT_NONE = 2;
/** Stack for qpdf, which reads nested arrays and dictionaries by recursion. */
const STACK_BYTES = 4 * 1024 * 1024;
const DESCRIPTION = 'document';
/** `M_PERTURB` of glibc's mallopt: memory is overwritten when it is freed. */
const M_PERTURB = -6;
const PERTURB_BYTE = 0x5a;

koffi.config({ async_stack_size: STACK_BYTES });

/** Loads the library by its file name, as programs do; null when it or one of its calls is absent. */
export function openLibrary(name: string): QpdfLibrary | null {
  try {
    return new LoadedLibrary(callsOf(koffi.load(name)), findPerturb());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The loader says why in words of the machine only. The program protects the documents instead.
    return null;
  }
}

class LoadedLibrary implements QpdfLibrary {
  readonly #calls: Calls;
  readonly #perturb: (byte: number) => void;
  /** Documents whose keys are being derived now. */
  #derivations = 0;

  constructor(calls: Calls, perturb: (byte: number) => void) {
    this.#calls = calls;
    this.#perturb = perturb;
  }

  async protect(document: OpenDocument): Promise<Uint8Array | null> {
    const { init, silence, suppressWarnings, getError, cleanup } = this.#calls;
    const handle = init();
    try {
      silence(handle);
      suppressWarnings(handle, 1);
      return await this.#run(handle, document);
    } finally {
      getError(handle);
      cleanup([handle]);
    }
  }

  async #run(handle: Handle, document: OpenDocument): Promise<Uint8Array | null> {
    const { readMemory, initWriteMemory, setStreamDataMode, write } = this.#calls;
    const { pdf } = document;
    const read = await readMemory(handle, DESCRIPTION, pdf, pdf.byteLength, null);
    if (isError(read) || isError(initWriteMemory(handle))) return null;
    setStreamDataMode(handle, PRESERVE);
    await this.#deriveKeys(handle, document);
    if (isError(await write(handle))) return null;
    return this.#output(handle);
  }

  /**
   * The only step that sees the passwords: what follows uses the keys derived from them. Its memory
   * is overwritten as it is freed, so that no password stays in this process.
   */
  async #deriveKeys(handle: Handle, document: OpenDocument): Promise<void> {
    const { permissions } = document;
    const canModify = permissions.modify === false ? 0 : 1;
    const user = terminated(document.userPassword);
    const owner = terminated(document.ownerPassword);
    if (this.#derivations++ === 0) this.#perturb(PERTURB_BYTE);
    try {
      await this.#calls.setEncryption(
        handle,
        user,
        owner,
        1, // accessibility
        permissions.copy === false ? 0 : 1,
        canModify, // assemble
        canModify, // annotate and fill in forms
        canModify, // fill in forms
        canModify, // all other changes
        permissions.print === false ? PRINT_NONE : PRINT_ALL,
        0, // metadata stays clear
      );
    } finally {
      if (--this.#derivations === 0) this.#perturb(0);
      user.fill(0);
      owner.fill(0);
    }
  }

  /** A copy of the file that was written: the library's own memory goes with the handle. */
  #output(handle: Handle): Uint8Array | null {
    const address = this.#calls.buffer(handle);
    if (address === null) return null;
    const length = Number(this.#calls.bufferLength(handle));
    return new Uint8Array(koffi.view(address, length)).slice();
  }
}

function isError(code: number): boolean {
  return (code & ERRORS) !== 0;
}

/**
 * The text as C takes it. In memory of its own: V8 would keep a short array inside its heap, and copy
 * it out of there for the call.
 */
function terminated(text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(new ArrayBuffer(text.byteLength + 1));
  bytes.set(text);
  return bytes;
}

function callsOf(library: LibraryHandle): Calls {
  const at = 'void *';
  const call = (name: string, result: string, parameters: string[]) =>
    library.func(`qpdf_${name}`, result, parameters);
  const async = (name: string, result: string, parameters: string[]) =>
    promisify(call(name, result, parameters).async);
  const permissions = Array.from({ length: 8 }, () => 'int');
  const parameters = [at, at, at, ...permissions];
  // The types of koffi do not know the parameters that the strings declare.
  return {
    init: call('init', at, []),
    silence: call('silence_errors', 'void', [at]),
    suppressWarnings: call('set_suppress_warnings', 'void', [at, 'int']),
    initWriteMemory: call('init_write_memory', 'int', [at]),
    setStreamDataMode: call('set_stream_data_mode', 'void', [at, 'int']),
    bufferLength: call('get_buffer_length', 'size_t', [at]),
    buffer: call('get_buffer', at, [at]),
    getError: call('get_error', at, [at]),
    cleanup: library.func('void qpdf_cleanup(_Inout_ void **qpdf)'),
    readMemory: async('read_memory', 'int', [at, 'str', at, 'uint64', at]),
    setEncryption: async('set_r6_encryption_parameters2', 'void', parameters),
    write: async('write', 'int', [at]),
  } as unknown as Calls;
}

/** `mallopt(M_PERTURB, …)` where the C library has it: glibc does. */
function findPerturb(): (byte: number) => void {
  try {
    const mallopt = koffi.load(null).func('mallopt', 'int', ['int', 'int']);
    return (byte) => void mallopt(M_PERTURB, byte);
  } catch {
    return () => undefined;
  }
}

/** The part of WebAssembly that gives memory; Node's types do not declare it. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => {
    readonly buffer: SharedArrayBuffer;
  };
};

/** Bytes of a page of memory, and of a block on any usual disk. */
export const PAGE_BYTES = 4_096;

/** A page of WebAssembly. */
const WASM_PAGE_BYTES = 65_536;

const known = new WeakSet<ArrayBufferLike>();

/**
 * Shared memory of at least `byteLength` bytes. It begins on a page, so a disk can take its bytes
 * directly (`isPageMemory`); that of a `SharedArrayBuffer` begins 16 bytes after one. Where the
 * process has too little address space for it, it is a `SharedArrayBuffer`.
 */
export function pageMemory(byteLength: number): Uint8Array<SharedArrayBuffer> {
  const pages = Math.ceil(byteLength / WASM_PAGE_BYTES);
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    known.add(buffer);
    return new Uint8Array(buffer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Uint8Array(new SharedArrayBuffer(byteLength));
  }
}

/** Whether these bytes are in memory that this thread got from `pageMemory`, and begin on a page. */
export function isPageMemory({ buffer, byteOffset }: Uint8Array): boolean {
  return byteOffset % PAGE_BYTES === 0 && known.has(buffer);
}

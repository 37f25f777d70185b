import { readFileSync } from 'node:fs';

/** The part of WebAssembly that the kernel needs; Node's types do not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
  readonly Global: new () => { readonly value: number };
};

/** The functions are described in kernel.as. */
interface KernelFunctions {
  readonly parse: (length: number) => void;
  readonly bitsWith: (set: number) => number;
  readonly bitsAtLeast: () => number;
  readonly checksum: (length: number) => number;
  readonly emit: (length: number, set: number) => number;
}

/** Constants of kernel.as: addresses in bytes, and sizes. */
type KernelConstant =
  | 'INPUT_MAX'
  | 'INPUT'
  | 'OUTPUT'
  | 'COUNTS'
  | 'LENGTH_SYMBOLS'
  | 'DISTANCE_SYMBOLS'
  | 'DISTANCES'
  | 'LOGARITHMS'
  | 'EXTRA_BITS'
  | 'SETS'
  | 'SET_BYTES'
  | 'HEADER_BITS'
  | 'HEADER'
  | 'LITERAL_CODES'
  | 'LENGTH_CODES'
  | 'DISTANCE_CODES'
  | 'SYMBOL_BITS';

export interface Kernel extends KernelFunctions {
  readonly at: Readonly<Record<KernelConstant, number>>;
  /** Its memory, which never grows. */
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

const binary = new WebAssembly.Module(readFileSync(new URL('kernel.wasm', import.meta.url)));

/** Makes an instance of the kernel, with its own memory. */
export function loadKernel(): Kernel {
  const { exports } = new WebAssembly.Instance(binary);
  const constants = Object.entries(exports).flatMap(([name, value]: [string, unknown]) =>
    value instanceof WebAssembly.Global ? [[name, value.value]] : [],
  );
  // The binary is compiled from kernel.as, which exports all of these.
  const functions = exports as KernelFunctions & { memory: { buffer: ArrayBuffer } };
  return {
    parse: functions.parse,
    bitsWith: functions.bitsWith,
    bitsAtLeast: functions.bitsAtLeast,
    checksum: functions.checksum,
    emit: functions.emit,
    at: Object.fromEntries(constants) as Kernel['at'],
    bytes: new Uint8Array(functions.memory.buffer),
    words: new Uint32Array(functions.memory.buffer),
  };
}

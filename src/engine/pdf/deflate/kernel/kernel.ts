import { readKernel, type WasmKernel } from '../../../../runtime/memory/wasm-kernel.ts';

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

export type Kernel = WasmKernel<KernelFunctions, KernelConstant>;

/** Makes an instance of the kernel, with its own memory. */
export const loadKernel: () => Kernel = readKernel(new URL('kernel.wasm', import.meta.url));

import { readKernel, type WasmKernel } from '../../../runtime/memory/wasm-kernel.ts';

/** The functions are described in kernel.as. */
interface KernelFunctions {
  readonly placeStream: (bitCount: number, words: number) => void;
  readonly bestMask: (size: number, words: number, lastMask: number) => number;
  readonly writeBits: (size: number, words: number, mask: number) => void;
}

/** Constants of kernel.as: addresses in bytes. */
type KernelConstant = 'ROW_BASES' | 'COLUMN_BASES' | 'STREAM' | 'ORDER' | 'BITS';

export type Kernel = WasmKernel<KernelFunctions, KernelConstant>;

/** Makes an instance of the kernel, with its own memory. */
export const loadKernel: () => Kernel = readKernel(new URL('kernel.wasm', import.meta.url));

import { readFileSync } from 'node:fs';

/** The part of WebAssembly that a kernel needs; Node's types do not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
  readonly Global: new () => { readonly value: number };
};

/** An instance of a kernel: functions and constants that its source exports, and its memory. */
export type WasmKernel<Functions, Constant extends string> = Functions & {
  /** Addresses in bytes, and sizes. */
  readonly at: Readonly<Record<Constant, number>>;
  /** The memory, which never grows, by bytes and by words. */
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
};

/**
 * Compiles a kernel.wasm that `scripts/make-kernels.ts` made, and returns what makes instances of it,
 * each with its own memory. The caller knows from the source what the kernel exports.
 */
export function readKernel<Functions extends object, Constant extends string>(
  file: URL,
): () => WasmKernel<Functions, Constant> {
  const binary = new WebAssembly.Module(readFileSync(file));
  return () => {
    const { exports } = new WebAssembly.Instance(binary);
    const constants = Object.entries(exports).flatMap(([name, value]: [string, unknown]) =>
      value instanceof WebAssembly.Global ? [[name, value.value]] : [],
    );
    const functions = exports as Functions & { readonly memory: { readonly buffer: ArrayBuffer } };
    return {
      ...functions,
      at: Object.fromEntries(constants) as Readonly<Record<Constant, number>>,
      bytes: new Uint8Array(functions.memory.buffer),
      words: new Uint32Array(functions.memory.buffer),
    };
  };
}

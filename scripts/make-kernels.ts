import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Compiles each kernel.as of the engine to the kernel.wasm beside it, by a compiler that npx fetches;
 * kernel.sha256 says which source the binary is from. The tests compare a kernel with the same
 * algorithm in TypeScript or with another library, so they need no compiler.
 */
const COMPILER = 'assemblyscript@0.28.20';
const ENGINE = new URL('../src/engine/', import.meta.url);
const PAGE_BYTES = 64 * 1024;
/** Where a kernel is, and its memory in pages of 64 KiB. */
const KERNELS = [
  { folder: 'pdf/deflate/kernel/', pages: 17 },
  { folder: 'qr/kernel/', pages: 3 },
] as const;

function compile({ folder, pages }: (typeof KERNELS)[number]): void {
  const place = new URL(folder, ENGINE);
  const source = readFileSync(new URL('kernel.as', place));
  const scratch = mkdtempSync(join(tmpdir(), 'intaglio-kernel-'));
  // The compiler only reads files of this ending, which would be TypeScript for every other tool.
  writeFileSync(join(scratch, 'kernel.ts'), source);
  // Kernels have no static data, but the compiler needs an address for it inside the memory.
  const dataAt = pages * PAGE_BYTES - 32;
  // With --debug functions have names in profiles.
  const command =
    `asc kernel.ts --outFile kernel.wasm -O3 --debug --noAssert --runtime stub --enable simd ` +
    `--memoryBase ${dataAt} --initialMemory ${pages} --maximumMemory ${pages}`;
  const words = command.split(' ');
  const { status } = spawnSync('npx', ['--yes', '--package', COMPILER, ...words], {
    cwd: scratch,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const binary = readFileSync(join(scratch, 'kernel.wasm'));
  rmSync(scratch, { recursive: true });
  writeFileSync(new URL('kernel.wasm', place), binary);
  const lines = `${sha256(source)}  kernel.as\n${sha256(binary)}  kernel.wasm\n`;
  writeFileSync(new URL('kernel.sha256', place), lines);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

for (const kernel of KERNELS) compile(kernel);

import { spawn } from 'node:child_process';
import { SUBJECT_FLAGS } from '../flags.ts';
import { endWithBench } from './interrupt.ts';
import { pinned } from './pin.ts';

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Runs a script of the bench under this Node and gives what it printed; its failure throws. With
 * `core`, all its threads are pinned to that core where `taskset` is there.
 */
export function runScript(
  script: string,
  args: readonly string[],
  timeoutMs: number,
  core: number | null = null,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = pinned([process.execPath, ...SUBJECT_FLAGS, script, ...args], core);
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < OUTPUT_BYTES_MAX) output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    endWithBench(child);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${script} ended with ${code}: ${errors}`));
    });
  });
}

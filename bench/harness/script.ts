import { spawn } from 'node:child_process';

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Runs a script of the bench under this Node and gives what it printed; its failure throws. */
export function runScript(
  script: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
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
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${script} ended with ${code}: ${errors}`));
    });
  });
}

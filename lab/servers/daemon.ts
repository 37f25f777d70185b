import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endsWithThis, guarded } from '../process/guard.ts';

/** Starts a server that ends with this process. */
export function startDaemon(program: string, options: readonly string[]): ChildProcess {
  const [file, ...rest] = guarded([program, ...options]);
  const daemon = spawn(file, rest, { stdio: 'ignore' });
  endsWithThis(daemon);
  return daemon;
}

/** Kills the server and waits for its end. */
export async function endDaemon(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const ended = once(daemon, 'exit');
  daemon.kill('SIGKILL');
  await ended;
}

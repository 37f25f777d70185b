import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

/** A server that ends with this process, also when this process is killed (where setpriv is). */
export function startDaemon(program: string, options: readonly string[]): ChildProcess {
  const command = existsSync(SETPRIV)
    ? [SETPRIV, '--pdeathsig', 'KILL', program, ...options]
    : [program, ...options];
  const [file = program, ...rest] = command;
  const daemon = spawn(file, rest, { stdio: 'ignore' });
  const onExit = (): void => {
    daemon.kill('SIGKILL');
  };
  process.on('exit', onExit);
  daemon.on('exit', () => process.off('exit', onExit));
  return daemon;
}

/** SIGKILL, and waits for the end. */
export async function endDaemon(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const ended = once(daemon, 'exit');
  daemon.kill('SIGKILL');
  await ended;
}

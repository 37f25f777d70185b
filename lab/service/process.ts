import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SERVICE_FLAGS, SERVICE_VARIABLES } from '../flags.ts';
import { HOME } from '../home.ts';
import { descendantsCount, descriptorsCount, processRssMb } from '../process/cpu.ts';
import { endsWithThis, guarded } from '../process/guard.ts';
import { pinned } from '../process/pin.ts';
import type { Program } from './program.ts';

/** A line of the service's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A process of the service that listens. It ends with this process. */
export interface Instance {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Its exit code; null: a signal ended it. */
  readonly exit: Promise<number | null>;
  rssMb(this: void): number;
  /** The number of its open descriptors. */
  descriptors(this: void): number;
  /** The number of processes it started. */
  children(this: void): number;
  /** Has it shut down, and kills it when that takes a minute. Resolves with the exit code. */
  stop(this: void): Promise<number | null>;
}

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The program of another checkout than this one. */
  readonly program?: Program;
  /** A program, with arguments, that starts the service. */
  readonly wrapper?: readonly string[];
  /** The core that all its threads stay on; null or left out: any. */
  readonly core?: number | null;
  /** Called with each line of its log, from the first one to its end. */
  readonly onLine?: (line: LogLine) => void;
  /** Ends the start, but not a service that listens. */
  readonly signal?: AbortSignal;
}

export const OWN: Program = {
  command: `${HOME}/src/cli.ts`,
  flags: SERVICE_FLAGS,
  variables: SERVICE_VARIABLES,
};
const START_MS_MAX = 300_000;
const STOP_MS_MAX = 60_000;
/** The end of its output that the message of a failed start shows. */
const OUTPUT_CHARACTERS_MAX = 1_000;

/** Starts `serve`; resolves when it listens. Benches, tests and tools start services in this way only. */
export async function startProcess(options: StartOptions): Promise<Instance> {
  const { program = OWN, wrapper = [], core = null, env } = options;
  const serve = [process.execPath, ...program.flags, program.command, 'serve'];
  const [first = process.execPath, ...rest] = [...wrapper, ...serve];
  const [file, ...words] = guarded(pinned([first, ...rest], core));
  const child = spawn(file, words, {
    env: { ...program.variables, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endsWithThis(child);
  const exit = endOf(child);
  // Whoever waits for the start or the end is told.
  exit.catch(() => undefined);
  try {
    const url = await untilListening(child, exit, options);
    const pid = child.pid ?? 0;
    return {
      url,
      pid,
      child,
      exit,
      rssMb: () => processRssMb(pid),
      descriptors: () => descriptorsCount(pid),
      children: () => descendantsCount(pid),
      stop: () => stop(child, exit),
    };
  } catch (error) {
    await stop(child, exit).catch(() => undefined);
    throw error;
  }
}

/** Resolves when the process has ended and its output is read. */
function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

/** Reads the log up to the line that says where the service listens, and lets the rest flow. */
function untilListening(
  child: ChildProcess,
  exit: Promise<number | null>,
  { onLine, signal }: StartOptions,
): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the log of a service is a pipe');
  return new Promise((resolve, reject) => {
    let output = '';
    const time = AbortSignal.timeout(START_MS_MAX);
    const watch = signal === undefined ? time : AbortSignal.any([signal, time]);
    const fail = (why: string): void => {
      reject(new Error(`a service ${why}: ${output.slice(-OUTPUT_CHARACTERS_MAX)}`));
    };
    watch.addEventListener('abort', () => fail('did not start'), { once: true });
    exit.then((code) => fail(`ended with ${code} before it listened`), reject);
    const lines = createInterface({ input: stdout });
    lines.on('line', (text) => {
      const line = parsed(text);
      onLine?.(line);
      if (line['msg'] !== 'listening') {
        output = `${output}${text}\n`.slice(-OUTPUT_CHARACTERS_MAX);
        return;
      }
      if (onLine === undefined) {
        // The log must keep flowing, because a full pipe would stop the service; nobody reads it.
        lines.close();
        stdout.resume();
      }
      resolve(String(line['url']));
    });
  });
}

/** A line of the log; empty for output that is none. */
function parsed(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

async function stop(child: ChildProcess, exit: Promise<number | null>): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return exit;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  try {
    return await exit;
  } finally {
    clearTimeout(timer);
  }
}

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { SUBJECT_FLAGS } from '../../lab/flags.ts';
import { endWithBench } from '../../lab/process/interrupt.ts';
import { pinned } from '../../lab/process/pin.ts';
import type { Hello, RunReply, RunRequest } from './protocol.ts';

export interface StartOptions {
  /** The script a subject's process runs. */
  readonly script: string;
  readonly args: readonly string[];
  /** Flags of Node beside those of every subject. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Pin to this core; null leaves it to the scheduler. */
  readonly core: number | null;
}

export type Measured = Extract<RunReply, { ok: true }>;

const START_TIMEOUT_MS = 300_000;
const RUN_TIMEOUT_MS = 900_000;

const DEFAULTS = {
  kind: 'run',
  cold: false,
  rows: null,
  freshTemplate: false,
  keep: null,
  profile: null,
} as const;

/** Settles with the next message, or fails when the process ends or takes too long. */
function nextMessage(
  child: ChildProcess,
  timeoutMs: number,
  errors: () => string,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
    const onMessage = (message: unknown): void => settle(null, message);
    const onExit = (code: number | null): void =>
      settle(new Error(`the process ended with ${code}: ${errors()}`));
    function settle(error: Error | null, message?: unknown): void {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      if (error === null) resolve(message);
      else reject(error);
    }
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

/** A running subject. Requests are made one after the other. */
export class SubjectProcess {
  readonly version: string;
  /** From the start of the process to its ready message. */
  readonly readyMs: number;
  readonly #child: ChildProcess;
  readonly #errors: () => string;

  private constructor(child: ChildProcess, errors: () => string, hello: Hello, readyMs: number) {
    this.#child = child;
    this.#errors = errors;
    this.version = hello.version;
    this.readyMs = readyMs;
  }

  /** Starts it and waits for its ready message. */
  static async start(options: StartOptions): Promise<SubjectProcess> {
    const [program, ...args] = pinned(
      [
        process.execPath,
        ...SUBJECT_FLAGS,
        ...(options.flags ?? []),
        options.script,
        ...options.args,
      ],
      options.core,
    );
    const startMs = performance.now();
    const child = endWithBench(
      spawn(program, args, {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, ...options.env },
      }),
    );
    let tail = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-4000);
    });
    const errors = (): string => tail;
    try {
      // The first message of every subject is its Hello: serveSubject sends nothing before it.
      const hello = (await nextMessage(child, START_TIMEOUT_MS, errors)) as Hello;
      return new SubjectProcess(child, errors, hello, performance.now() - startMs);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Tells the subject to draw documents; throws if the subject reports an error. */
  async run(
    request: Partial<RunRequest> & Pick<RunRequest, 'shape' | 'first' | 'count'>,
  ): Promise<Measured> {
    const answer = nextMessage(this.#child, RUN_TIMEOUT_MS, this.#errors);
    this.#child.send({ ...DEFAULTS, ...request });
    // Only RunReply follows the Hello.
    const reply = (await answer) as RunReply;
    if (!reply.ok) throw new Error(reply.error);
    return reply;
  }

  /** Stops the subject; its child processes end when its channel closes. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(timer);
  }
}

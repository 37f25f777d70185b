/** Where a command writes, and how it ends. */
export interface Terminal {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
}

const PROCESS: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

let current = PROCESS;
let exitCode = 0;

/** Sets the terminal of the next command; only one command may run at a time. */
export function beginCommand(terminal: Terminal = PROCESS): void {
  current = terminal;
  exitCode = 0;
}

/** The exit code of the command that has ended without an error. */
export function endCommand(): number {
  return exitCode;
}

export function writeOut(text: string | Uint8Array): void {
  current.out(text);
}

export function writeErr(text: string): void {
  current.err(text);
}

/** Sets the exit code; the command continues to its end. */
export function endWith(code: number): void {
  exitCode = code;
}

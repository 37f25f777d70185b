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

/** One command at a time: what follows is written to this terminal. */
export function beginCommand(terminal: Terminal = PROCESS): void {
  current = terminal;
  exitCode = 0;
}

/** The exit code of a command that came to its end. */
export function endCommand(): number {
  return exitCode;
}

export function writeOut(text: string | Uint8Array): void {
  current.out(text);
}

export function writeErr(text: string): void {
  current.err(text);
}

/** The command goes on to its end, and then reports this. */
export function endWith(code: number): void {
  exitCode = code;
}

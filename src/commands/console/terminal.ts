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

/** Writes text with its invisible characters escaped; bytes, such as an exported file, as they are. */
export function writeOut(text: string | Uint8Array): void {
  current.out(typeof text === 'string' ? escapeInvisible(text) : text);
}

export function writeErr(text: string): void {
  current.err(escapeInvisible(text));
}

/** ZWNJ and ZWJ are part of the spelling in several scripts; LF and TAB lay out the text. */
const INVISIBLE = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Names of templates and users come from callers: escape sequences in them would rule the operator's
 * terminal, and U+202E would turn a line. They are written as in JSON, so JSON stays JSON.
 */
function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Sets the exit code; the command continues to its end. */
export function endWith(code: number): void {
  exitCode = code;
}

/** Where steps are shown: standard error, or a test's. */
export interface StepStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows which step of a long measurement runs. */
export interface StepLine {
  /** Begins a step: a line, or on a terminal the one line that is rewritten. */
  readonly begin: (text: string) => void;
  /** Lets `print` write lines that stay, without a rest of the step on them. */
  readonly aside: (print: () => void) => void;
  /** Removes the line from a terminal. */
  readonly end: () => void;
}

const REWRITE_MS = 3_000;
/** A carriage return and "erase to the end of the line". */
const CLEAR = '\r\u001B[K';

/**
 * A line for each step; on a terminal a single line that is rewritten, every `rewriteMs` with the
 * seconds since the step began, so that a slow step can be told from one that hangs.
 */
export function startStepLine(
  stream: StepStream = process.stderr,
  rewriteMs = REWRITE_MS,
): StepLine {
  if (stream.isTTY !== true) {
    return {
      begin: (text) => void stream.write(`${text}\n`),
      aside: (print) => print(),
      end: () => undefined,
    };
  }
  let step: { readonly text: string; readonly startedMs: number } | null = null;
  const draw = (): void => {
    if (step === null) return;
    const seconds = Math.floor((performance.now() - step.startedMs) / 1000);
    stream.write(`${CLEAR}${step.text}${seconds === 0 ? '' : ` (${seconds} s)`}`);
  };
  // The timer must not keep a process alive whose measurement has ended.
  const timer = setInterval(draw, rewriteMs).unref();
  return {
    begin: (text) => {
      step = { text, startedMs: performance.now() };
      draw();
    },
    aside: (print) => {
      if (step !== null) stream.write(CLEAR);
      print();
      draw();
    },
    end: () => {
      clearInterval(timer);
      if (step !== null) stream.write(CLEAR);
      step = null;
    },
  };
}

import { SingleBar } from 'cli-progress';

import type { BatchCounts } from './run.ts';

/** Shows the progress of a batch on standard error. */
export interface Progress {
  readonly update: (counts: BatchCounts) => void;
  /** Prints a line without disturbing the bar. */
  readonly aside: (print: () => void) => void;
  readonly stop: () => void;
}

/** Interval of the lines where there is no terminal. */
const LINE_MS = 10_000;

/** Shows a bar on a terminal; elsewhere prints a line every `lineMs` while there is progress. */
export function startProgress(
  total: number,
  warn: (message: string) => void,
  isTerminal = process.stderr.isTTY,
  lineMs = LINE_MS,
): Progress {
  return isTerminal ? startBar(total) : startLines(total, warn, lineMs);
}

function startLines(total: number, warn: (message: string) => void, lineMs: number): Progress {
  const startedMs = performance.now();
  let done = 0;
  let failures = 0;
  let reported = 0;
  const timer = setInterval(() => {
    if (done === reported) return;
    reported = done;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    warn(`${done} of ${total} records after ${seconds} s, ${failures} failed`);
  }, lineMs);
  timer.unref();
  return {
    update: ({ made, failed, skipped }) => {
      done = made + failed + skipped;
      failures = failed;
    },
    aside: (print) => print(),
    stop: () => clearInterval(timer),
  };
}

function startBar(total: number): Progress {
  const bar = new SingleBar({
    format: '{bar} {value}/{total} documents, {failed} failed, {eta_formatted} left',
    barsize: 30,
    stream: process.stderr,
    noTTYOutput: false,
    clearOnComplete: true,
  });
  bar.start(total, 0, { failed: 0 });
  return {
    update: ({ made, failed, skipped }) => bar.update(made + failed + skipped, { failed }),
    aside: (print) => {
      // A carriage return and "erase to the end of the line" clear the bar until its next update.
      process.stderr.write('\r\u001B[K');
      print();
    },
    stop: () => bar.stop(),
  };
}

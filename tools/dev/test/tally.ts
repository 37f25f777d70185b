import { Parser, type Result } from 'tap-parser';

/** Counts of leaf test points; a point marked as todo counts as skipped. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The result of a test file. */
export interface FileReport {
  readonly file: string;
  readonly tally: Tally;
  readonly durationMs: number;
  /** CPU time of the file's processes, in seconds; undefined if the system does not report it. */
  readonly cpuSeconds: number | undefined;
  readonly failures: readonly Failed[];
  readonly skips: readonly string[];
}

/** A failed point: the names of its tests from the outside in, and its diagnostics. */
export interface Failed {
  readonly name: string;
  readonly detail: string;
}

/** The comment of tap's plan for a file that defines no test. */
const NO_TESTS = 'no tests found';

/** Counts the TAP stream of one file; `end` takes the exit code of its process, or the signal. */
export interface FileTally {
  readonly write: (chunk: Uint8Array) => void;
  readonly end: (exit: string, durationMs: number, cpuSeconds?: number) => FileReport;
}

/**
 * Counts leaves. A point that closes a subtest is counted only when the subtest had no points, or
 * failed although its points passed (it ended early). A process that fails without a failed point
 * crashed, ended early or had no tests: that counts as one failure.
 */
export function tallyFile(file: string): FileTally {
  const parser = new Parser();
  const count = new FileCount();
  count.watch(parser, '');
  return {
    write: (chunk) => void parser.write(Buffer.from(chunk)),
    end: (exit, durationMs, cpuSeconds) => {
      parser.end();
      const { results } = parser;
      // The process ended early when the plan is missing or does not match the points.
      const ok = exit === '0' && results?.ok === true && !parser.syntheticPlan;
      const comment = results?.plan.comment ?? '';
      const isSkipped = ok && results.plan.skipAll && comment !== '' && comment !== NO_TESTS;
      if (isSkipped) count.skip(file, comment);
      else count.close(file, ok, exit);
      return { ...count.report(file), durationMs, cpuSeconds };
    },
  };
}

class FileCount {
  readonly tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  readonly #failures: Failed[] = [];
  readonly #skips: string[] = [];
  /** The test that began last. */
  #latest = '';

  watch(parser: Parser, path: string): void {
    // The counts before the last subtest; null when the next point does not close a subtest.
    let before: Tally | null = null;
    parser.on('child', (child: Parser) => {
      before = { ...this.tally };
      this.#latest = join(path, child.name);
      this.watch(child, this.#latest);
    });
    parser.on('assert', (point: Result) => {
      if (before === null) this.#count(point, join(path, point.name));
      else this.#countClosing(point, join(path, point.name), before);
      before = null;
    });
  }

  /** Counts the end of the whole file, for which TAP has no point. */
  close(file: string, ok: boolean, exit: string): void {
    const { passed, failed, skipped } = this.tally;
    const isEmpty = passed + failed + skipped === 0;
    if (!isEmpty && (ok || failed > 0)) return;
    const latest = this.#latest === '' ? '' : `\nthe test that began last: ${this.#latest}`;
    this.#fail(file, `exit: ${exit}${latest}`);
  }

  skip(name: string, reason: string): void {
    this.tally.skipped += 1;
    this.#skips.push(reason === '' ? name : `${name}: ${reason}`);
  }

  report(file: string): Omit<FileReport, 'durationMs' | 'cpuSeconds'> {
    return { file, tally: this.tally, failures: this.#failures, skips: this.#skips };
  }

  #countClosing(point: Result, name: string, before: Tally): void {
    const { passed, failed, skipped } = this.tally;
    const isEmpty = passed + failed + skipped === before.passed + before.failed + before.skipped;
    if (isEmpty || (!point.ok && failed === before.failed)) this.#count(point, name);
  }

  #count(point: Result, name: string): void {
    if (point.skip !== false || point.todo !== false) {
      const reason = [point.skip, point.todo].find((text) => typeof text === 'string');
      this.skip(name, reason ?? '');
    } else if (point.ok) {
      this.tally.passed += 1;
    } else {
      this.#fail(name, describe(point));
    }
  }

  #fail(name: string, detail: string): void {
    this.tally.failed += 1;
    this.#failures.push({ name, detail });
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path} > ${name}`;
}

/** The diagnostics of a failed point that are shown. */
const SHOWN = ['diff', 'found', 'wanted', 'exitCode', 'signal', 'tapError', 'code', 'stack'];
const DETAIL_LENGTH_MAX = 2_000;

function describe(point: Result): string {
  const diag: Record<string, unknown> = point.diag ?? {};
  const at = diag['at'];
  const where =
    typeof at === 'object' && at !== null && 'fileName' in at && 'lineNumber' in at
      ? [`at ${String(at.fileName)}:${String(at.lineNumber)}`]
      : [];
  const lines = SHOWN.filter((key) => diag[key] !== undefined && diag[key] !== null).map((key) => {
    const value = diag[key];
    const text = typeof value === 'string' ? value.trimEnd() : JSON.stringify(value);
    return text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`;
  });
  return [...where, ...lines].join('\n').slice(0, DETAIL_LENGTH_MAX);
}

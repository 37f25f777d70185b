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
  readonly failures: readonly Failed[];
  readonly skips: readonly string[];
}

/** A failed point: the names of its tests from the outside in, and its diagnostics. */
export interface Failed {
  readonly name: string;
  readonly detail: string;
}

/**
 * Counts a TAP stream whose top level has one subtest per file. A point that closes a subtest is
 * counted only when the subtest had no points, or failed although its points passed (it crashed or
 * ended early).
 */
export function tallyStream(onFile: (report: FileReport) => void): {
  write: (chunk: Uint8Array) => void;
  end: () => Tally;
} {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 };
  const root = new Parser();
  let file = new FileCount();
  root.on('child', (child: Parser) => {
    file = new FileCount();
    file.watch(child, '');
  });
  root.on('assert', (point: Result) => {
    file.close(point);
    total.passed += file.tally.passed;
    total.failed += file.tally.failed;
    total.skipped += file.tally.skipped;
    onFile(file.report(point));
    file = new FileCount();
  });
  return {
    write: (chunk) => void root.write(Buffer.from(chunk)),
    end: () => {
      root.end();
      // Without a plan, or with one that does not match, tap ended early.
      const isWhole = root.results?.ok === true && !root.syntheticPlan;
      if (!isWhole && total.failed === 0) total.failed = 1;
      return total;
    },
  };
}

class FileCount {
  readonly tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  readonly #failures: Failed[] = [];
  readonly #skips: string[] = [];

  watch(parser: Parser, path: string): void {
    let before: Tally | null = null;
    parser.on('child', (child: Parser) => {
      before = { ...this.tally };
      this.watch(child, join(path, child.name));
    });
    parser.on('assert', (point: Result) => {
      if (before === null) this.#count(point, join(path, point.name));
      else this.#countClosing(point, join(path, point.name), before);
      before = null;
    });
  }

  close(point: Result): void {
    this.#countClosing(point, point.name, { passed: 0, failed: 0, skipped: 0 });
  }

  report(point: Result): FileReport {
    return {
      file: point.name,
      tally: this.tally,
      durationMs: point.time ?? 0,
      failures: this.#failures,
      skips: this.#skips,
    };
  }

  #countClosing(point: Result, name: string, before: Tally): void {
    const { passed, failed, skipped } = this.tally;
    const isEmpty = passed + failed + skipped === before.passed + before.failed + before.skipped;
    if (isEmpty || (!point.ok && failed === before.failed)) this.#count(point, name);
  }

  #count(point: Result, name: string): void {
    if (point.skip !== false || point.todo !== false) {
      this.tally.skipped += 1;
      const reason = [point.skip, point.todo].find((text) => typeof text === 'string');
      this.#skips.push(typeof reason === 'string' ? `${name}: ${reason}` : name);
    } else if (point.ok) {
      this.tally.passed += 1;
    } else {
      this.tally.failed += 1;
      this.#failures.push({ name, detail: describe(point) });
    }
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path} > ${name}`;
}

const SHOWN = ['diff', 'found', 'wanted', 'exitCode', 'signal', 'tapError', 'code', 'stack'];
const DETAIL_LENGTH_MAX = 2_000;

function describe(point: Result): string {
  const diag: Record<string, unknown> = point.diag ?? {};
  const at = diag['at'];
  const where =
    typeof at === 'object' && at !== null && 'fileName' in at && 'lineNumber' in at
      ? [`at ${String(at.fileName)}:${String(at.lineNumber)}`]
      : [];
  const parts = SHOWN.filter((key) => diag[key] !== undefined && diag[key] !== null).map((key) => {
    const value = diag[key];
    const shown = typeof value === 'string' ? value.trimEnd() : JSON.stringify(value);
    return shown.includes('\n') ? `${key}:\n${shown}` : `${key}: ${shown}`;
  });
  return [...where, ...parts].join('\n').slice(0, DETAIL_LENGTH_MAX);
}

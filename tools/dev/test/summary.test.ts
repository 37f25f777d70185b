import t from 'tap';

import { sumTallies, summarize } from './summary.ts';
import type { Failed, FileReport } from './tally.ts';

function report(
  file: string,
  failures: readonly Failed[],
  durationMs = 1_000,
  cpuSeconds?: number,
): FileReport {
  const tally = { passed: 2, failed: failures.length, skipped: 1 };
  return { file, tally, durationMs, cpuSeconds, failures, skips: [] };
}

const DIFF = `at test/b.test.ts:433
diff:
--- expected
+++ actual
@@ -1,1 +1,1 @@
-editor
+a
stack:
Test.<anonymous> (test/b.test.ts:433:5)`;

t.test('the end of a log names each failure, then the slowest files and the counts', async (t) => {
  const reports = [
    report('test/a.test.ts', [], 9_000),
    report('test/b.test.ts', [
      { name: 'a check > it has waited long enough', detail: DIFF },
      { name: 'publishing it: 20.2 ms', detail: 'at test/b.test.ts:158\nstack: Test (b.ts:1:1)' },
    ]),
    report('test/c.test.ts', [{ name: 'test/c.test.ts', detail: 'exit: SIGSEGV\nlatest: a' }]),
  ];
  t.strictSame(sumTallies(reports), { passed: 6, failed: 3, skipped: 3 });
  t.strictSame(summarize(reports, true), [
    'what failed:',
    '  test/b.test.ts  a check > it has waited long enough',
    '      at test/b.test.ts:433 | -editor | +a',
    '  test/b.test.ts  publishing it: 20.2 ms',
    '      at test/b.test.ts:158',
    '  test/c.test.ts',
    '      exit: SIGSEGV | latest: a',
    'the slowest files:',
    '   9.0 s  test/a.test.ts',
    '   1.0 s  test/b.test.ts',
    '   1.0 s  test/c.test.ts',
    '6 passed, 3 failed, 3 skipped',
  ]);
});

t.test('where the system tells the time of CPU, the files are listed by it', async (t) => {
  const reports = [report('a', [], 9_000, 2), report('b', [], 1_000, 12.34)];
  t.strictSame(summarize(reports, true), [
    'the slowest files, of 14 s of CPU:',
    '   1.0 s    12.3 s of CPU  b',
    '   9.0 s     2.0 s of CPU  a',
    '4 passed, 0 failed, 2 skipped',
  ]);
});

t.test('a run without a failure ends with the counts alone', async (t) => {
  t.strictSame(summarize([report('a', [])], false), ['2 passed, 0 failed, 1 skipped']);
});

t.test('many failures and long names stay within 42 short lines', async (t) => {
  const name = `a name ${'n'.repeat(3_000)} that ends in 20.2 ms`;
  const detail = `at a.test.ts:1\n${'d'.repeat(3_000)}`;
  const failures = Array.from({ length: 500 }, () => ({ name, detail }));
  const lines = summarize([report('a.test.ts', failures)], false);
  t.equal(lines.length, 1 + 40 + 1 + 1);
  t.equal(lines.at(-2), '  and 480 more, above');
  for (const line of lines) t.ok(line.length <= 170, `${line.length} characters`);
  t.match(lines[1], /^ {2}a\.test\.ts {2}a name n+ … n+ that ends in 20\.2 ms$/);
});

